// Encoders of the code-book types. For a given scale the best entry of a grid is found exactly: the error of
// an entry is the sum of the errors of two parts of it, and a part takes few values (3^4 quadruples, 8^2
// pairs, 3^4 again), so a table of the parts' errors makes each entry one addition.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "quant/interleaved_grids.h"
#include "quant/iq.h"
#include "quant/search.h"

namespace cria::quant {
namespace {

// A grid whose entries are two parts of kWidth elements, each element one of kLevels levels.
template <int kWidth, int kLevels>
class PartGrid {
  public:
    static constexpr int kParts = kLevels == 3 ? 81 : 64;  // kLevels to the power of kWidth

    // entries: a Grid of 2 * kWidth elements.
    PartGrid(const auto& entries, const auto& levels) {
        for (int i = 0; i < kLevels; ++i) levels_[static_cast<size_t>(i)] = static_cast<float>(levels[i]);
        const auto part_of = [&](const auto& entry, size_t first) {
            size_t part = 0;
            for (size_t j = kWidth; j-- > 0;) {
                part = part * kLevels +
                       static_cast<size_t>(std::ranges::find(levels, entry[first + j]) - std::begin(levels));
            }
            return static_cast<uint8_t>(part);
        };
        for (size_t first = 0; first < kParts; ++first) {
            begin_[first] = static_cast<uint16_t>(entries_.size());
            for (size_t i = 0; i < entries.size(); ++i) {
                if (part_of(entries[i], 0) != first) continue;
                entries_.push_back(
                    {.second = part_of(entries[i], kWidth), .index = static_cast<uint16_t>(i)});
            }
        }
        begin_[kParts] = static_cast<uint16_t>(entries_.size());
    }

    struct Found {
        float error = std::numeric_limits<float>::max();
        uint16_t index = 0;
    };

    // The entry nearest to x[2 * kWidth] under weights w when its values are (level + offset) * scale.
    Found nearest(const float* x, const float* w, float scale, float offset = 0) const {
        float errors[2][kParts];
        for (int half = 0; half < 2; ++half)
            fill_errors(x + half * kWidth, w + half * kWidth, scale, offset, errors[half]);
        Found found;
        const float least_second = *std::min_element(errors[1], errors[1] + kParts);
        const auto try_first_part = [&](size_t first) {
            if (errors[0][first] + least_second >= found.error) return;
            for (size_t i = begin_[first]; i < begin_[first + 1]; ++i) {
                const float error = errors[0][first] + errors[1][entries_[i].second];
                if (error < found.error) found = {.error = error, .index = entries_[i].index};
            }
        };
        try_first_part(static_cast<size_t>(std::min_element(errors[0], errors[0] + kParts) - errors[0]));
        for (size_t first = 0; first < kParts; ++first) try_first_part(first);
        return found;
    }

  private:
    void fill_errors(const float* x, const float* w, float scale, float offset, float* errors) const {
        errors[0] = 0;
        int n = 1;
        for (int j = 0; j < kWidth; ++j, n *= kLevels) {
            for (int level = kLevels - 1; level >= 0; --level) {
                const float difference = x[j] - scale * (levels_[static_cast<size_t>(level)] + offset);
                const float error = w[j] * difference * difference;
                for (int i = 0; i < n; ++i) errors[level * n + i] = errors[i] + error;
            }
        }
    }

    // The second part of an entry; entries are sorted by their first.
    struct Entry {
        uint8_t second;
        uint16_t index;
    };
    std::array<float, kLevels> levels_{};
    std::vector<Entry> entries_;
    std::array<uint16_t, kParts + 1> begin_{};  // of the entries with each first part
};

// ---- Magnitudes with signs ----

enum class Signs { free, even };

// Groups of 8 elements, each one entry of eight or two of four.
template <int kEntryWidth, int kLevels>
class SignedGridQuantizer : public SubBlockQuantizer {
  public:
    static constexpr int kEntries = 8 / kEntryWidth;

    SignedGridQuantizer(int n, Signs signs, const auto& grid, const auto& levels)
        : parts_(grid, levels), signs_(signs) {
        for (const auto& entry : grid) {
            auto& copy = grid_.emplace_back();
            for (size_t j = 0; j < kEntryWidth; ++j) copy[j] = static_cast<float>(entry[j]);
        }
        size = n;
        n_codes = n / kEntryWidth;
        largest_value = static_cast<float>(levels[kLevels - 1]);
        trial_reach[0] = 0.4f;
        n_trials = 10;
        is_symmetric = true;
    }

    Match match(const float* x, const float* w, float scale, int, Effort effort,
                Codes& codes) const override {
        Match match;
        for (int g = 0; g < size / 8; ++g) {
            codes.signs[static_cast<size_t>(g)] =
                match_group(x + 8 * g, w + 8 * g, scale, effort, codes.index.data() + kEntries * g);
            for (int j = 0; j < 8; ++j) {
                const float value = grid_[codes.index[static_cast<size_t>(kEntries * g + j / kEntryWidth)]]
                                         [static_cast<size_t>(j % kEntryWidth)];
                match.add(w[8 * g + j], x[8 * g + j],
                          codes.signs[static_cast<size_t>(g)] >> j & 1 ? -value : value);
            }
        }
        return match;
    }

