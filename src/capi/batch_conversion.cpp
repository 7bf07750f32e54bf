// See the header.
#include "capi/batch_conversion.h"

namespace cria::capi {
namespace {

bool has_several_positions(RopeKind kind) {
    return kind == RopeKind::multi || kind == RopeKind::vision || kind == RopeKind::interleaved_multi;
}

std::vector<int32_t> positions_of(const llama_batch& batch, size_t n) {
    if (batch.pos != nullptr) return {batch.pos, batch.pos + n};
    std::vector<int32_t> positions;
    for (size_t i = 0; i < n; ++i) {
        const int64_t position = batch.all_pos_0 + static_cast<int64_t>(i) * batch.all_pos_1;
        if (position < 0 || position >= INT32_MAX) {
            fail(ErrorCode::invalid_argument,
                 "token {} of the batch would have position {} (all_pos_0 = {}, all_pos_1 = {})", i, position,
                 batch.all_pos_0, batch.all_pos_1);
        }
        positions.push_back(static_cast<int32_t>(position));
    }
    return positions;
}

std::vector<int32_t> sequences_of_token(const llama_batch& batch, size_t i, int32_t n_seq_max) {
    if (batch.seq_id == nullptr) return {batch.all_seq_id};
    const int32_t n = batch.n_seq_id != nullptr ? batch.n_seq_id[i] : 1;
    if (n < 1 || n > n_seq_max || batch.seq_id[i] == nullptr) {
        fail(ErrorCode::invalid_argument,
             "token {} of the batch belongs to {} sequences, expected 1 to {} and a list of them", i, n,
             n_seq_max);
    }
    return {batch.seq_id[i], batch.seq_id[i] + n};
}

std::vector<bool> outputs_of(const llama_batch& batch, size_t n, bool wants_all) {
    if (wants_all) return std::vector<bool>(n, true);
    if (batch.logits == nullptr) return {};
    std::vector<bool> wanted;
    for (size_t i = 0; i < n; ++i) wanted.push_back(batch.logits[i] != 0);
    return wanted;
}

}  // namespace

Batch convert_batch(const llama_batch& batch, const llama_context& ctx) {
    const Context& context = *ctx.context;
    if (batch.n_tokens <= 0) fail(ErrorCode::invalid_argument, "the batch has {} tokens", batch.n_tokens);
    if (batch.n_tokens > context.n_batch()) {
        fail(ErrorCode::invalid_argument, "the batch has {} tokens, n_batch is {}; divide it", batch.n_tokens,
             context.n_batch());
    }
    if ((batch.token == nullptr) == (batch.embd == nullptr)) {
        fail(ErrorCode::invalid_argument, "exactly one of token and embd must be set in a batch");
    }
    const auto n = static_cast<size_t>(batch.n_tokens);
    const arch::ModelSpec& spec = context.model().spec();
    Batch result{.n = batch.n_tokens};
    if (batch.token != nullptr) result.tokens = {batch.token, n};
    if (batch.embd != nullptr) result.embeddings = {batch.embd, n * static_cast<size_t>(spec.width)};
    result.positions = positions_of(batch, n);
    // Programs that send pictures give four positions for each row, section by section.
    if (batch.embd != nullptr && batch.pos != nullptr && has_several_positions(spec.rope_kind)) {
        result.rope_positions.assign(batch.pos, batch.pos + 4 * n);
    }
    for (size_t i = 0; i < n; ++i) result.sequences.push_back(sequences_of_token(batch, i, context.n_ctx()));
    result.wants_output = outputs_of(batch, n, ctx.logits_all);
    return result;
}

}  // namespace cria::capi
