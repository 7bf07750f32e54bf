// cria bench: how fast a model is on this machine, and how near to its limits.
#include "bench.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/cpu.h"
#include "base/error.h"
#include "base/file.h"
#include "commands.h"
#include "model_options.h"
#include "progress.h"
#include "synthetic.h"

namespace cria::app {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    ModelChoice model;
    ContextChoice context;
    std::string synthetic;
    std::vector<int32_t> prompts{512};
    std::vector<int32_t> generates{64};
    std::vector<int32_t> depths{0};
    std::vector<int32_t> sequences{1};
    int32_t n_repetitions = 3;
    std::string output = "text";
    std::string compare;
    bool profile = false;
};

std::vector<BenchTest> tests_of(const Options& options) {
    std::vector<BenchTest> tests;
    for (const int32_t depth : options.depths) {
        for (const int32_t n : options.prompts) {
            if (n > 0) tests.push_back({.n_prompt = n, .depth = depth});
        }
        for (const int32_t n : options.generates) {
            for (const int32_t n_sequences : options.sequences) {
                if (n > 0) tests.push_back({.n_generate = n, .depth = depth, .n_sequences = n_sequences});
            }
        }
    }
    if (tests.empty()) fail(ErrorCode::invalid_argument, "nothing to measure: give -p or -n more than 0");
    return tests;
}

void check(const Options& options) {
    for (const auto* list : {&options.prompts, &options.generates, &options.depths}) {
        for (const int32_t n : *list) {
            if (n < 0 || n > (1 << 24))
                fail(ErrorCode::invalid_argument, "lengths and depths must be 0 to {}, not {}", 1 << 24, n);
        }
    }
    for (const int32_t n : options.sequences) {
        if (n < 1 || n > 4096) fail(ErrorCode::invalid_argument, "--parallel must be 1 to 4096, not {}", n);
    }
    if (options.n_repetitions < 1)
        fail(ErrorCode::invalid_argument, "--repetitions must be 1 or more, not {}", options.n_repetitions);
}

int32_t cells_needed(const std::vector<BenchTest>& tests) {
    int64_t most = 0;
    for (const BenchTest& test : tests)
        most =
            std::max(most, test.depth + int64_t(test.n_prompt) + int64_t(test.n_generate) * test.n_sequences);
    return static_cast<int32_t>(std::min<int64_t>(most, 1 << 27));
}

Json as_json(const BenchResult& r) {
    Json json = {
        {"test", r.test.name()}, {"n_prompt", r.test.n_prompt},       {"n_generate", r.test.n_generate},
        {"depth", r.test.depth}, {"n_sequences", r.test.n_sequences}, {"tokens_per_second", r.median},
        {"repetitions", r.rates}};
    if (r.test.n_generate > 0) {
        json["gigabytes_per_second"] = r.gigabytes_per_second;
        json["bandwidth_share"] = r.bandwidth_share;
    }
    return json;
}

Json report_json(const Model& model, const Machine& machine, const std::vector<BenchResult>& results) {
    Json json = {{"model", model.description()},
                 {"path", model.path()},
                 {"weight_bytes", model.weight_bytes()},
                 {"cpu", machine.cpu},
                 {"kernels", machine.isa},
                 {"threads", machine.n_threads},
                 {"read_gigabytes_per_second", machine.read_gigabytes_per_second},
                 {"peak_resident_bytes", peak_resident_bytes()}};
    for (const BenchResult& result : results) json["results"].push_back(as_json(result));
    return json;
}

void print_csv(const Model& model, const Machine& machine, const std::vector<BenchResult>& results) {
    fmt::print(
        "model,cpu,kernels,threads,test,n_prompt,n_generate,depth,n_sequences,tokens_per_second,gigabytes_"
        "per_second,bandwidth_share\n");
    for (const BenchResult& r : results) {
        fmt::print("\"{}\",\"{}\",{},{},{},{},{},{},{},{:.3f},{:.3f},{:.4f}\n", model.description(),
                   machine.cpu, machine.isa, machine.n_threads, r.test.name(), r.test.n_prompt,
                   r.test.n_generate, r.test.depth, r.test.n_sequences, r.median, r.gigabytes_per_second,
                   r.bandwidth_share);
    }
}

void print_line(const BenchResult& r) {
    const auto [least, most] = std::minmax_element(r.rates.begin(), r.rates.end());
    fmt::print("{:24} {:10.2f} {:>19}", r.test.name(), r.median,
               fmt::format("{:.2f}..{:.2f}", *least, *most));
    if (r.test.n_generate > 0)
        fmt::print(" {:8.2f} {:6.0f} %", r.gigabytes_per_second, 100 * r.bandwidth_share);
    fmt::print("\n");
    std::fflush(stdout);
}

void print_head(const Model& model, const Machine& machine) {
    fmt::print(
        "{} ({:.2f} GiB)\n{}, {} kernels, {} thread{}, reads {:.1f} GB/s\n\n{:24} {:>10} {:>19} {:>8} "
        "{:>8}\n",
        model.description(), static_cast<double>(model.weight_bytes()) / (1 << 30), machine.cpu, machine.isa,
        machine.n_threads, machine.n_threads == 1 ? "" : "s", machine.read_gigabytes_per_second, "test",
        "tokens/s", "least..most", "GB/s", "of limit");
}

