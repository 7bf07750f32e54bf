// The weights of a model by name.
#pragma once

#include <deque>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "tensor/weight.h"

namespace cria {

// Weights stay where they are (pointers remain valid) as long as the table lives. Filled by one thread; const
// calls are thread-safe.
class WeightTable {
  public:
    // Throws Error{invalid_file} for a name that is there already.
    const Weight& add(Weight weight) {
        const Weight& stored = weights_.emplace_back(std::move(weight));
        if (!index_.emplace(stored.name, &stored).second) {
            fail(ErrorCode::invalid_file, "tensor '{}' occurs twice", stored.name);
        }
        return stored;
    }
    // Null when there is none.
    const Weight* find(std::string_view name) const {
        const auto found = index_.find(name);
        return found == index_.end() ? nullptr : found->second;
    }
    // In the order they were added.
    const std::deque<Weight>& all() const { return weights_; }

  private:
    std::deque<Weight> weights_;
    std::unordered_map<std::string_view, const Weight*> index_;
};

}  // namespace cria
