// cria perplexity: how well a model predicts a text, chunk by chunk.
#include <fmt/core.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "commands.h"
#include "model_options.h"
#include "progress.h"

namespace cria::app {
namespace {

struct Options {
    ModelChoice model;
    ContextChoice context;
    std::string file;
    int32_t n_chunks = -1;
    int32_t stride = 0;
    bool json = false;
};

// Sum of negative log likelihoods, and of their squares for the uncertainty.
struct Score {
    double sum = 0.0;
    double sum_of_squares = 0.0;
    int64_t n = 0;

    void add(double nll) {
        sum += nll;
        sum_of_squares += nll * nll;
        ++n;
    }
    double mean() const { return n == 0 ? 0.0 : sum / static_cast<double>(n); }
    double perplexity() const { return std::exp(mean()); }
    // Standard error of the perplexity, by error propagation from that of the mean.
    double uncertainty() const {
        if (n < 2) return 0.0;
        const double variance = sum_of_squares / static_cast<double>(n) - mean() * mean();
        return perplexity() * std::sqrt(std::max(0.0, variance) / static_cast<double>(n - 1));
    }
};

// -log softmax(logits)[token]
double negative_log_likelihood(std::span<const float> logits, int32_t token) {
    const float max = *std::max_element(logits.begin(), logits.end());
    double sum = 0.0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - max);
    return std::log(sum) + max - logits[static_cast<size_t>(token)];
}

// One window of tokens, of which the predictions for those from first_scored on count.
void score_window(Context& context, std::vector<int32_t> window, int32_t first_scored, Score& score) {
    context.clear_memory();
    const auto n = static_cast<int32_t>(window.size());
    for (int32_t first = 0; first < n; first += context.n_batch()) {
        const int32_t count = std::min(context.n_batch(), n - first);
        Batch batch = Batch::of_sequence(
            std::span(window).subspan(static_cast<size_t>(first), static_cast<size_t>(count)), first, 0);
        batch.wants_output.resize(static_cast<size_t>(count));
        // The output of token i predicts token i + 1; the last token of the window predicts what is not in
        // it.
        for (int32_t i = 0; i < count; ++i)
            batch.wants_output[static_cast<size_t>(i)] = first + i + 1 >= first_scored && first + i + 1 < n;
        context.decode(batch);
        for (int32_t i = 0; i < count; ++i) {
            if (!batch.wants_output[static_cast<size_t>(i)]) continue;
            score.add(negative_log_likelihood(context.logits(i), window[static_cast<size_t>(first + i + 1)]));
        }
    }
}

struct Plan {
    int32_t window = 0;        // tokens in one
    int32_t step = 0;          // from the start of one to the next
    int32_t first_scored = 0;  // in each
    int32_t n_windows = 0;
};

Plan make_plan(const Options& options, int32_t n_ctx, size_t n_tokens) {
    Plan plan{.window = n_ctx, .step = n_ctx, .first_scored = n_ctx / 2 + 1};
    if (options.stride > 0) {
        if (options.stride >= n_ctx)
            fail(ErrorCode::invalid_argument, "--stride {} must be less than the window of {} (-c)",
                 options.stride, n_ctx);
        plan.step = options.stride;
        plan.first_scored = n_ctx - options.stride;
    }
    if (n_tokens < static_cast<size_t>(n_ctx)) {
        fail(ErrorCode::invalid_argument,
             "the text has {} tokens, fewer than one window of {}; use a smaller -c", n_tokens, n_ctx);
    }
    plan.n_windows =
        static_cast<int32_t>((n_tokens - static_cast<size_t>(n_ctx)) / static_cast<size_t>(plan.step)) + 1;
    if (options.n_chunks >= 0) plan.n_windows = std::min(plan.n_windows, options.n_chunks);
    if (plan.n_windows == 0) fail(ErrorCode::invalid_argument, "--chunks 0: nothing to score");
    return plan;
}

void run(const Options& options) {
    const std::string text = read_text_file_or_stdin(options.file);
    const auto model = load_model(options.model);
    Context context(model, context_options(options.context));
    const Vocab& vocab = model->vocab();
    const std::vector<int32_t> tokens = vocab.tokenize(text);
    const Plan plan = make_plan(options, context.n_ctx(), tokens.size());
    Score score;
    ProgressBar bar("perplexity");
    for (int32_t i = 0; i < plan.n_windows; ++i) {
        const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(i) * plan.step;
        std::vector<int32_t> window(begin, begin + plan.window);
        if (vocab.adds_bos()) window[0] = vocab.bos();
        score_window(context, std::move(window), plan.first_scored, score);
        bar.update(static_cast<double>(i + 1) / plan.n_windows,
                   fmt::format("chunk {}/{}: {:.4f}", i + 1, plan.n_windows, score.perplexity()));
        if (!options.json && !stderr_is_terminal())
            fmt::print(stderr, "[{}/{}] {:.4f}\n", i + 1, plan.n_windows, score.perplexity());
    }
    if (options.json) {
        fmt::print("{}\n", nlohmann::json{{"perplexity", score.perplexity()},
                                          {"uncertainty", score.uncertainty()},
                                          {"mean_negative_log_likelihood", score.mean()},
                                          {"n_scored", score.n},
                                          {"n_chunks", plan.n_windows},
                                          {"window", plan.window},
                                          {"stride", plan.step}}
                               .dump());
    } else {
        fmt::print("perplexity {:.4f} +- {:.4f} over {} tokens in {} chunks of {}\n", score.perplexity(),
                   score.uncertainty(), score.n, plan.n_windows, plan.window);
    }
}

}  // namespace

void add_perplexity_command(CLI::App& app) {
    auto options = std::make_shared<Options>();
    options->context.options.n_ctx = 512;
    CLI::App* command = app.add_subcommand("perplexity", "Measure how well a model predicts a text");
    command->add_option("-f,--file", options->file, "Text; - for standard input")
        ->type_name("FILE")
        ->required();
    command->add_option("--chunks", options->n_chunks, "Most chunks to score; -1: all")
        ->type_name("N")
        ->capture_default_str();
    command
        ->add_option("--stride", options->stride,
                     "Start windows so many tokens apart and score their last ones; 0: chunks side by side, "
                     "of which the second half is scored")
        ->type_name("N")
        ->capture_default_str();
    command->add_flag("--json", options->json, "One JSON object");
    add_model_options(*command, options->model);
    add_context_options(*command, options->context);
    command->footer(
        "Each chunk holds -c tokens and starts with the begin-of-text token.\nExample:\n  cria perplexity -m "
        "model.gguf -f wiki.test.raw");
    command->callback([options] { run(*options); });
}

}  // namespace cria::app
