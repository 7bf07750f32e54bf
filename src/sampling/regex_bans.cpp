// Regular expressions as banned texts: see add_regex_bans in string_bans.h.
#include <algorithm>

#include "base/error.h"
#include "grammar/regex.h"
#include "sampling/string_bans.h"

namespace cria::sampling {
namespace {

void lower_ascii(std::string& text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
}

// Escapes stay as they are: \W and \w are two things.
std::string lower_outside_escapes(const std::string& pattern) {
    std::string result = pattern;
    lower_ascii(result);
    for (size_t i = 0; i + 1 < pattern.size(); ++i)
        if (pattern[i] == '\\') {
            result[i + 1] = pattern[i + 1];
            ++i;
        }
    return result;
}

}  // namespace

void add_regex_bans(BanOptions& options, std::span<const std::string> patterns, bool ignore_case,
                    size_t n_tokens) {
    std::vector<grammar::Regex> regexes;
    size_t longest = 0;
    for (const std::string& pattern : patterns) {
        regexes.push_back(grammar::Regex::compile(ignore_case ? lower_outside_escapes(pattern) : pattern));
        longest = std::max(longest, pattern.size());
        if (const auto match = regexes.back().search(""); match.has_value())
            fail(ErrorCode::invalid_argument,
                 "banned regular expression \"{}\" matches the empty text, so it would ban everything",
                 pattern);
    }
    options.n_search_patterns = patterns.size();
    options.n_search_tokens = n_tokens > 0 ? n_tokens : longest + 1;
    options.search = [regexes = std::move(regexes), ignore_case](std::string_view held) {
        std::string text(held);
        if (ignore_case) lower_ascii(text);
        std::optional<std::pair<size_t, size_t>> first;
        for (const grammar::Regex& regex : regexes) {
            const auto match = regex.search(text);
            if (!match) continue;
            const auto span = *match->groups[0];
            if (span.begin < span.end && (!first || span.begin < first->first))
                first = {span.begin, span.end - span.begin};
        }
        return first;
    };
}

}  // namespace cria::sampling
