// Cuts template text into tokens: data between tags, and names, numbers, texts and operators inside them.
// White space control happens here: trim_blocks and lstrip_blocks are on, as every chat template expects, and
// {%- -%} {%+ +%} work.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cria::chat::jinja {

enum class TokenKind : uint8_t {
    data,
    block_begin,
    block_end,
    print_begin,
    print_end,
    name,
    integer,
    floating,
    string,
    op,  // the operator's own text
    end,
};

struct Token {
    TokenKind kind = TokenKind::end;
    std::string text;  // decoded text of a string, the digits of a number
    int line = 1;
};

// Raises TemplateSyntaxError. The last token is `end`. Linear time.
std::vector<Token> tokenize(std::string_view source);

}  // namespace cria::chat::jinja
