// Looks tensors up by name and shape, and remembers what was wrong, so that a damaged model is reported in
// one go.
#pragma once

#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

#include "arch/spec.h"
#include "tensor/weight_table.h"

namespace cria::arch {

// Names are as in the file without ".weight"/".bias"; prefix is "" or "blk.N.".
class TensorFinder {
  public:
    TensorFinder(const WeightTable& weights, std::deque<Weight>& ranges)
        : weights_(weights), ranges_(ranges) {}

    void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }

    // The tensor NAME.weight with these dimensions (trailing ones may be left out), or null when it is absent
    // and may be. A missing or misshapen tensor is noted, null returned.
    const Weight* weight(std::string_view name, std::initializer_list<int64_t> dims,
                         Presence presence = Presence::required) {
        return find(prefix_ + std::string(name) + ".weight", dims, presence);
    }
    const Weight* bias(std::string_view name, std::initializer_list<int64_t> dims, Presence presence) {
        return find(prefix_ + std::string(name) + ".bias", dims, presence);
    }
    // Weight, bias [out] and, where the file has one (BitNet), a scale [1].
    LinearPart part(std::string_view name, int64_t in, int64_t out, Presence bias_presence,
                    Presence presence = Presence::required);
    // One matrix and one bias row per expert.
    LinearPart expert_part(std::string_view name, int64_t in, int64_t out, int64_t n_experts);
    NormWeights norm(std::string_view name, int64_t width, Presence presence, Presence bias_presence);
    // Per-head norms may be stored as [head_dim] or [head_dim, n_heads].
    NormWeights head_norm(std::string_view name, int64_t head_dim, int64_t n_heads, Presence presence,
                          Presence bias_presence);
    // Rows of a part as a part of its own.
    LinearPart range(const LinearPart& part, int64_t first, int64_t count);
    bool exists(std::string_view name) const {
        return weights_.find(prefix_ + std::string(name) + ".weight") != nullptr;
    }
    const Weight* any_shape(std::string_view name) const {
        return weights_.find(prefix_ + std::string(name) + ".weight");
    }
    void note(std::string problem) { problems_.push_back(std::move(problem)); }

    // Throws Error{invalid_file} with everything noted, if anything was.
    void report(std::string_view architecture) const;

  private:
    const Weight* find(const std::string& name, std::initializer_list<int64_t> dims, Presence presence);

    const WeightTable& weights_;
    std::deque<Weight>& ranges_;
    std::string prefix_;
    std::vector<std::string> missing_;
    std::vector<std::string> problems_;
};

}  // namespace cria::arch
