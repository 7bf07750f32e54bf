// The subcommands. Each adds itself to the command line and runs when it was named; a subcommand's file holds
// its options, its help and its work. Errors leave as exceptions: main.cpp prints them and exits with 2.
#pragma once

#include <CLI/CLI.hpp>

namespace cria::app {

// The exit status of a command that ran: 0 done, 1 a negative answer (verify, bench --compare). Set by
// commands, read by main.
extern int exit_status;

void add_bench_command(CLI::App& app);
void add_inspect_command(CLI::App& app);
void add_perplexity_command(CLI::App& app);
void add_run_command(CLI::App& app);
void add_tokenize_command(CLI::App& app);

}  // namespace cria::app
