// cria: one program for everything. Results go to stdout, all else to stderr; exit 0 done, 1 a negative
// answer, 2 an error.
#include <csignal>
#include <cstdio>
#include <exception>

#include "base/error.h"
#include "commands.h"
#include "version.h"

namespace cria::app {

int exit_status = 0;

namespace {

constexpr int kExitError = 2;

constexpr const char* kFooter =
    "Examples:\n"
    "  cria run                                    the built-in model tells a story, then chats\n"
    "  cria run -m model.gguf \"Why is the sky blue?\"\n"
    "  cria inspect model.gguf                     what is in a file, and can Cria run it\n"
    "  cria bench -m model.gguf                    how fast it is here\n"
    "Every command explains itself with --help.";

// CLI11 would only say that a subcommand is missing.
void check_command(const CLI::App& app, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') return;
    std::string known;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (command->get_name() == argv[1]) return;
        known += (known.empty() ? "" : ", ") + command->get_name();
    }
    fail(ErrorCode::invalid_argument, "there is no command '{}'; there are {}", argv[1], known);
}

int run(int argc, char** argv) {
    CLI::App app{"Cria runs large language models from GGUF files on this machine.", "cria"};
    app.require_subcommand(1);
    app.set_version_flag("--version", std::string("cria ") + version());
    app.get_formatter()->column_width(36);
    app.footer(kFooter);
    add_run_command(app);
    add_bench_command(app);
    add_inspect_command(app);
    add_perplexity_command(app);
    add_tokenize_command(app);
    check_command(app, argc, argv);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& e) {  // --help, --version
        return app.exit(e);
    } catch (const CLI::ParseError& e) {
        std::fprintf(
            stderr, "cria: %s\nTry 'cria %s--help'.\n", e.what(),
            app.get_subcommands().empty() ? "" : (app.get_subcommands()[0]->get_name() + " ").c_str());
        return kExitError;
    }
    return exit_status;
}

}  // namespace
}  // namespace cria::app

int main(int argc, char** argv) {
    std::signal(SIGPIPE,
                SIG_IGN);  // a reader that goes away ends output, not the program in the middle of something
    try {
        return cria::app::run(argc, argv);
    } catch (const cria::Error& e) {
        std::fprintf(stderr, "cria: %s\n", e.what());
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "cria: out of memory; try a smaller context (-c) or batch (-b)\n");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "cria: unexpected error: %s\n", e.what());
    }
    return cria::app::kExitError;
}
