// Search for scales and codes that keep the weighted squared error small; shared by the encoders. Private to
// src/quant.
//
// Nearly all formats are y = (d * scale of the sub-block) * value(code): a number d, small integers, and a
// set of values. What the values are is a SubBlockQuantizer; fit_scales finds the rest:
//   1. For each sub-block alone: real scales that suit it, found from trial scales by "assign codes, solve
//   for the scale".
//      Near such a scale s the error is E + vv (s' - s)^2, so what a given d costs can be told without
//      assigning codes.
//   2. A fine grid of d under that approximation; the best few are tried in earnest.
//   3. For a given d: each sub-block takes the integer scale and codes with the least true error; d is solved
//   for again; repeat.
// All steps are deterministic.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace cria::quant {

// Codes of up to 32 elements: per element, or per group with signs (or other choices of the group) apart.
struct Codes {
    std::array<uint16_t, 32> index{};
    std::array<uint8_t, 4> signs{};
};

// What a choice of codes is worth: the error at scale s is sum(w x x) - 2 s xv + s s vv.
struct Match {
    float xv = 0;  // sum of w * x * value
    float vv = 0;  // sum of w * value * value

    void add(float w, float x, float value) {
        xv += w * x * value;
        vv += w * value * value;
    }
    float best_scale() const { return vv > 0 ? xv / vv : 0.0f; }
    // Error relative to that of all zeros.
    float error_at(float scale) const { return scale * (scale * vv - 2 * xv); }
};

// 1 / scale, or 0 for scales so small that every element is nearest to zero.
inline float inverse_of(float scale) { return scale > 1e-20f || scale < -1e-20f ? 1 / scale : 0.0f; }

// Quick: to compare scales. Careful: for codes that are kept.
enum class Effort { quick, careful };

class SubBlockQuantizer {
  public:
    virtual ~SubBlockQuantizer() = default;

    // The codes whose values times `scale` are nearest to x[size]; nearly the nearest when the effort is
    // quick. scale may be 0.
    virtual Match match(const float* x, const float* w, float scale, int variant, Effort effort,
                        Codes& codes) const = 0;

    // Elements and codes of a sub-block, at most 32, and the number of value sets to choose from.
    int size = 32;
    int n_codes = 32;
    int n_variants = 1;
    // Values of largest magnitude; trial scales bring the largest element to `trial_reach` (smallest,
    // largest) times this value.
    float largest_value = 1;
    float trial_reach[2] = {0.5f, 1.15f};
    int n_trials = 16;
    // Whether -values are also (nearly) values: then negative scales are not tried.
    bool is_symmetric = false;
};

// The integers that may scale a sub-block, ascending, within -128..127, and how d is stored.
class ScaleSet {
  public:
    // first, first + step, ... (count of them)
    ScaleSet(int first, int step, int count);
    explicit ScaleSet(std::span<const int8_t> ascending);

    int operator[](int index) const { return values_[static_cast<size_t>(index)]; }
    int count() const { return static_cast<int>(values_.size()); }
    // Index of the greatest scale <= ratio, or 0.
    int at_or_below(float ratio) const;
    int nearest(float ratio) const;
    int largest_magnitude() const;

  private:
    std::vector<int> values_;
    std::array<uint8_t, 256> below_{};
};

// What was chosen for a sub-block.
struct SubBlockFit {
    int scale_index = 0;
    int variant = 0;
    Codes codes;
};

// How d is stored: rounded to f16 or as it is; the stored number is `unit` times d.
struct ScaleStorage {
    bool is_half = true;
    float unit = 1;
};
inline constexpr ScaleStorage kF16Scale{.is_half = true};
inline constexpr ScaleStorage kF32Scale{.is_half = false};

// Fits n_sub consecutive sub-blocks that share one d, which is returned as it will be stored (and later
// read).
float fit_scales(const SubBlockQuantizer& quantizer, const ScaleSet& scales, ScaleStorage storage,
                 const float* x, const float* w, int64_t n_sub, SubBlockFit* out);

// One block under a scale of its own: codes and the scale as it will be stored.
float fit_one_scale(const SubBlockQuantizer& quantizer, ScaleStorage storage, const float* x, const float* w,
                    Codes& codes);

// Nearest of at most 64 ascending values within -128..127.
class Curve {
  public:
    explicit Curve(std::span<const float> ascending);
    static Curve of(std::span<const int8_t> ascending);
    static Curve line(int first, int last);

    float operator[](int code) const { return values_[static_cast<size_t>(code)]; }
    int count() const { return count_; }
    int nearest(float v) const {
        const float within = v < -127.5f ? -127.5f : v > 127.5f ? 127.5f : v;
        const auto guess = guess_[static_cast<size_t>(static_cast<int>(2 * within + 256))];
        return guess + (within > middle_[guess]);
    }

  private:
    int count_ = 0;
    std::array<float, 64> values_{};
    std::array<float, 64> middle_{};    // between value i and i + 1; beyond reach after the last
    std::array<uint8_t, 512> guess_{};  // for [i / 2 - 128, +0.5): the code nearest to its lower end
};

// Values of single elements on one of several curves.
class CurveQuantizer : public SubBlockQuantizer {
  public:
    CurveQuantizer(int n, std::vector<Curve> curves);
    Match match(const float* x, const float* w, float scale, int variant, Effort effort,
                Codes& codes) const override;

  protected:
    std::vector<Curve> curves_;
};

}  // namespace cria::quant
