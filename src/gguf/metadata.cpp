// The table of metadata: order in a vector, look-up by hash.
#include "gguf/metadata.h"

#include <utility>

#include "base/error.h"
#include "gguf/text.h"

namespace cria::gguf {

const Value* Metadata::find(std::string_view key) const {
    const auto found = index_.find(key);
    return found == index_.end() ? nullptr : &entries_[found->second].value;
}

const Value& Metadata::required(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr) fail(ErrorCode::not_found, "{} has no metadata key {}", source_, quoted(key));
    return *value;
}

std::string Metadata::words_for(std::string_view key) const {
    return fmt::format("{}: metadata key {}", source_, quoted(key));
}

void Metadata::set(std::string_view key, Value value) {
    const auto [place, is_new] = index_.try_emplace(std::string(key), entries_.size());
    if (is_new) {
        entries_.push_back({std::string(key), std::move(value)});
    } else {
        entries_[place->second].value = std::move(value);
    }
}

bool Metadata::remove(std::string_view key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return false;
    const size_t gone = found->second;
    index_.erase(found);
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(gone));
    for (auto& [name, place] : index_) place -= place > gone ? 1 : 0;
    return true;
}

}  // namespace cria::gguf
