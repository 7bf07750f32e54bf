// The list of integer decoders, gathered from the families.
#include "backend/cpu/int_decoder.h"

#include <algorithm>

#include "backend/cpu/int_decoder_families.h"

namespace cria::cpu {

IntDecoder int_decoder(ElementType type) {
    for (const auto& family : {legacy_int_decoders(), k_quant_int_decoders()}) {
        const auto at = std::ranges::find(family, type, &IntDecoderRow::type);
        if (at != family.end()) return at->decoder;
    }
    return {};
}

void decode_ints(const TypeInfo& type, const IntDecoder& decoder, const IntSource& source,
                 const IntSpan& out) {
    const auto* header = reinterpret_cast<const uint8_t*>(source.rows);
    const int64_t block_bytes = int64_t(type.block_bytes) * type.group_rows;
    const uint8_t* block = header + int64_t(type.row_header_bytes) * type.group_rows +
                           source.first / type.block_elements * block_bytes;
    for (int64_t at = 0; at < source.count; at += type.block_elements, block += block_bytes) {
        const int64_t group = at / decoder.group;
        decoder.decode_block(header, block, source.k,
                             {.q = out.q + at, .scales = out.scales + group, .offsets = out.offsets + group});
    }
}

}  // namespace cria::cpu
