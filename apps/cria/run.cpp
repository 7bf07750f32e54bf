// cria run: answers a prompt, or chats on a terminal; the built-in model tells a story when nothing is asked.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "commands.h"
#include "conversation.h"
#include "generate.h"
#include "model_options.h"
#include "progress.h"
#include "sampling_options.h"

namespace cria::app {
namespace {

constexpr const char* kStoryPrompt = "Once upon a time";
// A default context that suits most prompts without taking gigabytes for models trained on very long ones.
constexpr int64_t kDefaultContext = 8192;

struct Options {
    ModelChoice model;
    ContextChoice context;
    SamplingChoice sampling;
    std::string prompt;
    std::string file;
    std::string system;
    std::string chat_template;
    int32_t max_tokens = -1;
    bool raw = false;
    bool json = false;
    bool quiet = false;
};

std::atomic<bool> is_interrupted{false};

// The first Ctrl-C ends the answer; the second finds the default action back in place and ends the program.
void on_interrupt(int) {
    is_interrupted = true;
    std::signal(SIGINT, SIG_DFL);
}

void arm_interrupt() {
    is_interrupted = false;
    std::signal(SIGINT, on_interrupt);
}

void print_summary(const GenerationStats& s) {
    const auto rate = [](double n, double seconds) { return seconds > 0 ? n / seconds : 0.0; };
    std::fprintf(stderr, "[%d prompt tokens at %.1f/s, %d generated at %.1f/s, first after %.2f s]\n",
                 s.n_prompt - s.n_reused, rate(s.n_prompt - s.n_reused, s.prompt_seconds), s.n_generated,
                 rate(s.n_generated, s.generate_seconds), s.first_token_seconds);
}

nlohmann::json as_json(const GenerationResult& r, uint32_t seed) {
    return {{"text", r.text},
            {"tokens", r.tokens},
            {"finish_reason", finish_reason_name(r.finish)},
            {"seed", seed},
            {"n_prompt", r.stats.n_prompt},
            {"n_reused", r.stats.n_reused},
            {"n_generated", r.stats.n_generated},
            {"prompt_seconds", r.stats.prompt_seconds},
            {"generate_seconds", r.stats.generate_seconds},
            {"first_token_seconds", r.stats.first_token_seconds}};
}

class Session {
  public:
    Session(const Options& options, std::shared_ptr<const Model> model)
        : options_(options),
          model_(std::move(model)),
          context_(model_, options_with_stop()),
          generator_(context_, sampling_options(options.sampling)) {}

    void complete(const std::string& prompt) {
        if (!options_.json) {
            std::fwrite(prompt.data(), 1, prompt.size(), stdout);
            std::fflush(stdout);
        }
        answer(model_->vocab().tokenize(prompt, {.add_special = true, .parse_special = true}));
    }

    // Answers in a conversation, and returns what was said.
    std::string answer_message(Conversation& conversation, const std::string& message) {
        conversation.add("user", message);
        const std::string text = answer(conversation.prompt());
        conversation.add("assistant", text);
        return text;
    }

    void chat(Conversation& conversation) {
        std::fprintf(stderr, "Type a message; Ctrl-C stops an answer, Ctrl-D ends the chat.\n");
        for (std::string line;
             std::fputs("\n> ", stderr), std::fflush(stderr), std::getline(std::cin, line);) {
            if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
            answer_message(conversation, line);
        }
        std::fputc('\n', stderr);
    }

  private:
    ContextOptions options_with_stop() const {
        ContextOptions options = context_options(options_.context);
        if (options.n_ctx == 0)
            options.n_ctx = static_cast<int32_t>(std::min(model_->spec().n_ctx_train, kDefaultContext));
        options.stop = [] { return is_interrupted.load(); };
        return options;
    }

