// Helpers of the vocabulary tests: conformance files, hex, hashes, and threads with a small stack.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "vocab/vocab.h"

namespace cria::vocab_testing {

// The folder of the conformance files, or "" when ../shared is not there.
std::string conformance_folder();
// Names of the vocabularies in it, sorted.
std::vector<std::string> conformance_names();
nlohmann::json read_conformance_json(const std::string& name);
VocabData read_conformance_vocab(const std::string& name);

std::string from_hex(std::string_view hex);
std::string to_hex(std::string_view bytes);

// 64-bit FNV-1a over everything added.
class Fnv {
  public:
    void add(std::string_view bytes);
    void add_u32(uint32_t value);
    void add_ids(const std::vector<int32_t>& ids);
    std::string hex() const;

  private:
    uint64_t state_ = 0xcbf29ce484222325u;
};

// Runs the function in a thread with a stack of 256 KiB; rethrows what it throws.
void run_on_small_stack(const std::function<void()>& function);

// Processor time of this thread: other programs do not make it longer.
double thread_seconds();

// "1 2 3", cut after 40.
std::string show(const std::vector<int32_t>& ids);

}  // namespace cria::vocab_testing
