// Random chain texts, logits and stop strings: an Error or a token of the vocabulary, never NaN, never lost
// text.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "sampling/chain.h"
#include "sampling/stop_sequences.h"
#include "sampling/string_bans.h"

namespace {

using namespace cria::sampling;

// The text up to the first NUL byte; what follows stays in `rest`.
std::string next_text(std::string_view& rest) {
    const size_t end = std::min(rest.find('\0'), rest.size());
    const std::string text(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return text;
}

void require(bool condition) {
    if (!condition) __builtin_trap();
}

void run_chain(const std::string& text, std::string_view bytes) {
    std::vector<float> logits(bytes.size() / sizeof(float));
    if (!logits.empty()) std::memcpy(logits.data(), bytes.data(), logits.size() * sizeof(float));
    SamplerChain chain(parse_sampling(text + ";seed=1"));
    for (int i = 0; i < 4; ++i) {
        const Token token = chain.sample(logits);
        require(token >= 0 && static_cast<size_t>(token) < logits.size());
        for (const TokenData& item : chain.candidates().span()) require(!std::isnan(item.logit));
        chain.accept(token);
    }
}

void run_stops(const std::vector<std::string>& stops, std::string_view text) {
    StopSequences whole(stops), pieces(stops);
    std::string shown = whole.feed(text), shown_in_pieces;
    for (const char c : text) shown_in_pieces += pieces.feed(std::string_view(&c, 1));
    shown += whole.finish();
    shown_in_pieces += pieces.finish();
    require(shown == shown_in_pieces && whole.matched() == pieces.matched());
    require(text.substr(0, shown.size()) == shown);

    StringBans bans({.strings = stops, .max_rewinds = 2});
    size_t n_held = 0;
    for (const char c : text) {
        const BanStep step = bans.feed(c, std::string_view(&c, 1));
        require(step.n_released + step.n_rewound <= n_held + 1);
        n_held = n_held + 1 - step.n_released - step.n_rewound;
        require(bans.n_held() == n_held);
    }
    require(bans.finish() == n_held);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    const std::string chain = next_text(rest);
    const std::vector<std::string> stops = {next_text(rest), next_text(rest)};
    try {
        run_chain(chain, rest);
    } catch (const cria::Error&) {
    }
    try {
        run_stops(stops, rest);
    } catch (const cria::Error&) {
    }
    return 0;
}