  private:
    using Found = typename PartGrid<kEntryWidth / 2, kLevels>::Found;

    // Returns the signs.
    uint8_t match_group(const float* x, const float* w, float scale, Effort effort, uint16_t* index) const {
        float magnitude[8];
        unsigned signs = 0;
        for (unsigned j = 0; j < 8; ++j) {
            magnitude[j] = std::abs(x[j]);
            signs |= static_cast<unsigned>(x[j] < 0) << j;
        }
        Found found[kEntries];
        for (int i = 0; i < kEntries; ++i) {
            found[i] = parts_.nearest(magnitude + kEntryWidth * i, w + kEntryWidth * i, scale);
            index[i] = found[i].index;
        }
        if (signs_ == Signs::even && std::popcount(signs) % 2 != 0)
            signs ^= turn_one_sign(magnitude, w, scale, effort == Effort::quick ? 1 : 3, found, index);
        return static_cast<uint8_t>(signs);
    }

    // An odd number of minus signs cannot be stored: one element gets the wrong sign, the one for which this
    // costs least among the three with least w |x|. Returns its bit.
    unsigned turn_one_sign(float* magnitude, const float* w, float scale, size_t n_tried, const Found* found,
                           uint16_t* index) const {
        std::array<int, 8> order{0, 1, 2, 3, 4, 5, 6, 7};
        std::ranges::sort(order, {}, [&](int j) { return w[j] * magnitude[j]; });
        float best = std::numeric_limits<float>::max();
        int turned = 0;
        uint16_t turned_index = 0;
        for (int j : std::span(order).first(n_tried)) {
            const int i = j / kEntryWidth;
            magnitude[j] = -magnitude[j];
            const Found other = parts_.nearest(magnitude + kEntryWidth * i, w + kEntryWidth * i, scale);
            magnitude[j] = -magnitude[j];
            if (other.error - found[i].error < best) {
                best = other.error - found[i].error;
                turned = j;
                turned_index = other.index;
            }
        }
        index[turned / kEntryWidth] = turned_index;
        return 1u << turned;
    }

    PartGrid<kEntryWidth / 2, kLevels> parts_;
    std::vector<std::array<float, kEntryWidth>> grid_;
    Signs signs_;
};

// Blocks of 256 in sub-blocks of quantizer.size; scale = d / unit * (1, 3, 5, ...).
void encode_grid(const SubBlockQuantizer& quantizer, const ScaleSet& scales, float unit, const float* x,
                 const float* w, GridFields& f) {
    std::vector<SubBlockFit> fits(static_cast<size_t>(256 / quantizer.size));
    const ScaleStorage storage{.is_half = true, .unit = unit};
    f.d = f32_to_f16(fit_scales(quantizer, scales, storage, x, w, 256 / quantizer.size, fits.data()));
    const auto n_codes = static_cast<size_t>(quantizer.n_codes),
               n_groups = static_cast<size_t>(quantizer.size / 8);
    for (size_t s = 0; s < fits.size(); ++s) {
        f.scale[s] = static_cast<uint8_t>(fits[s].scale_index);
        std::copy_n(fits[s].codes.index.data(), n_codes, f.index + n_codes * s);
        std::copy_n(fits[s].codes.signs.data(), n_groups, f.signs + n_groups * s);
    }
}

const ScaleSet& odd_scales_of_4_bits() {
    static const ScaleSet scales(1, 2, 16);
    return scales;
}
const ScaleSet& odd_scales_of_3_bits() {
    static const ScaleSet scales(1, 2, 8);
    return scales;
}

// ---- -1, 0, 1 plus or minus delta ----

// The side of delta is chosen for the sub-block (as the variant) or for each group of 8 (in Codes::signs).
enum class DeltaChoice { sub_block, group };

class TernaryGridQuantizer : public SubBlockQuantizer {
  public:
    TernaryGridQuantizer(int n, DeltaChoice choice) : parts_(kIq1sGrid, kIq1Levels), choice_(choice) {
        size = n;
        n_codes = n / 8;
        n_variants = choice == DeltaChoice::sub_block ? 2 : 1;
        largest_value = 1;
        trial_reach[0] = 0.7f;
        trial_reach[1] = 4.0f;
        n_trials = 12;
        is_symmetric = true;
    }

    Match match(const float* x, const float* w, float scale, int variant, Effort,
                Codes& codes) const override {
        Match match;
        for (int g = 0; g < size / 8; ++g) {
            auto& downwards = codes.signs[static_cast<size_t>(g)];
            const float *xg = x + 8 * g, *wg = w + 8 * g;
            downwards = static_cast<uint8_t>(variant);
            auto found = parts_.nearest(xg, wg, scale, variant != 0 ? -kIq1Delta : kIq1Delta);
            if (choice_ == DeltaChoice::group) {
                const auto other = parts_.nearest(xg, wg, scale, -kIq1Delta);
                if (other.error < found.error) found = other, downwards = 1;
            }
            codes.index[static_cast<size_t>(g)] = found.index;
            for (size_t j = 0; j < 8; ++j) {
                match.add(wg[j], xg[j],
                          kIq1sGrid[found.index][j] + (downwards != 0 ? -kIq1Delta : kIq1Delta));
            }
        }
        return match;
    }

