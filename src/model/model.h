// A loaded model: metadata, vocabulary, weights, and the spec that arch/ made of them. Immutable once loaded:
// any number of contexts in any number of threads share one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/spec.h"
#include "base/file.h"
#include "gguf/split.h"
#include "tensor/weight_table.h"
#include "vocab/vocab.h"

namespace cria {

struct ModelOptions {
    FileAccess access = FileAccess::mapped;
    bool lock_in_memory =
        false;  // keep the pages resident (mlock); a warning where the system's limit forbids it
    bool check_tensors = false;  // read every weight and refuse NaN, infinity and invalid blocks
    bool vocab_only = false;     // no weights, no spec: tokens and metadata alone
    // Called with the share done, 0 to 1, at least at both ends; false cancels with Error{cancelled}.
    std::function<bool(float)> progress;
    // Values to use instead of the file's, by full key.
    std::vector<std::pair<std::string, gguf::Value>> overrides;
};

class Model {
  public:
    // path: a GGUF file, or any part of a split one. With mapped access nothing is read but the header, so
    // this takes milliseconds. Throws Error: not_found and io from the system, invalid_file or unsupported
    // for what the file holds, cancelled.
    static std::shared_ptr<const Model> load(const std::string& path, const ModelOptions& options = {});
    // From the bytes of one file, which must outlive the model.
    static std::shared_ptr<const Model> load(gguf::ModelFiles files, const ModelOptions& options = {});

    const gguf::Metadata& metadata() const { return metadata_; }
    const std::string& path() const { return files_.path(); }
    const Vocab& vocab() const { return vocab_; }
    // Error{invalid_argument} for a model loaded with vocab_only.
    const arch::ModelSpec& spec() const;
    bool has_weights() const { return spec_.has_value(); }
    const WeightTable& weights() const { return weights_; }
    const std::string& architecture() const { return architecture_; }

    uint64_t weight_bytes() const { return weight_bytes_; }
    uint64_t n_parameters() const { return n_parameters_; }
    // general.file_type in words, or the type most weights have: "Q4_K - Medium".
    std::string file_type() const;
    // "llama 1B Q4_K - Medium"
    std::string description() const;

    // tokenizer.chat_template, or tokenizer.chat_template.NAME; nothing when the file has none.
    std::optional<std::string> chat_template(std::string_view name = {}) const;

  private:
    Model(gguf::ModelFiles files, const ModelOptions& options);
    void add_weights();

    gguf::ModelFiles files_;
    gguf::Metadata metadata_;
    std::string architecture_;
    Vocab vocab_;
    WeightTable weights_;
    std::optional<arch::ModelSpec> spec_;
    uint64_t weight_bytes_ = 0;
    uint64_t n_parameters_ = 0;
};

}  // namespace cria
