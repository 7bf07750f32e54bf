// The metadata of a model: keys and values in the order of the file, found by hash, read with their types.
// Also what a writer is given, and the place for overrides: copy a file's table and set() what shall differ.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gguf/value.h"

namespace cria::gguf {

// Copies share the bytes of their values: they live as long as the reader these came from. Const calls are
// thread-safe.
class Metadata {
  public:
    struct Entry {
        std::string key;
        Value value;
    };

    Metadata() = default;
    // source: the words for where the values come from, at the start of every error: "'model.gguf'".
    explicit Metadata(std::string source) : source_(std::move(source)) {}

    std::span<const Entry> entries() const { return entries_; }
    size_t size() const { return entries_.size(); }
    // Null when there is none.
    const Value* find(std::string_view key) const;
    bool contains(std::string_view key) const { return find(key) != nullptr; }

    // The value as T (the types and conversions of Value::as). Throws Error{not_found} when the key is
    // missing, Error{invalid_file} when its type or value does not fit; both name the key.
    template <typename T>
    T get(std::string_view key) const {
        return required(key).as<T>(words_for(key));
    }
    // The same, or nothing when the key is missing. A value that does not fit is an error here too.
    template <typename T>
    std::optional<T> get_optional(std::string_view key) const {
        const Value* value = find(key);
        if (value == nullptr) return std::nullopt;
        return value->as<T>(words_for(key));
    }

    // Replaces the value of a key in its place, or adds the key at the end.
    void set(std::string_view key, Value value);
    // False when there was none.
    bool remove(std::string_view key);

  private:
    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view key) const { return std::hash<std::string_view>{}(key); }
    };

    const Value& required(std::string_view key) const;
    std::string words_for(std::string_view key) const;

    std::string source_ = "the metadata";
    std::vector<Entry> entries_;
    std::unordered_map<std::string, size_t, Hash, std::equal_to<>> index_;
};

}  // namespace cria::gguf
