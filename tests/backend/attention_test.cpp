// Attention of every instruction set against the formula in double over the decoded keys and values, and
// against itself: the same result for one query alone and in any tile.
#include "backend/cpu/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "quant/types.h"

namespace cria::cpu {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// One layer's cache with scattered cells, one sequence in it, and queries at its end.
struct Situation {
    AttentionParams params{.n_heads = 4, .kv_heads = 2, .k_dim = 64, .v_dim = 64};
    std::string k_type = "f16";
    std::string v_type = "f16";
    int32_t n_cells = 100;  // of the sequence
    int32_t n_queries = 5;  // the last positions
    bool has_sinks = false;
    bool is_causal = true;
};

class Scene {
  public:
    explicit Scene(const Situation& setup, uint32_t seed = 1) : setup_(setup), random_(seed) {
        setup_.params.scale = 1.0f / std::sqrt(static_cast<float>(p().k_dim));
        const int32_t n_places = setup.n_cells + setup.n_cells / 2 + 7;
        std::vector<int32_t> places(static_cast<size_t>(n_places));
        std::iota(places.begin(), places.end(), 0);
        std::ranges::shuffle(places, random_);
        cells_.assign(places.begin(), places.begin() + setup.n_cells);
        for (int32_t i = 0; i < setup.n_cells; ++i) positions_.push_back(3 + i + i / 40);
        sequence_ = {.cells = cells_, .positions = positions_};
        kv_.k_type = find_type(setup.k_type);
        kv_.v_type = find_type(setup.v_type);
        kv_.k_width = int64_t(p().kv_heads) * p().k_dim;
        kv_.v_width = int64_t(p().kv_heads) * p().v_dim;
        kv_.k_row_bytes = row_bytes(*kv_.k_type, kv_.k_width);
        kv_.v_row_bytes = row_bytes(*kv_.v_type, kv_.v_width);
        fill(*kv_.k_type, kv_.k_width, n_places, k_bytes_, k_);
        fill(*kv_.v_type, kv_.v_width, n_places, v_bytes_, v_);
        kv_.k = k_bytes_.data();
        kv_.v = v_bytes_.data();
        q_ = normal_row(int64_t(setup.n_queries) * p().n_heads * p().k_dim);
        for (int32_t i = 0; i < setup.n_queries; ++i) {
            const auto entry = static_cast<size_t>(std::max(0, setup.n_cells - setup.n_queries + i));
            query_positions_.push_back(positions_[entry]);
            visible_.push_back(visible_range(p(), setup.is_causal, sequence_, positions_[entry]));
        }
        for (int32_t h = 0; h < p().n_heads; ++h) {
            slopes_.push_back(0.05f / static_cast<float>(h + 1));
            sinks_.push_back(0.3f * static_cast<float>(h) - 1.0f);
        }
    }

    const AttentionParams& p() const { return setup_.params; }
    int32_t heads() const { return p().n_heads / p().kv_heads; }
    float* key_of(int32_t entry) { return at(kv_.k, kv_.k_row_bytes, entry); }
    float* value_of(int32_t entry) { return at(kv_.v, kv_.v_row_bytes, entry); }

    struct Partial {
        std::vector<float> out, max, sum;
        bool operator==(const Partial&) const = default;
    };

    // Queries [first, first + count) against all spans, span-major, for one K/V head.
    Partial attend(Isa isa, int32_t kv_head, int32_t first, int32_t count) const {
        const AttentionKernels& kernels = attention_kernels(isa);
        const int64_t n = int64_t(count) * heads();
        const int32_t n_spans = spans();
        Partial partial;
        partial.out.resize(static_cast<size_t>(n * n_spans * p().v_dim), kNan);
        partial.max.resize(static_cast<size_t>(n * n_spans), kNan);
        partial.sum.resize(static_cast<size_t>(n * n_spans), kNan);
        const AlignedBuffer scratch(kernels.scratch_bytes(p(), count));
        std::memset(scratch.data(), 0xff, scratch.size());
        for (int32_t s = 0; s < n_spans; ++s) {
            const int32_t end = std::min<int32_t>((s + 1) * kAttentionSpan, setup_.n_cells);
            kernels.attend(
                {.params = &p(),
                 .kv = &kv_,
                 .sequence = &sequence_,
                 .kv_head = kv_head,
                 .n_queries = count,
                 .q = q_.data() + (int64_t(first) * p().n_heads + kv_head * heads()) * p().k_dim,
                 .q_stride = int64_t(p().n_heads) * p().k_dim,
                 .positions = query_positions_.data() + first,
                 .visible = visible_.data() + first,
                 .alibi_slopes = p().alibi_max_bias > 0 ? slopes_.data() + kv_head * heads() : nullptr,
                 .span_first = s * kAttentionSpan,
                 .span_last = end,
                 .out = partial.out.data() + s * n * p().v_dim,
                 .max = partial.max.data() + s * n,
                 .sum = partial.sum.data() + s * n,
                 .scratch = scratch.data()});
        }
        return partial;
    }

