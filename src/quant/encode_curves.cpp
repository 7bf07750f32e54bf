// Encoders of formats whose elements are single values on a line or curve, under one scale or two levels of
// them.
#include <algorithm>
#include <bit>
#include <limits>

#include "quant/iq.h"
#include "quant/iqk.h"
#include "quant/k_quants.h"
#include "quant/legacy.h"
#include "quant/search.h"

namespace cria::quant {
namespace {

// ---- Blocks of 32 under one scale ----

void encode_32(const CurveQuantizer& quantizer, const float* x, const float* w, Fields32& f) {
    Codes codes;
    f.d = f32_to_f16(fit_one_scale(quantizer, kF16Scale, x, w, codes));
    for (size_t e = 0; e < 32; ++e) f.q[e] = static_cast<uint8_t>(codes.index[e]);
}

// ---- Two levels of scales ----

// Fits blocks of 256 that share d and stores their fields; scale_code turns an index of the scale set into
// the stored code.
float encode_two_level(const SubBlockQuantizer& quantizer, const ScaleSet& scales, ScaleStorage storage,
                       const float* x, const float* w, int64_t n, KFields* blocks, auto scale_code) {
    std::vector<SubBlockFit> fits(static_cast<size_t>(n / quantizer.size));
    const float d = fit_scales(quantizer, scales, storage, x, w, n / quantizer.size, fits.data());
    const auto per_block = static_cast<size_t>(256 / quantizer.size);
    for (size_t i = 0; i < fits.size(); ++i) {
        KFields& f = blocks[i / per_block];
        const size_t s = i % per_block;
        f.scale[s] = static_cast<uint8_t>(scale_code(fits[i].scale_index));
        f.min[s] = static_cast<uint8_t>(fits[i].variant);
        const auto n_codes = static_cast<size_t>(quantizer.n_codes);
        for (size_t e = 0; e < n_codes; ++e)
            f.q[s * n_codes + e] = static_cast<uint8_t>(fits[i].codes.index[e]);
    }
    return d;
}

int same_code(int index) { return index; }

void encode_256(const SubBlockQuantizer& quantizer, const ScaleSet& scales, const float* x, const float* w,
                KFields& f, auto scale_code) {
    f.d = f32_to_f16(encode_two_level(quantizer, scales, kF16Scale, x, w, 256, &f, scale_code));
}

// The two halves of a table as curves.
template <size_t kSize>
std::vector<Curve> two_curves(const int8_t (&table)[kSize]) {
    return {Curve::of(std::span(table).first(kSize / 2)), Curve::of(std::span(table).last(kSize / 2))};
}

Curve iq6_curve(int x) {
    std::vector<float> values;
    for (int q = 0; q < 64; ++q) values.push_back(Iq6K::curve()(x, q));
    return Curve(values);
}

// IQ4_KSS: of the four nibbles that share a word an even number of bits is set.
class EvenNibbles : public CurveQuantizer {
  public:
    EvenNibbles() : CurveQuantizer(32, two_curves(kIq4k)) {}

    Match match(const float* x, const float* w, float scale, int variant, Effort effort,
                Codes& codes) const override {
        const Curve& curve = curves_[static_cast<size_t>(variant)];
        CurveQuantizer::match(x, w, scale, variant, effort, codes);
        for (size_t p = 0; p < 16; p += 2) make_even(curve, x, w, scale, {p, p + 1, p + 16, p + 17}, codes);
        Match match;
        for (size_t e = 0; e < 32; ++e) match.add(w[e], x[e], curve[codes.index[e]]);
        return match;
    }

  private:
    // Changes the one element for which that costs least, if need be.
    static void make_even(const Curve& curve, const float* x, const float* w, float scale,
                          std::array<size_t, 4> members, Codes& codes) {
        unsigned parity = 0;
        for (size_t e : members) parity += static_cast<unsigned>(std::popcount(codes.index[e]));
        if (parity % 2 == 0) return;
        float best = std::numeric_limits<float>::max();
        size_t changed = 0;
        uint16_t code = 0;
        for (size_t e : members) {
            const auto error = [&](int c) {
                return w[e] * (x[e] - scale * curve[c]) * (x[e] - scale * curve[c]);
            };
            for (int c = std::max(codes.index[e] - 3, 0); c <= std::min(codes.index[e] + 3, 15); ++c) {
                if ((std::popcount(static_cast<unsigned>(c)) + std::popcount(codes.index[e])) % 2 == 0)
                    continue;
                const float cost = error(c) - error(codes.index[e]);
                if (cost < best) best = cost, changed = e, code = static_cast<uint16_t>(c);
            }
        }
        codes.index[changed] = code;
    }
};

// IQ2_KL: a code stands for two elements.
class PairQuantizer : public SubBlockQuantizer {
  public:
    PairQuantizer() {
        n_codes = 16;
        largest_value = 63;
        trial_reach[0] = 0.5f;
    }

