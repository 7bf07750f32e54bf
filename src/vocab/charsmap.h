// The precompiled character map of sentencepiece models: a double-array trie from character sequences to what
// replaces them in normalised text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cria {

// Immutable; const calls are thread-safe. An empty map replaces nothing.
class Charsmap {
  public:
    Charsmap() = default;
    // Throws Error{invalid_file} when the sizes in the map contradict each other. Indices inside are checked
    // at use.
    explicit Charsmap(std::string blob);

    struct Match {
        size_t n_bytes = 0;  // of the text; 0: nothing to replace
        std::string_view replacement{};
    };
    // The longest sequence that the text begins with.
    Match longest_prefix(std::string_view text) const;

  private:
    uint32_t unit(size_t index) const;

    std::string blob_;
    size_t n_units_ = 0;
};

}  // namespace cria
