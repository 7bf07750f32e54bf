// Encoders of the trellis types. Since every group starts its own generator, a code is just an entry of a
// large code book, and the nearest one is found with a tree of boxes.
#include <cmath>

#include "quant/nearest.h"
#include "quant/search.h"
#include "quant/trellis.h"

namespace cria::quant {
namespace {

enum class Values { as_generated, magnitudes };

// The values of all codes of one start offset.
template <int kGroup>
std::vector<std::array<float, kGroup>> trellis_points(uint32_t n_starts, uint32_t offset, Values values) {
    std::vector<std::array<float, kGroup>> points(n_starts);
    for (uint32_t code = 0; code < n_starts; ++code) {
        TrellisGenerator generator(code + offset);
        for (float& value : points[code]) {
            value = static_cast<float>(generator.next());
            if (values == Values::magnitudes) value = std::abs(value);
        }
    }
    return points;
}

// One code book per variant; groups of kGroup elements of a sub-block of 32.
template <int kGroup>
class TrellisQuantizer : public SubBlockQuantizer {
  public:
    TrellisQuantizer(uint32_t n_starts, std::vector<uint32_t> offsets, Values values) : values_(values) {
        for (uint32_t offset : offsets) {
            books_.push_back(trellis_points<kGroup>(n_starts, offset, values));
            trees_.emplace_back(books_.back());
        }
        n_codes = 32 / kGroup;
        n_variants = static_cast<int>(offsets.size());
        largest_value = 126;
        trial_reach[0] = 0.4f;
        trial_reach[1] = 1.15f;
        n_trials = 12;
        is_symmetric = kGroup == 8;
    }

    // Codes::signs are those of the elements when the values are magnitudes.
    Match match(const float* x, const float* w, float scale, int variant, Effort effort,
                Codes& codes) const override {
        const float inverse = inverse_of(scale);
        Match match;
        codes.signs = {};
        for (int g = 0; g < 32 / kGroup; ++g) {
            std::array<float, kGroup> target;
            for (size_t j = 0; j < kGroup; ++j) {
                const size_t e = static_cast<size_t>(kGroup * g) + j;
                target[j] = x[e] * inverse;
                if (values_ == Values::magnitudes && x[e] < 0) {
                    target[j] = -target[j];
                    codes.signs[e / 8] = static_cast<uint8_t>(codes.signs[e / 8] | 1u << e % 8);
                }
            }
            const uint16_t code = trees_[static_cast<size_t>(variant)].find(
                target, w + kGroup * g, effort == Effort::quick ? 4.0f : 1.5f);
            codes.index[static_cast<size_t>(g)] = code;
            for (size_t j = 0; j < kGroup; ++j) {
                match.add(w[static_cast<size_t>(kGroup * g) + j], target[j] * scale,
                          books_[static_cast<size_t>(variant)][code][j]);
            }
        }
        return match;
    }

  private:
    std::vector<std::vector<std::array<float, kGroup>>> books_;
    std::vector<NearestPoint<kGroup>> trees_;
    Values values_;
};

template <int kGroup>
float encode_trellis(const TrellisQuantizer<kGroup>& quantizer, const ScaleSet& scales, const float* x,
                     const float* w, int64_t n, TrellisFields* blocks, auto store_choice) {
    std::vector<SubBlockFit> fits(static_cast<size_t>(n / 32));
    const float d = fit_scales(quantizer, scales, kF32Scale, x, w, n / 32, fits.data());
    for (size_t i = 0; i < fits.size(); ++i) {
        TrellisFields& f = blocks[i / 8];
        const size_t c = i % 8;
        f.scale[c] = static_cast<uint8_t>(fits[i].scale_index);
        for (size_t g = 0; g < 32 / kGroup; ++g) f.code[32 / kGroup * c + g] = fits[i].codes.index[g];
        store_choice(fits[i], c, f);
    }
    return d;
}

const ScaleSet& curve_scales() {
    static const ScaleSet scales{std::span<const int8_t>(kIq4k, 16)};
    return scales;
}

}  // namespace

float Iq2Kt::encode_row(const float* x, const float* w, int64_t n, Fields* blocks) {
    static const TrellisQuantizer<8> quantizer(65536, {kTrellisFirst}, Values::as_generated);
    return encode_trellis(quantizer, curve_scales(), x, w, n, blocks,
                          [](const SubBlockFit&, size_t, Fields&) {});
}

float Iq1Kt::encode_row(const float* x, const float* w, int64_t n, Fields* blocks) {
    static const TrellisQuantizer<8> quantizer(8192, {kTrellisFirst}, Values::as_generated);
    return encode_trellis(quantizer, curve_scales(), x, w, n, blocks,
                          [](const SubBlockFit&, size_t, Fields&) {});
}

float Iq3Kt::encode_row(const float* x, const float* w, int64_t n, Fields* blocks) {
    static const TrellisQuantizer<8> quantizer(65536, {kTrellisFirst}, Values::magnitudes);
    static const ScaleSet scales(0, 1, 16);
    return encode_trellis(quantizer, scales, x, w, n, blocks,
                          [](const SubBlockFit& fit, size_t c, Fields& f) {
                              for (size_t e = 0; e < 32; ++e)
                                  f.flag[32 * c + e] = fit.codes.signs[e / 8] >> e % 8 & 1;
                          });
}

float Iq4Kt::encode_row(const float* x, const float* w, int64_t n, Fields* blocks) {
    static const TrellisQuantizer<4> quantizer(32768, {kTrellisFirst, kTrellisFirst + kTrellisSecondHalf},
                                               Values::as_generated);
    static const ScaleSet scales(-64, 1, 128);
    return encode_trellis(
        quantizer, scales, x, w, n, blocks,
        [](const SubBlockFit& fit, size_t c, Fields& f) { f.flag[c] = static_cast<uint8_t>(fit.variant); });
}

}  // namespace cria::quant
