// cria tokenize: the tokens of a text, with pieces and byte spans.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "commands.h"
#include "model_options.h"
#include "vocab/utf8.h"

namespace cria::app {
namespace {

struct Options {
    ModelChoice model;
    std::string text;
    std::string file;
    bool no_special = false;
    bool parse_special = false;
    bool ids_only = false;
    bool json = false;
};

// Pieces with bytes that are no UTF-8 alone are shown as <0xE2><0x82>.
std::string shown(std::string_view piece) {
    std::string text;
    for (const char c : piece) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n') {
            text += "\\n";
        } else if (byte < 0x20 || byte == 0x7f) {
            text += fmt::format("<0x{:02X}>", byte);
        } else {
            text += c;
        }
    }
    return text;
}

void print_table(const Vocab& vocab, const std::vector<int32_t>& ids) {
    size_t offset = 0;
    for (const int32_t id : ids) {
        const std::string_view piece = vocab.token_to_piece(id);
        const size_t length = vocab.is_control(id) ? 0 : piece.size();
        fmt::print("{:8} {:6}..{:<6} '{}'\n", id, offset, offset + length, shown(piece));
        offset += length;
    }
    fmt::print("{} tokens\n", ids.size());
}

void print_json(const Vocab& vocab, const std::vector<int32_t>& ids) {
    nlohmann::json tokens = nlohmann::json::array();
    size_t offset = 0;
    for (const int32_t id : ids) {
        const std::string piece(vocab.token_to_piece(id));
        const size_t length = vocab.is_control(id) ? 0 : piece.size();
        nlohmann::json token = {{"id", id}, {"start", offset}, {"end", offset + length}};
        if (utf8::is_well_formed(piece)) {
            token["piece"] = piece;
        } else {
            token["bytes"] = std::vector<uint8_t>(piece.begin(), piece.end());
        }
        tokens.push_back(token);
        offset += length;
    }
    fmt::print("{}\n", nlohmann::json{{"n_tokens", ids.size()}, {"tokens", tokens}}.dump());
}

void run(const Options& options) {
    if (options.text.empty() == options.file.empty()) {
        fail(ErrorCode::invalid_argument, "give either a text or -f FILE (- for standard input)");
    }
    const auto model = load_model(options.model, /*vocab_only=*/true);
    const std::string text = options.file.empty() ? options.text : read_text_file_or_stdin(options.file);
    const auto ids = model->vocab().tokenize(
        text, {.add_special = !options.no_special, .parse_special = options.parse_special});
    if (options.json) {
        print_json(model->vocab(), ids);
    } else if (options.ids_only) {
        for (const int32_t id : ids) fmt::print("{}\n", id);
    } else {
        print_table(model->vocab(), ids);
    }
}

}  // namespace

void add_tokenize_command(CLI::App& app) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("tokenize", "Show the tokens of a text: ids, byte spans, pieces");
    command->add_option("text", options->text, "Text to tokenize");
    command->add_option("-f,--file", options->file, "Read the text from a file; - for standard input")
        ->type_name("FILE");
    command->add_flag("--no-special", options->no_special,
                      "Without the begin- and end-of-text tokens the model wants");
    command->add_flag("--parse-special", options->parse_special,
                      "Texts of control tokens become those tokens");
    command->add_flag("--ids", options->ids_only, "One id a line, nothing else");
    command->add_flag("--json", options->json, "One JSON object");
    add_model_options(*command, options->model);
    command->footer("Example:\n  cria tokenize -m model.gguf \"Hello world\"");
    command->callback([options] { run(*options); });
}

}  // namespace cria::app
