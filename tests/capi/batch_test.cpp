// Batches: what is allocated, what is borrowed, and what happens to sizes that make no sense.
#include <gtest/gtest.h>

#include <climits>

#include "testing.h"

namespace cria::capi {
namespace {

TEST(Batch, OwnsRoomForEveryTokenAndSequence) {
    llama_batch batch = llama_batch_init(3, 0, 4);
    EXPECT_EQ(batch.n_tokens, 0);
    EXPECT_EQ(batch.embd, nullptr);
    for (int i = 0; i < 3; ++i) {
        batch.token[i] = i;
        batch.pos[i] = i;
        batch.logits[i] = 1;
        batch.n_seq_id[i] = 4;
        for (int s = 0; s < 4; ++s) batch.seq_id[i][s] = s;
    }
    EXPECT_EQ(batch.seq_id[3], nullptr);
    llama_batch_free(batch);
}

TEST(Batch, WithVectorsHasNoIds) {
    llama_batch batch = llama_batch_init(2, 8, 1);
    EXPECT_EQ(batch.token, nullptr);
    for (int i = 0; i < 16; ++i) batch.embd[i] = 1.0f;
    llama_batch_free(batch);
}

TEST(Batch, OfNoTokensCanBeFreed) { llama_batch_free(llama_batch_init(0, 0, 1)); }

TEST(Batch, RefusesNegativeAndImpossibleSizes) {
    const LogRecorder log;
    const int sizes[][3] = {{-1, 0, 1},
                            {1, -1, 1},
                            {1, 0, 0},
                            {1, 0, -5},
                            {INT_MIN, INT_MIN, INT_MIN},
                            {INT_MAX, 0, 1},
                            {1 << 22, INT_MAX, INT_MAX}};
    for (const auto& size : sizes) {
        const llama_batch batch = llama_batch_init(size[0], size[1], size[2]);
        EXPECT_EQ(batch.token, nullptr);
        EXPECT_EQ(batch.seq_id, nullptr);
        EXPECT_EQ(batch.n_tokens, 0);
        llama_batch_free(batch);
    }
    EXPECT_EQ(log.lines().size(), std::size(sizes));
    EXPECT_TRUE(log.contains("n_tokens = -1"));
}

TEST(Batch, FromOneSequenceBorrowsTheTokens) {
    llama_token tokens[] = {5, 6};
    const llama_batch batch = llama_batch_get_one(tokens, 2, 7, 1);
    EXPECT_EQ(batch.token, tokens);
    EXPECT_EQ(batch.n_tokens, 2);
    EXPECT_EQ(batch.all_pos_0, 7);
    EXPECT_EQ(batch.all_pos_1, 1);
    EXPECT_EQ(batch.all_seq_id, 1);
    EXPECT_EQ(batch.pos, nullptr);
    EXPECT_EQ(batch.logits, nullptr);
    llama_batch_free(batch);  // must not free what it does not own
    EXPECT_EQ(tokens[1], 6);
}

}  // namespace
}  // namespace cria::capi