    Match match(const float* x, const float* w, float scale, int, Effort, Codes& codes) const override {
        Match match;
        for (size_t p = 0; p < 16; ++p) {
            const float *xp = x + 2 * p, *wp = w + 2 * p;
            float best = std::numeric_limits<float>::max();
            for (size_t code = 0; code < 32; ++code) {
                const float a = xp[0] - scale * kIq2klPairs[code][0],
                            b = xp[1] - scale * kIq2klPairs[code][1];
                const float error = wp[0] * a * a + wp[1] * b * b;
                if (error < best) best = error, codes.index[p] = static_cast<uint16_t>(code);
            }
            for (size_t j = 0; j < 2; ++j) match.add(wp[j], xp[j], kIq2klPairs[codes.index[p]][j]);
        }
        return match;
    }
};

const ScaleSet& scales_of_6_bits() {
    static const ScaleSet scales(-32, 1, 64);
    return scales;
}
const ScaleSet& scales_of_8_bits() {
    static const ScaleSet scales(-128, 1, 256);
    return scales;
}
const ScaleSet& scales_of_5_bits() {
    static const ScaleSet scales(-16, 1, 32);
    return scales;
}
const ScaleSet& odd_scales() {
    static const ScaleSet scales(-127, 2, 128);
    return scales;
}

}  // namespace

void Q4_0::encode_block(const float* x, const float* w, Fields& f) {
    static const CurveQuantizer quantizer(32, {Curve::line(-8, 7)});
    encode_32(quantizer, x, w, f);
}
void Q5_0::encode_block(const float* x, const float* w, Fields& f) {
    static const CurveQuantizer quantizer(32, {Curve::line(-16, 15)});
    encode_32(quantizer, x, w, f);
}
void Q6_0::encode_block(const float* x, const float* w, Fields& f) {
    static const CurveQuantizer quantizer(32, {Curve::line(-32, 31)});
    encode_32(quantizer, x, w, f);
}
void Iq4Nl::encode_block(const float* x, const float* w, Fields& f) {
    static const CurveQuantizer quantizer(32, {Curve::of(std::span(kIq4k).first(16))});
    encode_32(quantizer, x, w, f);
}

void Q3_K::encode_block(const float* x, const float* w, Fields& f) {
    static const CurveQuantizer quantizer(16, {Curve::line(-4, 3)});
    encode_256(quantizer, scales_of_6_bits(), x, w, f, same_code);
}
void Q6_K::encode_block(const float* x, const float* w, Fields& f) {
    static const CurveQuantizer quantizer(16, {Curve::line(-32, 31)});
    encode_256(quantizer, scales_of_8_bits(), x, w, f, [](int index) { return index - 128; });
}
void Iq4Xs::encode_block(const float* x, const float* w, Fields& f) {
    static const CurveQuantizer quantizer(32, {Curve::of(std::span(kIq4k).first(16))});
    encode_256(quantizer, scales_of_6_bits(), x, w, f, same_code);
}

void Iq2K::encode_block(const float* x, const float* w, Fields& f) {
    static const CurveQuantizer quantizer(16, two_curves(kIq2nl));
    static const ScaleSet scales(-8, 1, 16);
    encode_256(quantizer, scales, x, w, f, same_code);
}
void Iq3K::encode_block(const float* x, const float* w, Fields& f) {
    static const CurveQuantizer quantizer(16, two_curves(kIq3nl));
    static const ScaleSet scales(-31, 2, 32);
    // Index 16 is scale 1, index 15 is -1: magnitudes count away from the middle.
    encode_256(quantizer, scales, x, w, f,
               [](int index) { return index >= 16 ? index - 16 : 16 + (15 - index); });
}
void Iq4K::encode_block(const float* x, const float* w, Fields& f) {
    static const CurveQuantizer quantizer(16, two_curves(kIq4k));
    encode_256(quantizer, scales_of_6_bits(), x, w, f, same_code);
}
void Iq5K::encode_block(const float* x, const float* w, Fields& f) {
    static const CurveQuantizer quantizer(16, two_curves(kIq5nl));
    encode_256(quantizer, scales_of_6_bits(), x, w, f, same_code);
}
void Iq6K::encode_block(const float* x, const float* w, Fields& f) {
    static const CurveQuantizer quantizer(16, {iq6_curve(0), iq6_curve(1)});
    encode_256(quantizer, scales_of_8_bits(), x, w, f, [](int index) { return index - 128; });
}

float Iq2Ks::encode_row(const float* x, const float* w, int64_t n, Fields* blocks) {
    static const CurveQuantizer quantizer(32, two_curves(kIq2nl));
    return encode_two_level(quantizer, scales_of_5_bits(), kF16Scale, x, w, n, blocks, same_code);
}
float Iq3Ks::encode_row(const float* x, const float* w, int64_t n, Fields* blocks) {
    static const CurveQuantizer quantizer(32, two_curves(kIq3nl));
    return encode_two_level(quantizer, scales_of_5_bits(), kF16Scale, x, w, n, blocks, same_code);
}
float Iq4Ks::encode_row(const float* x, const float* w, int64_t n, Fields* blocks) {
    static const CurveQuantizer quantizer(32, two_curves(kIq4k));
    return encode_two_level(quantizer, odd_scales(), kF32Scale, x, w, n, blocks, same_code);
}
float Iq5Ks::encode_row(const float* x, const float* w, int64_t n, Fields* blocks) {
    static const CurveQuantizer quantizer(32, two_curves(kIq5nl));
    return encode_two_level(quantizer, odd_scales(), kF32Scale, x, w, n, blocks, same_code);
}
float Iq4Kss::encode_row(const float* x, const float* w, int64_t n, Fields* blocks) {
    static const EvenNibbles quantizer;
    return encode_two_level(quantizer, odd_scales(), kF32Scale, x, w, n, blocks, same_code);
}
float Iq2Kl::encode_row(const float* x, const float* w, int64_t n, Fields* blocks) {
    static const PairQuantizer quantizer;
    return encode_two_level(quantizer, scales_of_6_bits(), kF16Scale, x, w, n, blocks, same_code);
}

}  // namespace cria::quant