    std::string answer(const std::vector<int32_t>& prompt) {
        arm_interrupt();
        GenerationResult result;
        try {
            result = generator_.generate(prompt, options_.max_tokens, [this](std::string_view text) {
                if (!options_.json) {
                    std::fwrite(text.data(), 1, text.size(), stdout);
                    if (std::fflush(stdout) != 0) return false;  // nobody reads any more
                }
                return !is_interrupted.load();
            });
        } catch (const Error& e) {
            if (e.code() != ErrorCode::cancelled) throw;
            result.finish = FinishReason::interrupted;
        }
        std::signal(SIGINT, SIG_DFL);
        if (options_.json) {
            fmt::print("{}\n", as_json(result, generator_.chain().seed())
                                   .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
        } else {
            std::fputc('\n', stdout);
        }
        std::fflush(stdout);
        if (result.finish == FinishReason::context_full) {
            std::fprintf(stderr, "[the context of %d tokens is full; make it larger with -c]\n",
                         context_.n_ctx());
        }
        if (!options_.quiet && !options_.json) print_summary(result.stats);
        return result.text;
    }

    const Options& options_;
    std::shared_ptr<const Model> model_;
    Context context_;
    Generator generator_;
};

std::string given_prompt(const Options& options) {
    if (!options.prompt.empty() && !options.file.empty())
        fail(ErrorCode::invalid_argument, "give a prompt or -f FILE, not both");
    if (!options.prompt.empty()) return options.prompt;
    if (!options.file.empty()) return read_text_file_or_stdin(options.file);
    if (!stdin_is_terminal()) return read_text_file_or_stdin("-");
    return "";
}

void run(const Options& options) {
    std::string prompt = given_prompt(options);
    const auto model = load_model(options.model);
    Session session(options, model);
    const bool is_terminal = stdin_is_terminal() && stdout_is_terminal() && !options.json;
    const bool can_chat =
        !options.raw && (Conversation::is_available(*model) || !options.chat_template.empty());
    const bool tells_story = prompt.empty() && options.model.path.empty();
    if (prompt.empty() && !tells_story && !(is_terminal && can_chat)) {
        fail(ErrorCode::invalid_argument, "nothing to do: give a prompt, -f FILE, or text on standard input");
    }
    if (tells_story) session.complete(kStoryPrompt);
    if (!can_chat) {
        if (!prompt.empty()) session.complete(prompt);
        return;
    }
    Conversation conversation(*model, options.chat_template);
    if (!options.system.empty()) conversation.add("system", options.system);
    if (!prompt.empty()) session.answer_message(conversation, prompt);
    if (is_terminal && options.prompt.empty() && options.file.empty()) session.chat(conversation);
}

}  // namespace

void add_run_command(CLI::App& app) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("run", "Answer a prompt, or chat on a terminal");
    command->add_option("prompt", options->prompt,
                        "What to say to the model [standard input; on a terminal: a chat]");
    command->add_option("-f,--file", options->file, "Read the prompt from a file; - for standard input")
        ->type_name("FILE");
    command
        ->add_option("-n,--max-tokens", options->max_tokens,
                     "Most tokens to generate; -1: until the context is full")
        ->type_name("N")
        ->capture_default_str();
    command->add_option("-s,--system", options->system, "System message")->type_name("TEXT");
    command
        ->add_option("--chat-template", options->chat_template,
                     "Jinja template to use instead of the model's own")
        ->type_name("TEXT");
    command->add_flag("--raw", options->raw,
                      "Continue the prompt as it is, without the model's chat template");
    command->add_flag("--json", options->json, "Print one JSON object per answer instead of streaming text");
    command->add_flag("-q,--quiet", options->quiet, "Without the summary line");
    add_model_options(*command, options->model);
    add_context_options(*command, options->context);
    add_sampling_options(*command, options->sampling);
    command->footer(
        "Examples:\n"
        "  cria run                                     a story from the built-in model, then a chat\n"
        "  cria run -m model.gguf \"Why is the sky blue?\"\n"
        "  cria run -m model.gguf --raw -n 100 -f start.txt --sampler greedy\n"
        "  echo \"Summarise: ...\" | cria run -m model.gguf --json");
    command->callback([options] { run(*options); });
}

}  // namespace cria::app