  private:
    PartGrid<4, 3> parts_;
    DeltaChoice choice_;
};

}  // namespace

void Iq2Xxs::encode_block(const float* x, const float* w, Fields& f) {
    static const SignedGridQuantizer<8, 3> quantizer(32, Signs::even, kIq2xxsGrid, kIq2Levels);
    encode_grid(quantizer, odd_scales_of_4_bits(), 8, x, w, f);
}
void Iq2Xs::encode_block(const float* x, const float* w, Fields& f) {
    static const SignedGridQuantizer<8, 3> quantizer(16, Signs::even, kIq2xsGrid, kIq2Levels);
    encode_grid(quantizer, odd_scales_of_4_bits(), 8, x, w, f);
}
void Iq2S::encode_block(const float* x, const float* w, Fields& f) {
    static const SignedGridQuantizer<8, 3> quantizer(16, Signs::free, kIq2sGrid, kIq2Levels);
    encode_grid(quantizer, odd_scales_of_4_bits(), 8, x, w, f);
}
void Iq3Xxs::encode_block(const float* x, const float* w, Fields& f) {
    static const SignedGridQuantizer<4, 8> quantizer(32, Signs::even, kIq3xxsGrid, kIq3xxsLevels);
    encode_grid(quantizer, odd_scales_of_4_bits(), 4, x, w, f);
}
void Iq3S::encode_block(const float* x, const float* w, Fields& f) {
    static const SignedGridQuantizer<4, 8> quantizer(32, Signs::free, kIq3sGrid, kIq3sLevels);
    encode_grid(quantizer, odd_scales_of_4_bits(), 1, x, w, f);
}

void Iq1S::encode_block(const float* x, const float* w, Fields& f) {
    static const TernaryGridQuantizer quantizer(32, DeltaChoice::sub_block);
    std::array<SubBlockFit, 8> fits;
    f.d = f32_to_f16(fit_scales(quantizer, odd_scales_of_3_bits(), kF16Scale, x, w, 8, fits.data()));
    for (size_t c = 0; c < 8; ++c) {
        f.scale[c] = static_cast<uint8_t>(fits[c].scale_index);
        f.delta[c] = static_cast<uint8_t>(fits[c].variant);
        std::copy_n(fits[c].codes.index.data(), 4, f.index + 4 * c);
    }
}
void Iq1M::encode_block(const float* x, const float* w, Fields& f) {
    static const TernaryGridQuantizer quantizer(16, DeltaChoice::group);
    std::array<SubBlockFit, 16> fits;
    f.d = f32_to_f16(fit_scales(quantizer, odd_scales_of_3_bits(), kF16Scale, x, w, 16, fits.data()));
    for (size_t s = 0; s < 16; ++s) {
        f.scale[s] = static_cast<uint8_t>(fits[s].scale_index);
        std::copy_n(fits[s].codes.signs.data(), 2, f.delta + 2 * s);
        std::copy_n(fits[s].codes.index.data(), 2, f.index + 2 * s);
    }
}

float Iq1SR4::encode_row(const float* x, const float* w, int64_t n, Fields* blocks) {
    static const TernaryGridQuantizer quantizer(32, DeltaChoice::sub_block);
    std::vector<SubBlockFit> fits(static_cast<size_t>(n / 32));
    const float d = fit_scales(quantizer, odd_scales_of_3_bits(), kF16Scale, x, w, n / 32, fits.data());
    for (size_t b = 0; b < fits.size(); ++b) {
        blocks[b].scale = static_cast<uint8_t>(fits[b].scale_index);
        blocks[b].delta = static_cast<uint8_t>(fits[b].variant);
        std::copy_n(fits[b].codes.index.data(), 4, blocks[b].index);
    }
    return d;
}
float Iq1MR4::encode_row(const float* x, const float* w, int64_t n, Fields* blocks) {
    static const TernaryGridQuantizer quantizer(16, DeltaChoice::group);
    static const ScaleSet scales(0, 1, 16);
    std::vector<SubBlockFit> fits(static_cast<size_t>(n / 16));
    const float d = fit_scales(quantizer, scales, kF16Scale, x, w, n / 16, fits.data());
    for (size_t s = 0; s < fits.size(); ++s) {
        Fields& f = blocks[s / 2];
        f.scale[s % 2] = static_cast<uint8_t>(fits[s].scale_index);
        std::copy_n(fits[s].codes.signs.data(), 2, f.delta + 2 * (s % 2));
        std::copy_n(fits[s].codes.index.data(), 2, f.index + 2 * (s % 2));
    }
    return d;
}

}  // namespace cria::quant
