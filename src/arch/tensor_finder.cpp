// Tensor look-up with a list of complaints.
#include "arch/tensor_finder.h"

#include <array>

#include "base/error.h"

namespace cria::arch {
namespace {

std::string shape_text(const std::array<int64_t, 4>& dims) {
    int n = 4;
    while (n > 1 && dims[static_cast<size_t>(n - 1)] == 1) --n;
    std::string text = "[";
    for (int i = 0; i < n; ++i) text += (i == 0 ? "" : ", ") + std::to_string(dims[static_cast<size_t>(i)]);
    return text + "]";
}

// A damaged file can miss thousands of tensors; people read a dozen.
constexpr size_t kMaxListed = 12;

std::string join(const std::vector<std::string>& items, const char* separator) {
    std::string text;
    for (size_t i = 0; i < items.size() && i < kMaxListed; ++i) text += (i == 0 ? "" : separator) + items[i];
    if (items.size() > kMaxListed) text += fmt::format("{}and {} more", separator, items.size() - kMaxListed);
    return text;
}

}  // namespace

const Weight* TensorFinder::find(const std::string& name, std::initializer_list<int64_t> dims,
                                 Presence presence) {
    if (presence == Presence::never) return nullptr;
    const Weight* weight = weights_.find(name);
    if (weight == nullptr) {
        if (presence == Presence::required) missing_.push_back(name);
        return nullptr;
    }
    std::array<int64_t, 4> wanted{1, 1, 1, 1};
    std::copy(dims.begin(), dims.end(), wanted.begin());
    if (weight->dims != wanted) {
        note(fmt::format("'{}' has shape {}, expected {}", name, shape_text(weight->dims),
                         shape_text(wanted)));
        return nullptr;
    }
    if (weight->type->is_integer) {
        note(fmt::format("'{}' has type {}, expected floats or a quantised type", name, weight->type->name));
        return nullptr;
    }
    return weight;
}

LinearPart TensorFinder::part(std::string_view name, int64_t in, int64_t out, Presence bias_presence,
                              Presence presence) {
    LinearPart part;
    part.weight = weight(name, {in, out}, presence);
    if (part.weight == nullptr) return part;
    part.bias = bias(name, {out}, bias_presence);
    if (const Weight* scale = find(prefix_ + std::string(name) + ".scale", {1}, Presence::optional))
        decode_weight(*scale, &part.scale);
    return part;
}

LinearPart TensorFinder::expert_part(std::string_view name, int64_t in, int64_t out, int64_t n_experts) {
    LinearPart part;
    part.weight = weight(name, {in, out, n_experts});
    part.bias = bias(name, {out, n_experts}, Presence::optional);
    return part;
}

NormWeights TensorFinder::norm(std::string_view name, int64_t width, Presence presence,
                               Presence bias_presence) {
    NormWeights norm;
    norm.weight = weight(name, {width}, presence);
    if (norm.weight != nullptr) norm.bias = bias(name, {width}, bias_presence);
    return norm;
}

NormWeights TensorFinder::head_norm(std::string_view name, int64_t head_dim, int64_t n_heads,
                                    Presence presence, Presence bias_presence) {
    const Weight* stored = any_shape(name);
    if (stored != nullptr && stored->dims[1] != 1)
        return {weight(name, {head_dim, n_heads}, presence), nullptr};
    return norm(name, head_dim, presence, bias_presence);
}

LinearPart TensorFinder::range(const LinearPart& part, int64_t first, int64_t count) {
    LinearPart result = part;
    if (part.weight == nullptr) return result;
    result.weight = &ranges_.emplace_back(row_range(*part.weight, first, count));
    if (part.bias != nullptr) result.bias = &ranges_.emplace_back(row_range(*part.bias, first, count));
    return result;
}

void TensorFinder::report(std::string_view architecture) const {
    if (missing_.empty() && problems_.empty()) return;
    std::string text = fmt::format("this is no complete {} model: ", architecture);
    if (!missing_.empty())
        text += fmt::format("{} tensor{} missing: {}", missing_.size(),
                            missing_.size() == 1 ? " is" : "s are", join(missing_, ", "));
    if (!problems_.empty()) text += (missing_.empty() ? "" : "; ") + join(problems_, "; ");
    fail(ErrorCode::invalid_file, "{}", text);
}

}  // namespace cria::arch