    // [count][heads][v_dim]
    std::vector<float> result(Isa isa, int32_t kv_head, int32_t first, int32_t count) const {
        Partial partial = attend(isa, kv_head, first, count);
        std::vector<float> out(static_cast<size_t>(count * heads() * p().v_dim), kNan);
        const int64_t n = int64_t(count) * heads();
        const auto span = [&](int32_t s) {
            return SpanResults{partial.out.data(), partial.max.data(), partial.sum.data()}.from(s * n,
                                                                                                p().v_dim);
        };
        const SpanMerge merge{.vector = &vector_kernels(isa),
                              .n_indices = static_cast<int32_t>(n),
                              .v_dim = p().v_dim,
                              .results = span(0)};
        for (int32_t s = 1; s < spans(); ++s) merge.add(span(s));
        merge.finish({.heads = heads(),
                      .sinks = setup_.has_sinks ? sinks_.data() + kv_head * heads() : nullptr,
                      .out = out.data(),
                      .out_stride = int64_t(heads()) * p().v_dim});
        return out;
    }

    // The formula for one query and one head of all.
    std::vector<double> expected(int32_t query, int32_t head) const {
        const int32_t kv_head = head / heads();
        const VisibleRange seen = visible_[static_cast<size_t>(query)];
        std::vector<double> out(static_cast<size_t>(p().v_dim), 0.0);
        double sum =
            setup_.has_sinks ? std::exp(static_cast<double>(sinks_[static_cast<size_t>(head)])) : 0.0;
        for (int32_t e = seen.first; e < seen.last; ++e) {
            const auto entry = static_cast<size_t>(e);
            const float* q = q_.data() + (int64_t(query) * p().n_heads + head) * p().k_dim;
            const float* k = k_.data() + cells_[entry] * kv_.k_width + int64_t(kv_head) * p().k_dim;
            double score = 0.0;
            for (int32_t d = 0; d < p().k_dim; ++d) score += static_cast<double>(q[d]) * k[d];
            score *= p().scale;
            if (p().softcap > 0) score = p().softcap * std::tanh(score / p().softcap);
            if (p().alibi_max_bias > 0) {
                score -= static_cast<double>(slopes_[static_cast<size_t>(head)]) *
                         std::abs(positions_[entry] - query_positions_[static_cast<size_t>(query)]);
            }
            const double weight = std::exp(score);
            sum += weight;
            const float* v = v_.data() + cells_[entry] * kv_.v_width + int64_t(kv_head) * p().v_dim;
            for (int32_t d = 0; d < p().v_dim; ++d) out[static_cast<size_t>(d)] += weight * v[d];
        }
        for (double& o : out) o = sum == 0.0 ? 0.0 : o / sum;
        return out;
    }

    // Scores err by k_dim half ulps of sum |q||k| * scale (under 4 here, tanh and exp included), which is
    // what a weight errs by relative to itself; values are under 5 in size.
    void expect_right(Isa isa, const std::string& what) const {
        const double tolerance = (p().k_dim + setup_.n_cells / 8 + 64) * 0x1p-24 * 4 * 5;
        for (int32_t kv_head = 0; kv_head < p().kv_heads; ++kv_head) {
            const std::vector<float> out = result(isa, kv_head, 0, setup_.n_queries);
            double worst = 0.0;
            for (int32_t i = 0; i < setup_.n_queries; ++i) {
                for (int32_t h = 0; h < heads(); ++h) {
                    const std::vector<double> want = expected(i, kv_head * heads() + h);
                    const float* have = out.data() + (int64_t(i) * heads() + h) * p().v_dim;
                    for (int32_t d = 0; d < p().v_dim; ++d) {
                        const double error = std::fabs(have[d] - want[static_cast<size_t>(d)]);
                        worst = error <= worst ? worst : error;  // NaN counts as an error
                        if (error != error) worst = INFINITY;
                    }
                }
            }
            EXPECT_LT(worst, tolerance) << what << ", K/V head " << kv_head;
        }
    }

