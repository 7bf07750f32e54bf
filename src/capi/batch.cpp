// Batches are plain arrays that C programs fill, so they are made with calloc and freed with free, each array
// by itself: some programs replace one of them by their own.
#include <cstdlib>
#include <new>

#include "base/checked.h"
#include "base/cpu.h"
#include "capi/handles.h"

namespace {

using namespace cria::capi;

// Far above what a context takes at a time. Each token costs an allocation, so that without a limit one wrong
// number would take all memory of the machine piece by piece.
constexpr int32_t kMaxTokens = 1 << 22;

template <typename T>
T* zeroed(size_t count) {
    // calloc checks the product itself.
    void* memory = std::calloc(count, sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
}

// Refuses what this machine cannot hold, before taking any of it.
void check_size(uint64_t n_tokens, uint64_t width, uint64_t n_seq_max) {
    const auto values = cria::checked_mul(n_tokens, cria::checked_add(width, n_seq_max).value_or(UINT64_MAX));
    const auto n_bytes = values ? cria::checked_mul<uint64_t>(*values, sizeof(float)) : std::nullopt;
    const uint64_t available = cria::memory_size().total_bytes;
    if (!n_bytes || (available != 0 && *n_bytes > available)) {
        cria::fail(cria::ErrorCode::out_of_memory,
                   "a batch of {} tokens with {} values and {} sequences each does not fit in memory",
                   n_tokens, width, n_seq_max);
    }
}

// Fills the arrays one by one, so that whoever catches an exception can free those that are there.
void allocate(llama_batch& batch, size_t n_tokens, size_t width, size_t n_seq_max) {
    check_size(n_tokens, width, n_seq_max);
    if (width > 0) {
        batch.embd = zeroed<float>(n_tokens * width);
    } else {
        batch.token = zeroed<llama_token>(n_tokens);
    }
    batch.pos = zeroed<llama_pos>(n_tokens);
    batch.n_seq_id = zeroed<int32_t>(n_tokens);
    batch.logits = zeroed<int8_t>(n_tokens);
    batch.seq_id = zeroed<llama_seq_id*>(n_tokens + 1);  // ends with null
    for (size_t i = 0; i < n_tokens; ++i) batch.seq_id[i] = zeroed<llama_seq_id>(n_seq_max);
}

void release(const llama_batch& batch) {
    std::free(batch.token);
    std::free(batch.embd);
    std::free(batch.pos);
    std::free(batch.n_seq_id);
    std::free(batch.logits);
    if (batch.seq_id == nullptr) return;
    for (llama_seq_id** ids = batch.seq_id; *ids != nullptr; ++ids) std::free(*ids);
    std::free(batch.seq_id);
}

}  // namespace

llama_batch llama_batch_get_one(llama_token* tokens, int32_t n_tokens, llama_pos pos_0, llama_seq_id seq_id) {
    llama_batch batch{};
    batch.n_tokens = n_tokens;
    batch.token = tokens;
    batch.all_pos_0 = pos_0;
    batch.all_pos_1 = 1;
    batch.all_seq_id = seq_id;
    return batch;
}

llama_batch llama_batch_init(int32_t n_tokens, int32_t embd, int32_t n_seq_max) {
    llama_batch batch{};
    const bool made = guard<bool>("llama_batch_init", false, [&] {
        if (n_tokens < 0 || n_tokens > kMaxTokens || embd < 0 || n_seq_max < 1) {
            cria::fail(cria::ErrorCode::invalid_argument,
                       "n_tokens = {}, embd = {}, n_seq_max = {}; expected 0 to {}, 0 or more, 1 or more",
                       n_tokens, embd, n_seq_max, kMaxTokens);
        }
        allocate(batch, static_cast<size_t>(n_tokens), static_cast<size_t>(embd),
                 static_cast<size_t>(n_seq_max));
        return true;
    });
    if (made) return batch;
    release(batch);
    return {};
}

void llama_batch_free(llama_batch batch) {
    // Only batches of llama_batch_init have seq_id: the tokens of others belong to the caller.
    if (batch.seq_id == nullptr) return;
    release(batch);
}
