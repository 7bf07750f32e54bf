// The text of an expiring-bias program: see expiring_bias.h.
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "sampling/expiring_bias.h"
#include "sampling/options.h"

namespace cria::sampling {
namespace {

constexpr std::string_view kSpaces = " \t\r";

// Reads one line from left to right; errors name the line.
class LineReader {
  public:
    LineReader(std::string_view text, size_t number) : rest_(text), number_(number) {}

    [[noreturn]] void refuse(std::string_view why) const {
        fail(ErrorCode::invalid_argument, "expiring bias, line {}: {} at \"{}\"", number_, why,
             rest_.substr(0, 40));
    }
    void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpaces), rest_.size())); }
    bool is_at_end() {
        skip_spaces();
        return rest_.empty();
    }
    bool take(std::string_view symbol) {
        skip_spaces();
        if (!rest_.starts_with(symbol)) return false;
        rest_.remove_prefix(symbol.size());
        return true;
    }
    bool is_at(char c) {
        skip_spaces();
        return !rest_.empty() && rest_[0] == c;
    }

    std::string quoted() {
        const LineReader start = *this;
        if (!take("\"")) refuse("a quoted text is missing");
        std::string text;
        while (!rest_.empty() && rest_[0] != '"') {
            char c = rest_[0];
            rest_.remove_prefix(1);
            if (c == '\\' && !rest_.empty()) {
                c = rest_[0] == 'n' ? '\n' : rest_[0] == 't' ? '\t' : rest_[0];
                rest_.remove_prefix(1);
            }
            text += c;
        }
        if (!take("\"")) start.refuse("the quote is not closed");
        if (text.empty()) start.refuse("the quoted text is empty");
        return text;
    }

    std::optional<double> number() {
        skip_spaces();
        const bool has_plus = rest_.starts_with('+');
        double value = 0;
        const auto [end, error] =
            std::from_chars(rest_.data() + has_plus, rest_.data() + rest_.size(), value);
        if (error != std::errc()) return std::nullopt;
        if (std::isnan(value) || std::abs(value) > 1e30) {
            if (!std::isinf(value)) refuse("the number is too large or none");
        }
        rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
        return value;
    }

    std::string name() {
        skip_spaces();
        const size_t n = rest_.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
        const std::string text(rest_.substr(0, n));
        rest_.remove_prefix(text.size());
        return text;
    }

    std::string remainder() {
        skip_spaces();
        std::string_view text = rest_;
        while (!text.empty() && kSpaces.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
        return std::string(text);
    }

  private:
    std::string_view rest_;
    size_t number_;
};

void parse_change(LineReader& line, BiasEntry& entry) {
    OptionChange change;
    change.name = line.name();
    if (change.name.empty()) line.refuse("a bias or option is missing");
    SamplingOptions scratch;
    if (!change_option(scratch, change))
        line.refuse("\"" + change.name + "\" is no sampling option with a number");
    if (!line.take("~")) line.refuse("a '~' is missing after the option");
    const auto delta = line.number();
    if (!delta || std::isinf(*delta)) line.refuse("the change of the option is missing");
    change.delta = static_cast<float>(*delta);
    entry.changes.push_back(change);
}

void parse_values(LineReader& line, BiasEntry& entry) {
    do {
        const auto value = line.number();
        if (!value) {
            parse_change(line, entry);
            continue;
        }
        entry.biases.push_back(static_cast<float>(*value));
        if (!line.take("~")) continue;
        const auto last = line.number();
        if (!last || entry.biases.size() > 1) line.refuse("a range is one number, '~', one number");
        if (std::isinf(*value) || std::isinf(*last)) line.refuse("a range needs finite ends");
        entry.biases.push_back(static_cast<float>(*last));
        entry.is_range = true;
    } while (line.take(","));
    if (!entry.biases.empty() && !entry.changes.empty()) line.refuse("an entry has either biases or options");
    if (!entry.biases.empty() && entry.phrases.empty()) line.refuse("a bias needs a phrase");
}

BiasEntry parse_entry(LineReader& line, bool goes_on) {
    BiasEntry entry;
    entry.goes_on = goes_on;
    if (const auto duration = line.number()) {
        if (*duration != std::floor(*duration) || std::abs(*duration) > 1e9)
            line.refuse("the duration is not a whole number");
        entry.duration = static_cast<int32_t>(*duration);
        if (!line.take(":")) line.refuse("a ':' is missing after the duration");
    }
    while (line.is_at('"')) {
        entry.phrases.push_back(line.quoted());
        line.take(",");
    }
    if (!entry.phrases.empty() && !line.take(":")) line.refuse("a ':' is missing after the phrases");
    parse_values(line, entry);
    if (!line.take(goes_on ? "))" : ")")) line.refuse("the closing parenthesis is missing");
    if (!line.is_at_end()) line.refuse("something follows the entry");
    return entry;
}

void parse_line(LineReader line, BiasProgram& program) {
    if (line.is_at_end() || line.is_at('#')) return;
    BiasState& state = program.states.back();
    if (line.take("(())")) {
        state.ends_earlier = true;
        std::erase_if(state.entries, [](const BiasEntry& entry) { return entry.goes_on; });
        if (!line.is_at_end()) line.refuse("something follows (())");
    } else if (line.take("((")) {
        state.entries.push_back(parse_entry(line, true));
    } else if (line.take("(")) {
        state.entries.push_back(parse_entry(line, false));
    } else if (line.is_at('"')) {
        state.exit_word = line.quoted();
        state.is_jump = line.take(">>");
        if (!line.is_at_end()) line.refuse("only >> may follow a word");
        program.states.emplace_back();
    } else {
        state.exit_word = line.remainder();
        program.states.emplace_back();
    }
}

}  // namespace

BiasProgram BiasProgram::parse(std::string_view text) {
    BiasProgram program;
    program.states.emplace_back();
    size_t n_lines = 0;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        parse_line(LineReader(text.substr(0, end), ++n_lines), program);
        text.remove_prefix(std::min(end + 1, text.size()));
        size_t n_entries = program.states.size();
        if (n_lines % 256 == 0 || text.empty())
            for (const BiasState& state : program.states) n_entries += state.entries.size();
        if (n_entries > kMaxEntries)
            fail(ErrorCode::invalid_argument,
                 "expiring bias: more than {} entries and words; shorten the program", kMaxEntries);
    }
    return program;
}

}  // namespace cria::sampling
