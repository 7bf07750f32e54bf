// See clean_spaces.h.
#include "vocab/clean_spaces.h"

namespace cria {
namespace {

// Copies the text without the spaces that remove(rest) tells to, where rest begins with the space.
template <typename Remove>
std::string without_spaces(std::string_view text, Remove remove) {
    std::string out;
    out.reserve(text.size());
    for (size_t at = 0; at < text.size(); ++at) {
        if (text[at] != ' ' || !remove(text.substr(at))) out += text[at];
    }
    return out;
}

std::string join_lone_apostrophes(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (size_t at = 0; at < text.size();) {
        if (text.substr(at, 3) == " ' ") {
            out += '\'';
            at += 3;
        } else {
            out += text[at++];
        }
    }
    return out;
}

bool is_before_punctuation(std::string_view rest) {
    return rest.size() > 1 && std::string_view("?!.,").find(rest[1]) != std::string_view::npos;
}

bool is_before_contraction(std::string_view rest) {
    return rest.starts_with(" 's") || rest.starts_with(" 'm") || rest.starts_with(" 're") ||
           rest.starts_with(" 've");
}

}  // namespace

std::string clean_spaces(std::string_view text) {
    return without_spaces(join_lone_apostrophes(without_spaces(text, is_before_punctuation)),
                          is_before_contraction);
}

}  // namespace cria
