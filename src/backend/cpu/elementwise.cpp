// Operations on rows: embeddings, norms, rotation, element-wise arithmetic.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "backend/cpu/lowering.h"
#include "base/error.h"

namespace cria::cpu {
namespace {

// Rows of at least this many floats together make a task.
constexpr int64_t kMinTaskFloats = 16 * 1024;

template <typename Work>
void for_rows(const Run& run, int64_t n_rows, int64_t width, const Work& work) {
    run.for_pieces(n_rows, std::max<int64_t>(1, kMinTaskFloats / width),
                   [&](int64_t first, int64_t last, int) {
                       for (int64_t r = first; r < last; ++r) work(r);
                   });
}

void decode_row(const Weight& table, int64_t row, float* out) {
    table.type->decode(table.data + row * table.row_bytes(), out, 1, table.row_length());
}

}  // namespace

void lower(const Embed& op, const Node& node, Run& run) {
    const int64_t width = run.width(node.out[0]);
    float* out = run.data(node.out[0]);
    for_rows(run, run.batch.n_tokens, width, [&](int64_t t) {
        float* row = out + t * width;
        if (run.batch.tokens.empty()) {
            std::copy_n(run.batch.embeddings.data() + t * width, width, row);
        } else {
            decode_row(*op.table, run.batch.tokens[static_cast<size_t>(t)], row);
        }
        if (op.scale != 1.0f) run.kernels.vector->scale(op.scale, row, row, width);
    });
}

void lower(const AddEmbedding& op, const Node& node, Run& run) {
    const int64_t width = run.width(node.out[0]);
    const float* x = run.data(node.in[0]);
    float* out = run.data(node.out[0]);
    for_rows(run, run.batch.n_tokens, width, [&](int64_t t) {
        const int64_t row = op.fixed_row >= 0 ? op.fixed_row : run.batch.positions[static_cast<size_t>(t)];
        if (row < 0 || row >= op.table->n_rows()) {
            fail(ErrorCode::invalid_argument, "position {} is beyond the model's {} learned positions", row,
                 op.table->n_rows());
        }
        decode_row(*op.table, row, out + t * width);
        run.kernels.vector->add(x + t * width, out + t * width, out + t * width, width);
    });
}

void lower(const Norm& op, const Node& node, Run& run) {
    const int64_t width = run.width(node.out[0]);
    const int64_t group = op.group_width == 0 ? width : op.group_width;
    const float* x = run.data(node.in[0]);
    float* out = run.data(node.out[0]);
    const float* weight = run.floats.get(op.weight);
    const float* bias = run.floats.get(op.bias);
    // A weight for the whole row goes on from group to group; one for a group starts again.
    const bool weight_goes_on = weight != nullptr && op.weight->n_elements() == width;
    const bool bias_goes_on = bias != nullptr && op.bias->n_elements() == width;
    for_rows(run, run.n_rows(node.in[0]), width, [&](int64_t r) {
        for (int64_t g = 0; g < width; g += group) {
            run.kernels.vector->norm(
                {.kind = op.kind,
                 .eps = op.eps,
                 .x = x + r * width + g,
                 .weight = weight == nullptr ? nullptr : weight + (weight_goes_on ? g : 0),
                 .bias = bias == nullptr ? nullptr : bias + (bias_goes_on ? g : 0),
                 .out = out + r * width + g,
                 .n = group});
        }
    });
}

// YaRN (Peng et al. 2023, section 3.2): between the pairs that turn beta_fast and beta_slow times within the
// original context, a ramp leads from extrapolated (unscaled) to interpolated (scaled) frequencies.
RopeTable make_rope_table(const RopeParams& params, const float* factors) {
    RopeTable table;
    table.params = params;
    const int32_t half = params.n_rot / 2;
    table.frequencies.resize(static_cast<size_t>(half));
    const auto pair_turning = [&](double turns) {
        const double wavelength = params.original_context / (turns * 2 * std::numbers::pi);
        return params.n_rot * std::log(wavelength) / (2 * std::log(static_cast<double>(params.base)));
    };
    double low = 0, high = 0;
    if (params.ext_factor != 0.0f) {
        low = std::max(0.0, std::floor(pair_turning(params.beta_fast)));
        high = std::min(params.n_rot - 1.0, std::ceil(pair_turning(params.beta_slow)));
    }
    for (int32_t i = 0; i < half; ++i) {
        double frequency = std::pow(static_cast<double>(params.base), -2.0 * i / params.n_rot);
        if (factors != nullptr) frequency /= factors[i];
        double turned = frequency * params.scale;
        if (params.ext_factor != 0.0f) {
            const double ramp = 1.0 - std::clamp((i - low) / std::max(0.001, high - low), 0.0, 1.0);
            const double mix = ramp * params.ext_factor;
            turned = turned * (1.0 - mix) + frequency * mix;
        }
        table.frequencies[static_cast<size_t>(i)] = static_cast<float>(turned);
    }
    table.magnitude = params.attn_factor;
    if (params.ext_factor != 0.0f) table.magnitude *= 1.0f + 0.1f * std::log(1.0f / params.scale);
    return table;
}

void fill_angles(const RopeTable& table, double position, float* out) {
    for (size_t i = 0; i < table.frequencies.size(); ++i) {
        const double angle = position * table.frequencies[i];
        out[2 * i] = static_cast<float>(std::cos(angle)) * table.magnitude;
        out[2 * i + 1] = static_cast<float>(std::sin(angle)) * table.magnitude;
    }
}

namespace {

// Which of a token's four positions turns pair i.
int32_t section_of_pair(const RopeParams& params, int32_t i) {
    const auto& sections = params.sections;
    const int32_t total = sections[0] + sections[1] + sections[2] + sections[3];
    if (total == 0) return 0;
    const int32_t at = i % total;
    if (params.kind == RopeKind::interleaved_multi) {
        for (int32_t s = 0; s < 3; ++s) {
            if (at % 3 == s && at < 3 * sections[static_cast<size_t>(s)]) return s;
        }
        return 3;
    }
    int32_t end = 0;
    for (int32_t s = 0; s < 4; ++s) {
        end += sections[static_cast<size_t>(s)];
        if (at < end) return s;
    }
    return 3;
}

bool is_multi(RopeKind kind) {
    return kind == RopeKind::multi || kind == RopeKind::interleaved_multi || kind == RopeKind::vision;
}

void fill_multi_angles(const RopeTable& table, const MicroBatch& batch, int64_t token, float* out) {
    for (size_t i = 0; i < table.frequencies.size(); ++i) {
        const int32_t section = section_of_pair(table.params, static_cast<int32_t>(i));
        const double position = batch.rope_positions[static_cast<size_t>(section * batch.n_tokens + token)];
        const double angle = position * table.frequencies[i];
        out[2 * i] = static_cast<float>(std::cos(angle)) * table.magnitude;
        out[2 * i + 1] = static_cast<float>(std::sin(angle)) * table.magnitude;
    }
}

// The table of these parameters with the micro-batch's angles in it.
const RopeTable& current_table(const RopeParams& params, Run& run) {
    auto found = std::find_if(run.rope_tables.begin(), run.rope_tables.end(),
                              [&](const RopeTable& table) { return table.params == params; });
    if (found == run.rope_tables.end()) {
        run.rope_tables.push_back(make_rope_table(params, run.floats.get(params.factors)));
        found = run.rope_tables.end() - 1;
    }
    if (found->is_current) return *found;
    RopeTable& table = *found;
    const MicroBatch& batch = run.batch;
    table.cos_sin.resize(static_cast<size_t>(batch.n_tokens) * static_cast<size_t>(params.n_rot));
    for_rows(run, batch.n_tokens, params.n_rot * 32, [&](int64_t t) {
        float* angles = table.cos_sin.data() + t * params.n_rot;
        if (is_multi(params.kind) && !batch.rope_positions.empty()) {
            fill_multi_angles(table, batch, t, angles);
        } else {
            fill_angles(table, batch.positions[static_cast<size_t>(t)], angles);
        }
    });
    table.is_current = true;
    return table;
}

}  // namespace

void lower(const Rope& op, const Node& node, Run& run) {
    const RopeTable& table = current_table(op.params, run);
    const bool is_neox = op.params.kind != RopeKind::normal;
    const int64_t n_rows = run.n_rows(node.in[0]);
    for (size_t i = 0; i < node.in.size(); ++i) {
        const int64_t width = run.width(node.in[i]);
        const int32_t heads = op.n_heads[i];
        const float* x = run.data(node.in[i]);
        float* out = run.data(node.out[i]);
        for_rows(run, n_rows, width, [&](int64_t t) {
            std::copy_n(x + t * width, width, out + t * width);
            run.kernels.vector->rope(out + t * width, heads, static_cast<int32_t>(width / heads),
                                     op.params.n_rot, is_neox, table.cos_sin.data() + t * op.params.n_rot);
        });
    }
}

void lower(const Binary& op, const Node& node, Run& run) {
    const int64_t width = run.width(node.in[0]);
    const int64_t narrow = run.width(node.in[1]);
    const float* a = run.data(node.in[0]);
    const float* b = run.data(node.in[1]);
    float* out = run.data(node.out[0]);
    const VectorKernels& v = *run.kernels.vector;
    const bool is_add = op.kind == BinaryKind::add;
    for_rows(run, run.n_rows(node.in[0]), width, [&](int64_t r) {
        const float* x = a + r * width;
        const float* y = b + r * narrow;
        float* z = out + r * width;
        if (op.per_group || narrow == 1) {
            const int64_t group = width / narrow;
            for (int64_t i = 0; i < width; ++i) z[i] = is_add ? x[i] + y[i / group] : x[i] * y[i / group];
            return;
        }
        for (int64_t first = 0; first < width; first += narrow)
            (is_add ? v.add : v.multiply)(x + first, y, z + first, narrow);
    });
}

void lower(const Unary& op, const Node& node, Run& run) {
    const int64_t width = run.width(node.in[0]);
    const float* in = run.data(node.in[0]);
    float* out = run.data(node.out[0]);
    const VectorKernels& v = *run.kernels.vector;
    for_rows(run, run.n_rows(node.in[0]), width, [&](int64_t r) {
        const float* x = in + r * width;
        float* y = out + r * width;
        v.scale(op.scale, x, y, width);
        if (op.clamp > 0) {
            for (int64_t i = 0; i < width; ++i)
                y[i] = y[i] > op.clamp ? op.clamp : y[i] < -op.clamp ? -op.clamp : y[i];
        }
        if (op.activation != Activation::none) v.activate(op.activation, y, y, width);
        if (op.softcap > 0) v.softcap(op.softcap, y, y, width);
    });
}

void lower(const Columns& op, const Node& node, Run& run) {
    const int64_t width = run.width(node.in[0]);
    const int64_t out_width = run.width(node.out[0]);
    const float* x = run.data(node.in[0]);
    float* out = run.data(node.out[0]);
    for_rows(run, run.n_rows(node.in[0]), out_width, [&](int64_t r) {
        for (int64_t g = 0; g < width / op.group_width; ++g) {
            std::copy_n(x + r * width + g * op.group_width + op.offset, op.length,
                        out + r * out_width + g * op.length);
        }
    });
}

void lower(const SelectOutputs&, const Node& node, Run& run) {
    const int64_t width = run.width(node.in[0]);
    const float* x = run.data(node.in[0]);
    float* out = run.data(node.out[0]);
    for_rows(run, run.n_rows(node.out[0]), width, [&](int64_t r) {
        std::copy_n(x + run.batch.output_rows[static_cast<size_t>(r)] * width, width, out + r * width);
    });
}

void lower(const AddControlVector& op, const Node& node, Run& run) {
    const int64_t width = run.width(node.in[0]);
    const float* x = run.data(node.in[0]);
    float* out = run.data(node.out[0]);
    const auto first = static_cast<size_t>(op.layer * width);
    const auto vectors = run.batch.control_vectors;
    const bool is_set = vectors.size() >= first + static_cast<size_t>(width);
    for_rows(run, run.n_rows(node.in[0]), width, [&](int64_t r) {
        if (is_set) {
            run.kernels.vector->add(x + r * width, vectors.data() + first, out + r * width, width);
        } else {
            std::copy_n(x + r * width, width, out + r * width);
        }
    });
}

}  // namespace cria::cpu
