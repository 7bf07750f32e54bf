// The one list of element types, gathered from the families, and the sizes that follow from it.
#include "quant/types.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/checked.h"
#include "base/error.h"
#include "quant/families.h"

namespace cria {
namespace {

// The largest size of a row or tensor: far above any file, and sums of a few of them still fit int64_t.
constexpr uint64_t kMaxBytes = uint64_t(1) << 62;

std::vector<const TypeInfo*> gather_types() {
    std::vector<const TypeInfo*> types;
    for (auto family :
         {quant::float_types, quant::legacy_types, quant::k_quant_types, quant::iq_types, quant::iqk_types,
          quant::trellis_types, quant::ternary_types, quant::interleaved_types}) {
        for (const TypeInfo& info : family()) types.push_back(&info);
    }
    std::ranges::sort(types, {}, [](const TypeInfo* info) { return info->type; });
    return types;
}

const std::vector<const TypeInfo*>& sorted_types() {
    static const std::vector<const TypeInfo*> types = gather_types();
    return types;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(
        a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// I2_S is one array of 2-bit codes for the whole tensor, then one f32 scale and 28 unused bytes.
std::optional<uint64_t> i2_s_bytes(uint64_t n_elements) {
    if (n_elements % 128 != 0) return std::nullopt;
    return checked_add<uint64_t>(n_elements / 4, 32);
}

}  // namespace

const TypeInfo* find_type(int32_t id) {
    const auto& types = sorted_types();
    const auto at = std::ranges::lower_bound(types, static_cast<ElementType>(id), {},
                                             [](const TypeInfo* info) { return info->type; });
    return at != types.end() && (*at)->type == static_cast<ElementType>(id) ? *at : nullptr;
}

const TypeInfo& type_info(ElementType type) {
    const TypeInfo* info = find_type(static_cast<int32_t>(type));
    CRIA_BUG_UNLESS(info != nullptr);
    return *info;
}

const TypeInfo* find_type(std::string_view name) {
    for (const TypeInfo* info : sorted_types()) {
        if (equal_ignoring_case(info->name, name)) return info;
    }
    return nullptr;
}

std::span<const TypeInfo* const> all_types() { return sorted_types(); }

int64_t row_bytes(const TypeInfo& type, int64_t row_length) {
    CRIA_BUG_UNLESS(row_length >= 0 && row_length % type.block_elements == 0);
    const auto blocks = checked_mul<int64_t>(row_length / type.block_elements, type.block_bytes);
    CRIA_BUG_UNLESS(blocks.has_value() && *blocks < static_cast<int64_t>(kMaxBytes));
    return type.row_header_bytes + *blocks;
}

std::optional<uint64_t> tensor_bytes(const TypeInfo& type, uint64_t row_length, uint64_t n_rows) {
    std::optional<uint64_t> bytes;
    if (type.type == ElementType::i2_s) {
        const auto n_elements = checked_mul(row_length, n_rows);
        bytes = n_elements ? i2_s_bytes(*n_elements) : std::nullopt;
    } else {
        if (row_length % type.block_elements != 0 || n_rows % type.group_rows != 0) return std::nullopt;
        const auto blocks = checked_mul<uint64_t>(row_length / type.block_elements, type.block_bytes);
        const auto row = blocks ? checked_add<uint64_t>(*blocks, type.row_header_bytes) : std::nullopt;
        bytes = row ? checked_mul(*row, n_rows) : std::nullopt;
    }
    return bytes && *bytes < kMaxBytes ? bytes : std::nullopt;
}

}  // namespace cria