    // One query alone gives the bits it gives among others.
    void expect_same_alone(Isa isa, const std::string& what) const {
        for (int32_t kv_head = 0; kv_head < p().kv_heads; ++kv_head) {
            const std::vector<float> together = result(isa, kv_head, 0, setup_.n_queries);
            const int64_t width = int64_t(heads()) * p().v_dim;
            for (int32_t i = 0; i < setup_.n_queries; ++i) {
                const std::vector<float> alone = result(isa, kv_head, i, 1);
                ASSERT_EQ(
                    std::memcmp(alone.data(), together.data() + i * width, alone.size() * sizeof(float)), 0)
                    << what << ", query " << i << ", K/V head " << kv_head;
            }
        }
    }

    int32_t spans() const { return (setup_.n_cells + kAttentionSpan - 1) / kAttentionSpan; }

  private:
    float* at(std::byte* rows, int64_t bytes, int32_t entry) {
        return reinterpret_cast<float*>(rows + cells_[static_cast<size_t>(entry)] * bytes);
    }
    std::vector<float> normal_row(int64_t n) {
        std::normal_distribution<float> normal;
        std::vector<float> row(static_cast<size_t>(n));
        for (float& x : row) x = normal(random_);
        return row;
    }
    // Random rows in the type, and what they mean.
    void fill(const TypeInfo& type, int64_t width, int64_t n_rows, std::vector<std::byte>& bytes,
              std::vector<float>& floats) {
        floats = normal_row(width * n_rows);
        const int64_t one = row_bytes(type, width);
        bytes.resize(static_cast<size_t>(one * n_rows));
        const EncodeRows encode = type.encode_fast != nullptr ? type.encode_fast : type.encode;
        encode(floats.data(), bytes.data(), n_rows, width, nullptr);
        type.decode(bytes.data(), floats.data(), n_rows, width);
    }