void print_profile(Executor& executor) {
    auto times = executor.profile();
    double total = 0.0;
    for (const OperationTime& time : times) total += time.seconds;
    std::sort(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    fmt::print("\n{:20} {:>10} {:>8} {:>10}\n", "operation", "calls", "share", "seconds");
    for (const OperationTime& time : times) {
        fmt::print("{:20} {:10} {:6.1f} % {:10.4f}\n", time.name, time.n_calls,
                   total > 0 ? 100 * time.seconds / total : 0.0, time.seconds);
    }
}

// Ratios to an earlier --output json; the exit status is 1 when a test is more than 3 % slower.
void print_comparison(const std::string& path, const std::vector<BenchResult>& results) {
    constexpr double kTolerance = 0.97;
    const Json base = Json::parse(read_text_file(path), nullptr, /*allow_exceptions=*/false);
    if (!base.is_object() || !base.contains("results") || !base["results"].is_array()) {
        fail(ErrorCode::invalid_file, "--compare '{}' is no output of cria bench --output json", path);
    }
    fmt::print("\n{:24} {:>10} {:>10} {:>8}\n", "test", "base", "now", "ratio");
    for (const BenchResult& r : results) {
        for (const Json& old : base["results"]) {
            if (old.value("test", "") != r.test.name()) continue;
            const double before = old.value("tokens_per_second", 0.0);
            if (before <= 0) continue;
            fmt::print("{:24} {:10.2f} {:10.2f} {:8.3f}\n", r.test.name(), before, r.median,
                       r.median / before);
            if (r.median < kTolerance * before) exit_status = 1;
        }
    }
}

void run(Options& options) {
    check(options);
    if (options.output != "text" && options.output != "json" && options.output != "csv") {
        fail(ErrorCode::invalid_argument, "--output '{}': expected text, json or csv", options.output);
    }
    const std::vector<BenchTest> tests = tests_of(options);
    const auto model =
        options.synthetic.empty() ? load_model(options.model) : make_synthetic(options.synthetic);
    ContextOptions context_choice = context_options(options.context);
    context_choice.n_ctx = std::max(context_choice.n_ctx, cells_needed(tests));
    context_choice.n_seq_max = *std::max_element(options.sequences.begin(), options.sequences.end());
    context_choice.n_batch = std::max(context_choice.n_batch, context_choice.n_seq_max);
    Context context(model, context_choice);
    const Machine machine{.cpu = cpu_name(),
                          .isa = std::string(cpu::isa_name(context.isa())),
                          .n_threads = context.n_threads(),
                          .read_gigabytes_per_second = measure_read_bandwidth(context.n_threads())};
    const bool is_text = options.output == "text";
    if (is_text) print_head(*model, machine);
    context.executor().set_profiling(options.profile);
    std::vector<BenchResult> results;
    ProgressBar bar("bench");
    for (const BenchTest& test : tests) {
        bar.update(static_cast<double>(results.size()) / static_cast<double>(tests.size()), test.name());
        results.push_back(run_test(context, test, options.n_repetitions));
        results.back().bandwidth_share =
            results.back().gigabytes_per_second / machine.read_gigabytes_per_second;
        if (is_text) print_line(results.back());
    }
    if (options.output == "json") fmt::print("{}\n", report_json(*model, machine, results).dump(2));
    if (options.output == "csv") print_csv(*model, machine, results);
    if (options.profile && is_text) print_profile(context.executor());
    if (!options.compare.empty()) print_comparison(options.compare, results);
}

}  // namespace

void add_bench_command(CLI::App& app) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("bench", "Measure speed, and the share of the machine's read bandwidth");
    command->add_option("--synthetic", options->synthetic, "Measure a made-up model: " + synthetic_help())
        ->type_name("SHAPE:TYPE");
    const auto list = [&](const char* flags, std::vector<int32_t>& values, const char* help) {
        command->add_option(flags, values, help)
            ->type_name("N,...")
            ->delimiter(',')
            ->allow_extra_args(false)
            ->capture_default_str();
    };
    list("-p,--prompt", options->prompts, "Prompt lengths; 0: none");
    list("-n,--generate", options->generates, "Tokens to generate; 0: none");
    list("-d,--depth", options->depths, "Tokens remembered before");
    list("--parallel", options->sequences, "Sequences that generate at once");
    command->add_option("-r,--repetitions", options->n_repetitions, "Times each test runs; the median counts")
        ->type_name("N")
        ->capture_default_str();
    command->add_option("-o,--output", options->output, "text, json or csv")
        ->type_name("FORM")
        ->capture_default_str();
    command
        ->add_option("--compare", options->compare,
                     "Print ratios to an earlier JSON; exit with 1 when a test is over 3 % slower")
        ->type_name("FILE");
    command->add_flag("--profile", options->profile, "Time spent in each kind of operation");
    add_model_options(*command, options->model);
    add_context_options(*command, options->context);
    command->footer(
        "Examples:\n"
        "  cria bench -m model.gguf\n"
        "  cria bench --synthetic llama-1b:q4_k_m -p 512 -n 64 -d 0,2048 --parallel 1,4,16\n"
        "GB/s: weights and cache a step reads, times steps a second; of limit: that over the read bandwidth "
        "measured in the same run.");
    command->callback([options] { run(*options); });
}

}  // namespace cria::app