    Situation setup_;
    std::mt19937 random_;
    std::vector<int32_t> cells_, positions_, query_positions_;
    SequenceCells sequence_;
    KvStorage kv_;
    std::vector<std::byte> k_bytes_, v_bytes_;
    std::vector<float> k_, v_, q_, slopes_, sinks_;
    std::vector<VisibleRange> visible_;
};

std::vector<std::string> cache_types() {
    std::vector<std::string> names;
    for (const char* name :
         {"f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "q6_0", "iq4_nl", "q8_kv"}) {
        EXPECT_TRUE(find_type(name) != nullptr && find_type(name)->is_cache_type) << name;
        names.emplace_back(name);
    }
    return names;
}

class AttentionKernel : public ::testing::TestWithParam<Isa> {
  protected:
    void SetUp() override {
        if (!is_supported(GetParam())) {
            GTEST_SKIP() << "this processor lacks " << isa_requirement(GetParam());
        }
    }
    // The definition decodes whole rows again and again: it gets less to do.
    bool is_definition() const { return GetParam() == Isa::scalar; }
    void expect_right(const Situation& setup, const std::string& what) {
        const Scene scene(setup);
        scene.expect_right(GetParam(), what);
        scene.expect_same_alone(GetParam(), what);
    }
};

TEST_P(AttentionKernel, TableIsOfTheSetThatWasAskedFor) {
    EXPECT_EQ(attention_kernels(GetParam()).isa, GetParam());
}

TEST_P(AttentionKernel, ReadsEveryCacheType) {
    for (const std::string& type : cache_types()) {
        for (const int32_t n_queries : {1, 3, 17}) {
            expect_right({.k_type = type, .v_type = type, .n_cells = 83, .n_queries = n_queries}, type);
        }
        expect_right({.k_type = type, .v_type = "f16", .n_cells = 40, .n_queries = 1}, type + " and f16");
        expect_right({.k_type = "f16", .v_type = type, .n_cells = 40, .n_queries = 1}, "f16 and " + type);
    }
}

// Heads that end within a block make whole rows necessary.
TEST_P(AttentionKernel, ReadsHeadsThatEndWithinABlock) {
    for (const std::string& type : cache_types()) {
        Situation setup{.k_type = type, .v_type = type, .n_cells = 45, .n_queries = 3};
        setup.params.k_dim = setup.params.v_dim = 80;
        expect_right(setup, type + " of 80");
        setup.params.k_dim = setup.params.v_dim = 16;
        expect_right(setup, type + " of 16");
    }
}

TEST_P(AttentionKernel, TakesAllDimensionsOfHeads) {
    for (const int32_t dim : {1, 4, 8, 16, 20, 24, 40, 64, 72, 80, 96, 100, 112, 128, 192, 256}) {
        for (const char* type : {"f16", "f32", "bf16"}) {
            for (const int32_t n_queries : {1, 11}) {
                Situation setup{.k_type = type, .v_type = type, .n_cells = 50, .n_queries = n_queries};
                setup.params.k_dim = dim;
                setup.params.v_dim = dim == 192 ? 128 : (dim == 24 ? 65 : dim);
                expect_right(setup, std::string(type) + " of " + std::to_string(dim));
            }
        }
    }
}

TEST_P(AttentionKernel, TakesAllNumbersOfSharingHeads) {
    for (const int32_t sharing : {1, 2, 3, 4, 5, 7, 8, 16}) {
        for (const int32_t n_queries : {1, 2, 8, 32}) {
            if (is_definition() && n_queries * sharing > 64) continue;
            Situation setup{.n_cells = 70, .n_queries = n_queries};
            setup.params.n_heads = 2 * sharing;
            setup.params.k_dim = setup.params.v_dim = 32;
            expect_right(setup,
                         std::to_string(sharing) + " heads, " + std::to_string(n_queries) + " queries");
        }
    }
}

TEST_P(AttentionKernel, TakesAllLengths) {
    for (int32_t n_cells = 1; n_cells <= 70; ++n_cells) {
        Situation setup{.n_cells = n_cells, .n_queries = std::min(n_cells, 5)};
        setup.params.k_dim = setup.params.v_dim = 32;
        expect_right(setup, std::to_string(n_cells) + " cells");
    }
}

TEST_P(AttentionKernel, CombinesSpans) {
    for (const char* type : {"f16", "q8_0"}) {
        for (const int32_t n_queries : {1, 9}) {
            Situation setup{
                .k_type = type, .v_type = type, .n_cells = 1100, .n_queries = n_queries, .has_sinks = true};
            setup.params.k_dim = setup.params.v_dim = 32;
            expect_right(setup, "1100 cells");
        }
    }
}

TEST_P(AttentionKernel, AppliesWindowsCapsBiasesAndSinks) {
    const auto vary = [&](const std::string& what, auto change) {
        for (const int32_t n_queries : {1, 6, 32}) {
            Situation setup{.n_cells = is_definition() ? 90 : 700, .n_queries = n_queries};
            setup.params.k_dim = setup.params.v_dim = 32;
            change(setup);
            expect_right(setup, what);
        }
    };
    const auto window = [](WindowKind kind, int32_t size) {
        return [=](Situation& s) {
            s.params.window_kind = kind;
            s.params.window = size;
        };
    };
    vary("sliding", window(WindowKind::sliding, 37));
    vary("sliding by one", window(WindowKind::sliding, 1));
    vary("chunked", window(WindowKind::chunked, 32));
    vary("symmetric", window(WindowKind::symmetric, 20));
    vary("not causal", [](Situation& s) { s.is_causal = false; });
    vary("softcap", [](Situation& s) { s.params.softcap = 1.5f; });
    vary("ALiBi", [](Situation& s) { s.params.alibi_max_bias = 8.0f; });
    vary("sinks", [](Situation& s) { s.has_sinks = true; });
    vary("all", [&](Situation& s) {
        window(WindowKind::sliding, 45)(s);
        s.params.softcap = 2.0f;
        s.params.alibi_max_bias = 8.0f;
        s.has_sinks = true;
    });
}

// Cells after a query's own may hold anything.
TEST_P(AttentionKernel, DoesNotTouchWhatAQueryCannotSee) {
    for (const int32_t n_queries : {3, 20}) {
        Situation setup{.k_type = "f32", .v_type = "f32", .n_cells = 60, .n_queries = n_queries};
        Scene scene(setup);
        const int32_t last = setup.n_cells - 1;
        std::fill_n(scene.key_of(last), 128, kNan);
        std::fill_n(scene.value_of(last), 128, kNan);
        const std::vector<float> out = scene.result(GetParam(), 0, 0, n_queries);
        const size_t width = 2 * 64;
        for (size_t i = 0; i < out.size(); ++i)
            EXPECT_EQ(std::isnan(out[i]), i / width == static_cast<size_t>(n_queries) - 1) << i;
    }
}

TEST_P(AttentionKernel, SurvivesLargeScores) {
    Situation setup{.k_type = "f32", .v_type = "f32", .n_cells = 40, .n_queries = 2};
    Scene scene(setup);
    for (int32_t d = 0; d < 128; ++d) scene.key_of(7)[d] *= 1e4f;
    for (const float y : scene.result(GetParam(), 0, 0, 2)) EXPECT_TRUE(std::isfinite(y));
}

TEST_P(AttentionKernel, GivesZerosWhereNothingIsVisible) {
    Situation setup{.n_cells = 600, .n_queries = 1};
    setup.params.window_kind = WindowKind::sliding;
    setup.params.window = 20;
    const Scene scene(setup);
    const Scene::Partial partial = scene.attend(GetParam(), 0, 0, 1);
    for (int32_t i = 0; i < scene.heads(); ++i) {  // of the first span
        EXPECT_EQ(partial.max[static_cast<size_t>(i)], -INFINITY);
        EXPECT_EQ(partial.sum[static_cast<size_t>(i)], 0.0f);
        EXPECT_EQ(partial.out[static_cast<size_t>(i * 64)], 0.0f);
    }
}

// Two spans of one value each, of which one may see nothing.
TEST(Attention, MergesSpansAndSinks) {
    struct Span {
        float out, max, sum;
    };
    const Span nothing{0.0f, -INFINITY, 0.0f};
    const float sink = 1.0f;
    const auto merged = [&](Span a, Span b, const float* sinks) {
        float out = kNan;
        const SpanMerge merge{.vector = &vector_kernels(Isa::scalar),
                              .n_indices = 1,
                              .v_dim = 1,
                              .results = {&a.out, &a.max, &a.sum}};
        merge.add({&b.out, &b.max, &b.sum});
        merge.finish({.heads = 1, .sinks = sinks, .out = &out, .out_stride = 1});
        return out;
    };
    EXPECT_EQ(merged(nothing, nothing, nullptr), 0.0f);
    EXPECT_EQ(merged(nothing, nothing, &sink), 0.0f);
    EXPECT_EQ(merged({6.0f, 50.0f, 2.0f}, nothing, nullptr), 3.0f);
    EXPECT_EQ(merged(nothing, {6.0f, 50.0f, 2.0f}, nullptr), 3.0f);
    EXPECT_NEAR(merged({6.0f, 1.0f, 2.0f}, nothing, &sink), 2.0, 1e-6);
    EXPECT_NEAR(merged({6.0f, 1.0f, 2.0f}, {4.0f, 2.0f, 1.0f}, nullptr),
                (6 + 4 * std::exp(1.0)) / (2 + std::exp(1.0)), 1e-6);
    EXPECT_TRUE(std::isnan(merged({6.0f, 1.0f, 2.0f}, {kNan, 1.0f, kNan}, nullptr)));
}

TEST(Attention, FindsWhatIsVisible) {
    std::vector<int32_t> cells(10);
    const std::vector<int32_t> positions{0, 1, 2, 3, 5, 6, 7, 8, 9, 20};
    const SequenceCells sequence{.cells = cells, .positions = positions};
    const auto range = [&](WindowKind kind, int32_t window, bool is_causal, int32_t position) {
        const VisibleRange r =
            visible_range({.window_kind = kind, .window = window}, is_causal, sequence, position);
        return std::pair(r.first, r.last);
    };
    EXPECT_EQ(range(WindowKind::none, 0, true, 6), std::pair(0, 6));
    EXPECT_EQ(range(WindowKind::none, 0, false, 6), std::pair(0, 10));
    EXPECT_EQ(range(WindowKind::sliding, 3, true, 7), std::pair(4, 7));
    EXPECT_EQ(range(WindowKind::chunked, 4, true, 6), std::pair(4, 6));
    EXPECT_EQ(range(WindowKind::symmetric, 4, false, 6), std::pair(4, 8));
    EXPECT_EQ(range(WindowKind::sliding, 3, true, 19), std::pair(9, 9));
}

INSTANTIATE_TEST_SUITE_P(Sets, AttentionKernel, ::testing::ValuesIn(known_isas().begin(), known_isas().end()),
                         [](const auto& info) { return std::string(isa_name(info.param)); });

}  // namespace
}  // namespace cria::cpu
