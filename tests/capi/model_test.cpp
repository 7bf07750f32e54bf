// A trained model through the C interface, from file to text. Skipped where ../shared is not there.
#define LLAMA_API_INTERNAL
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "testing.h"

namespace cria::capi {
namespace {

const std::string kModel = CRIA_SOURCE_DIR "/../shared/models/stories260K.gguf";

// Model and context of one test.
class CModel : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!std::filesystem::exists(kModel)) GTEST_SKIP() << kModel << " is not here";
        model_ = llama_model_load_from_file(kModel.c_str(), llama_model_default_params());
        ASSERT_NE(model_, nullptr);
    }
    void TearDown() override {
        for (llama_context* ctx : contexts_) llama_free(ctx);
        llama_free_model(model_);
    }
    llama_context* context(llama_context_params params = llama_context_default_params()) {
        params.n_threads = params.n_threads_batch = 1;
        contexts_.push_back(llama_init_from_model(model_, params));
        return contexts_.back();
    }
    std::vector<llama_token> tokens(const std::string& text) const {
        std::vector<llama_token> ids(text.size() + 2);
        const int32_t n = llama_tokenize(model_, text.data(), static_cast<int32_t>(text.size()), ids.data(),
                                         static_cast<int32_t>(ids.size()), true, false);
        EXPECT_GT(n, 0);
        ids.resize(static_cast<size_t>(n));
        return ids;
    }
    llama_token best(llama_context* ctx, int32_t i) const {
        const float* logits = llama_get_logits_ith(ctx, i);
        return static_cast<llama_token>(std::max_element(logits, logits + llama_n_vocab(model_)) - logits);
    }
    // n greedy tokens after the prompt, one call of llama_decode each.
    std::vector<llama_token> greedy(llama_context* ctx, std::vector<llama_token> prompt, int n,
                                    llama_seq_id sequence = 0) const {
        EXPECT_EQ(llama_decode(ctx, llama_batch_get_one(prompt.data(), static_cast<int32_t>(prompt.size()), 0,
                                                        sequence)),
                  0);
        std::vector<llama_token> result;
        for (int i = 0; i < n; ++i) {
            result.push_back(best(ctx, -1));
            const auto position = static_cast<llama_pos>(prompt.size()) + i;
            EXPECT_EQ(llama_decode(ctx, llama_batch_get_one(&result.back(), 1, position, sequence)), 0);
        }
        return result;
    }

    llama_model* model_ = nullptr;
    std::vector<llama_context*> contexts_;
};

TEST_F(CModel, AnswersQuestionsAboutItself) {
    EXPECT_EQ(llama_n_vocab(model_), 512);
    EXPECT_EQ(llama_model_n_embd(model_), 64);
    EXPECT_EQ(llama_n_layer(model_), 5);
    EXPECT_GT(llama_n_ctx_train(model_), 0);
    EXPECT_GT(llama_model_size(model_), 0u);
    EXPECT_GT(llama_model_n_params(model_), 200000u);
    EXPECT_EQ(llama_rope_type(model_), LLAMA_ROPE_TYPE_NORM);
    EXPECT_TRUE(llama_model_has_decoder(model_));
    EXPECT_FALSE(llama_model_has_encoder(model_) || llama_model_is_recurrent(model_) ||
                 llama_model_is_hybrid(model_));
    EXPECT_EQ(llama_model_decoder_start_token(model_), LLAMA_TOKEN_NULL);
    char buffer[64];
    EXPECT_GT(llama_model_desc(model_, buffer, sizeof buffer), 0);
    EXPECT_EQ(std::string(buffer).substr(0, 5), "llama");
}

TEST_F(CModel, GivesMetadataAsText) {
    char buffer[32];
    EXPECT_EQ(llama_model_meta_val_str(model_, "general.architecture", buffer, sizeof buffer), 5);
    EXPECT_STREQ(buffer, "llama");
    EXPECT_EQ(llama_model_meta_val_str(model_, "general.architecture", buffer, 3), 5)
        << "the length of the whole text";
    EXPECT_STREQ(buffer, "ll");
    EXPECT_EQ(llama_model_meta_val_str(model_, "general.architecture", nullptr, 0), 5);
    EXPECT_EQ(llama_model_meta_val_str(model_, "no.such.key", buffer, sizeof buffer), -1);
    EXPECT_STREQ(buffer, "");
    const int32_t n = llama_model_meta_count(model_);
    ASSERT_GT(n, 5);
    for (int32_t i = 0; i < n; ++i) {
        char key[128];
        char by_index[256];
        char by_key[256];
        ASSERT_GT(llama_model_meta_key_by_index(model_, i, key, sizeof key), 0);
        const int32_t length = llama_model_meta_val_str_by_index(model_, i, by_index, sizeof by_index);
        EXPECT_EQ(length, llama_model_meta_val_str(model_, key, by_key, sizeof by_key));
        EXPECT_STREQ(by_index, by_key);
    }
    for (const int32_t i : {-1, n, INT32_MAX}) {
        EXPECT_EQ(llama_model_meta_key_by_index(model_, i, buffer, sizeof buffer), -1);
        EXPECT_EQ(llama_model_meta_val_str_by_index(model_, i, buffer, sizeof buffer), -1);
    }
}

TEST_F(CModel, ShowsItsTensors) {
    const ggml_tensor* t = llama_get_model_tensor(model_, "token_embd.weight");
    ASSERT_NE(t, nullptr);
    EXPECT_EQ(t->ne[0], 64);
    EXPECT_EQ(t->ne[1], 512);
    EXPECT_STREQ(t->name, "token_embd.weight");
    EXPECT_TRUE(ggml_backend_buffer_is_host(t->buffer));
    EXPECT_EQ(ggml_nbytes(t), ggml_row_size(t->type, 64) * 512);
    EXPECT_EQ(llama_get_model_tensor(model_, "token_embd"), nullptr);
    const auto& map = llama_internal_get_tensor_map(context());
    EXPECT_GT(map.size(), 5u);
    EXPECT_EQ(map.front().second, llama_get_model_tensor(model_, map.front().first.c_str()));
}

TEST_F(CModel, TurnsTextIntoTokensAndBack) {
    const std::string text = "Once upon a time";
    const std::vector<llama_token> ids = tokens(text);
    EXPECT_EQ(ids.front(), llama_token_bos(model_));
    const auto length = static_cast<int32_t>(text.size());
    const auto n = static_cast<int32_t>(ids.size());
    EXPECT_EQ(llama_tokenize(model_, text.data(), length, nullptr, 0, true, false), -n)
        << "minus the number needed";
    llama_token few[2];
    EXPECT_EQ(llama_tokenize(model_, text.data(), length, few, 2, true, false), -n);
    EXPECT_EQ(llama_tokenize(model_, text.data(), -1, few, 2, true, false), INT32_MIN);

    const llama_vocab* vocab = llama_model_get_vocab(model_);
    char back[64];
    const int32_t written = llama_detokenize(vocab, ids.data() + 1, n - 1, back, sizeof back, false, false);
    EXPECT_EQ(std::string(back, static_cast<size_t>(std::max(0, written))), text);
    EXPECT_EQ(llama_detokenize(vocab, ids.data() + 1, n - 1, back, 3, false, false), -length);
    char piece[16];
    EXPECT_LT(llama_token_to_piece(model_, ids[1], piece, 1, 0, false), -1);
    EXPECT_EQ(llama_token_to_piece(model_, 100000, piece, sizeof piece, 0, false), 0);
    EXPECT_TRUE(llama_token_is_eog(model_, llama_token_eos(model_)));
    EXPECT_FALSE(llama_token_is_eog(model_, -5));
    EXPECT_EQ(llama_token_get_text(model_, 512), nullptr);
    EXPECT_EQ(llama_vocab_n_tokens(vocab), 512);
}

TEST_F(CModel, StepByStepAndAtOnceGiveTheSameLogits) {
    llama_context* ctx = context();
    const std::vector<llama_token> prompt = tokens("Once upon a time");
    const std::vector<llama_token> answer = greedy(ctx, prompt, 8);
    std::vector<llama_token> all = prompt;
    all.insert(all.end(), answer.begin(), answer.end());
    llama_context_params params = llama_context_default_params();
    params.logits_all = true;
    llama_context* whole = context(params);
    ASSERT_EQ(llama_decode(whole, llama_batch_get_one(all.data(), static_cast<int32_t>(all.size()), 0, 0)),
              0);
    for (size_t i = 0; i < answer.size(); ++i) {
        EXPECT_EQ(best(whole, static_cast<int32_t>(prompt.size() + i - 1)), answer[i]);
    }
    const llama_timings timings = llama_get_timings(ctx);
    EXPECT_EQ(timings.n_p_eval, static_cast<int32_t>(prompt.size()));
    EXPECT_EQ(timings.n_eval, 8);
}

TEST_F(CModel, OutputsAreFoundByTheirPlaceInTheBatch) {
    llama_context* ctx = context();
    std::vector<llama_token> ids = tokens("Once upon a time");
    llama_batch batch = llama_batch_init(static_cast<int32_t>(ids.size()), 0, 1);
    for (size_t i = 0; i < ids.size(); ++i) {
        batch.token[i] = ids[i];
        batch.pos[i] = static_cast<llama_pos>(i);
        batch.n_seq_id[i] = 1;
        batch.logits[i] = i == 1 || i == 3;
    }
    batch.n_tokens = static_cast<int32_t>(ids.size());
    ASSERT_EQ(llama_decode(ctx, batch), 0);
    const float* rows = llama_get_logits(ctx);
    EXPECT_EQ(llama_get_logits_ith(ctx, 1), rows);
    EXPECT_EQ(llama_get_logits_ith(ctx, 3), rows + 512);
    EXPECT_EQ(llama_get_logits_ith(ctx, -1), rows + 512);
    EXPECT_EQ(llama_get_logits_ith(ctx, -2), rows);
    const LogRecorder log;
    EXPECT_EQ(llama_get_logits_ith(ctx, 0), nullptr);
    EXPECT_EQ(llama_get_logits_ith(ctx, -3), nullptr);
    EXPECT_EQ(llama_get_logits_ith(ctx, 1000), nullptr);
    EXPECT_EQ(llama_get_embeddings(ctx), nullptr);
    llama_batch_free(batch);
}

TEST_F(CModel, WrongBatchesAreRefusedAndFullMemoryIsNoError) {
    llama_context_params params = llama_context_default_params();
    params.n_ctx = 32;
    params.flash_attn = false;
    llama_context* ctx = context(params);
    ASSERT_EQ(llama_n_ctx(ctx), 32u);
    EXPECT_EQ(llama_n_seq_max(ctx), 32u);
    std::vector<llama_token> ids(33, 5);
    const LogRecorder log;
    EXPECT_EQ(llama_decode(ctx, llama_batch_get_one(ids.data(), 0, 0, 0)), -1);
    EXPECT_EQ(llama_decode(ctx, llama_batch_get_one(ids.data(), -4, 0, 0)), -1);
    EXPECT_EQ(llama_decode(ctx, llama_batch_get_one(nullptr, 4, 0, 0)), -1);
    EXPECT_EQ(llama_decode(ctx, llama_batch_get_one(ids.data(), 4, -3, 0)), -1);
    EXPECT_EQ(llama_decode(ctx, llama_batch_get_one(ids.data(), 4, INT32_MAX - 1, 0)), -1);
    EXPECT_EQ(llama_decode(ctx, llama_batch_get_one(ids.data(), 4, 0, -1)), -1);
    llama_token unknown = 512;
    EXPECT_EQ(llama_decode(ctx, llama_batch_get_one(&unknown, 1, 0, 0)), -1);
    EXPECT_EQ(llama_decode(ctx, llama_batch_get_one(ids.data(), 33, 0, 0)), -1) << "more than n_batch";
    EXPECT_EQ(llama_get_kv_cache_used_cells(ctx), 0);
    EXPECT_EQ(llama_decode(ctx, llama_batch_get_one(ids.data(), 30, 0, 0)), 0);
    EXPECT_EQ(llama_decode(ctx, llama_batch_get_one(ids.data(), 3, 30, 0)), 1) << "no room";
    EXPECT_EQ(llama_get_kv_cache_used_cells(ctx), 30);
    EXPECT_TRUE(llama_kv_cache_seq_rm(ctx, 0, 10, -1));
    EXPECT_EQ(llama_decode(ctx, llama_batch_get_one(ids.data(), 3, 10, 0)), 0);
    EXPECT_EQ(llama_decode(nullptr, llama_batch_get_one(ids.data(), 3, 10, 0)), -1);
}

TEST_F(CModel, StopsWhenToldTo) {
    llama_context* ctx = context();
    std::vector<llama_token> ids = tokens("Once upon a time");
    const LogRecorder log;
    const llama_batch batch = llama_batch_get_one(ids.data(), static_cast<int32_t>(ids.size()), 0, 0);
    llama_decode_stop();
    EXPECT_EQ(llama_decode(ctx, batch), -3);
    llama_decode_reset();
    llama_kv_cache_clear(ctx);
    llama_set_abort_callback(
        ctx, [](void*) { return true; }, nullptr);
    EXPECT_EQ(llama_decode(ctx, batch), -3);
    llama_set_abort_callback(ctx, nullptr, nullptr);
    llama_kv_cache_clear(ctx);
    EXPECT_EQ(llama_decode(ctx, batch), 0);
}

TEST_F(CModel, SequencesAreCopiedShiftedAndShown) {
    llama_context_params params = llama_context_default_params();
    params.n_ctx = 64;
    llama_context* ctx = context(params);
    const std::vector<llama_token> prompt = tokens("Once upon a time");
    const auto n = static_cast<int32_t>(prompt.size());
    const std::vector<llama_token> first = greedy(ctx, prompt, 4);
    llama_kv_cache_clear(ctx);
    std::vector<llama_token> copy = prompt;
    ASSERT_EQ(llama_decode(ctx, llama_batch_get_one(copy.data(), n, 0, 0)), 0);
    llama_kv_cache_seq_cp(ctx, 0, 1, -1, -1);
    EXPECT_EQ(llama_get_kv_cache_token_count(ctx), 2 * n);
    EXPECT_EQ(llama_get_kv_cache_used_cells(ctx), n);
    llama_kv_cache_seq_keep(ctx, 1);
    EXPECT_EQ(llama_kv_cache_seq_pos_max(ctx, 0), 0);
    EXPECT_EQ(llama_kv_cache_seq_pos_min(ctx, 0), -1);
    EXPECT_EQ(llama_kv_cache_seq_pos_max(ctx, 1), n - 1);
    llama_token next = first[0];
    ASSERT_EQ(llama_decode(ctx, llama_batch_get_one(&next, 1, n, 1)), 0);
    EXPECT_EQ(best(ctx, -1), first[1]);

    llama_kv_cache_seq_add(ctx, 1, 0, -1, 5);
    EXPECT_EQ(llama_kv_cache_seq_pos_min(ctx, 1), 5);
    EXPECT_EQ(llama_kv_cache_update(ctx), 0);
    next = first[1];
    ASSERT_EQ(llama_decode(ctx, llama_batch_get_one(&next, 1, n + 6, 1)), 0);
    EXPECT_EQ(best(ctx, -1), first[2]) << "distances are the same as before the shift";

    llama_kv_cache_view view = llama_kv_cache_view_init(ctx, 2);
    llama_kv_cache_view_update(ctx, &view);
    EXPECT_EQ(view.n_cells, static_cast<int32_t>(llama_n_ctx(ctx)));
    EXPECT_EQ(view.used_cells, n + 2);
    EXPECT_EQ(view.max_contiguous, view.n_cells - view.used_cells);
    EXPECT_EQ(view.cells_sequences[0], 1);
    EXPECT_EQ(view.cells_sequences[1], -1);
    llama_kv_cache_view_free(&view);
    const LogRecorder log;
    llama_kv_cache_seq_div(ctx, 1, 0, -1, 0);
    EXPECT_EQ(log.lines().size(), 1u);
}

TEST_F(CModel, ShowsNamedValuesToTheEvaluationCallback) {
    struct Seen {
        int asked = 0;
        int shown = 0;
        bool has_values = true;
    } seen;
    llama_context_params params = llama_context_default_params();
    params.cb_eval = [](ggml_tensor* t, bool ask, void* data) {
        Seen& s = *static_cast<Seen*>(data);
        if (ask) {
            ++s.asked;
            return s.asked % 2 == 0;
        }
        ++s.shown;
        s.has_values = s.has_values && t->data != nullptr && t->name[0] != '\0' && t->ne[0] > 0;
        return true;
    };
    params.cb_eval_user_data = &seen;
    llama_context* ctx = context(params);
    std::vector<llama_token> ids = tokens("Once upon a time");
    ASSERT_EQ(llama_decode(ctx, llama_batch_get_one(ids.data(), static_cast<int32_t>(ids.size()), 0, 0)), 0);
    EXPECT_GT(seen.asked, 10);
    EXPECT_EQ(seen.shown, seen.asked / 2);
    EXPECT_TRUE(seen.has_values);
}

TEST_F(CModel, RefusesContradictoryParameters) {
    const LogRecorder log;
    const auto refused = [&](auto&& change) {
        llama_context_params params = llama_context_default_params();
        change(params);
        return llama_init_from_model(model_, params) == nullptr;
    };
    EXPECT_TRUE(refused([](auto& p) { p.n_batch = p.n_ubatch = 0; }));
    EXPECT_TRUE(refused([](auto& p) { p.n_ctx = UINT32_MAX; }));
    EXPECT_TRUE(refused([](auto& p) { p.type_k = GGML_TYPE_IQ1_S; }));
    EXPECT_TRUE(refused([](auto& p) {
        p.type_v = GGML_TYPE_Q8_0;
        p.flash_attn = false;
    }));
    EXPECT_TRUE(refused([](auto& p) { p.type_graph_attn = GGML_TYPE_Q8_0; }));
    EXPECT_TRUE(refused([](auto& p) { p.n_threads = UINT32_MAX; }));
    EXPECT_EQ(log.lines().size(), 7u) << "one line each, and one about flash_attn";
    EXPECT_EQ(llama_init_from_model(nullptr, llama_context_default_params()), nullptr);
}

TEST_F(CModel, ReportsParametersWithoutEffect) {
    const LogRecorder log;
    llama_context_params params = llama_context_default_params();
    params.min_experts = 2;
    params.fused_up_gate = false;
    context(params);
    EXPECT_TRUE(log.contains("has no effect in this version of Cria: min_experts = 2"));
    EXPECT_TRUE(log.contains("makes no difference here: fused_up_gate = false"));
}

TEST_F(CModel, GrammarsConstrainCandidates) {
    const llama_vocab* vocab = llama_model_get_vocab(model_);
    const LogRecorder log;
    EXPECT_EQ(llama_sampler_init_grammar(vocab, "root ::= \"a", "root"), nullptr);
    EXPECT_EQ(llama_sampler_init_grammar(vocab, "root ::= root \"a\"", "root"), nullptr);
    EXPECT_EQ(llama_sampler_init_grammar(vocab, "root ::= \"a\"", "missing"), nullptr);
    EXPECT_EQ(log.lines().size(), 3u);
    llama_grammar* grammar = llama_sampler_init_grammar(vocab, "root ::= \"a\" \"b\"", "root");
    ASSERT_NE(grammar, nullptr);
    const auto allowed = [&](const llama_grammar* g) {
        std::vector<llama_token_data> data;
        for (llama_token id = 0; id < 512; ++id) data.push_back({id, 1.0f, 0.0f});
        llama_token_data_array array{data.data(), data.size(), -1, false};
        llama_grammar_apply(g, nullptr, &array);
        std::vector<std::string> texts;
        for (const llama_token_data& d : data) {
            char piece[32];
            if (!std::isinf(d.logit))
                texts.emplace_back(
                    piece, static_cast<size_t>(llama_token_to_piece(model_, d.id, piece, 32, 0, true)));
        }
        return texts;
    };
    const std::vector<std::string> start = allowed(grammar);
    ASSERT_FALSE(start.empty());
    for (const std::string& text : start) EXPECT_TRUE(text == "a" || text == "ab") << text;
    const llama_token z = tokens("z").back();
    llama_grammar_accept_token(grammar, nullptr, z);
    EXPECT_EQ(allowed(grammar), start) << "a refused token changes nothing";
    llama_grammar* copy = llama_grammar_copy(grammar);
    llama_token a = 0;
    for (char piece[8]; a < 512; ++a) {
        if (llama_token_to_piece(model_, a, piece, 8, 0, true) == 1 && piece[0] == 'a') break;
    }
    llama_grammar_accept_token(grammar, nullptr, a);
    EXPECT_EQ(allowed(grammar), std::vector<std::string>(allowed(grammar).size(), "b"));
    EXPECT_EQ(allowed(copy), start);
    llama_grammar_free(grammar);
    llama_grammar_free(copy);
}

TEST_F(CModel, HistorySamplersLiveAndDie) {
    const llama_vocab* vocab = llama_model_get_vocab(model_);
    const char* breakers[] = {"\n", ":"};
    llama_sampler_dry* dry = llama_sampler_init_dry(vocab, 0.8f, 1.75f, 2, -1, breakers, 2);
    ASSERT_NE(dry, nullptr);
    for (const llama_token id : {5, 6, 7, 8, 5, 6, 7}) llama_sampler_dry_accept(dry, id);
    llama_sampler_dry* copy = llama_sampler_dry_clone(dry);
    llama_sampler_dry_reset(dry);
    const auto penalised = [&](llama_sampler_dry* sampler) {
        llama_token_data data[] = {{8, 1.0f, 0.0f}, {9, 1.0f, 0.0f}};
        llama_token_data_array array{data, 2, -1, false};
        llama_sample_dry(nullptr, sampler, &array);
        return data[0].id == 8 ? data[0].logit : data[1].logit;
    };
    EXPECT_LT(penalised(copy), 1.0f);
    EXPECT_EQ(penalised(dry), 1.0f);
    llama_sampler_dry_free(dry);
    llama_sampler_dry_free(copy);

    llama_sampler_adaptive_p* adaptive = llama_init_adaptive_p(3, 0.4f, 0.9f, false, 7);
    ASSERT_NE(adaptive, nullptr);
    llama_token_data data[] = {{0, 1.0f, 0.0f}, {1, 2.0f, 0.0f}, {2, 3.0f, 0.0f}};
    llama_token_data_array array{data, 3, -1, false};
    llama_prep_adaptive_p(nullptr, &array, adaptive);
    llama_sample_adaptive_p(nullptr, &array, adaptive);
    EXPECT_GE(llama_sample_token_adaptive_p(nullptr, &array, adaptive), 0);
    llama_review_adaptive_p(adaptive, 1, true);
    llama_free_adaptive_p(llama_clone_adaptive_p(adaptive));
    llama_free_adaptive_p(adaptive);
    const LogRecorder log;
    EXPECT_EQ(llama_init_adaptive_p(0, 0.4f, 0.9f, false, 7), nullptr);
    EXPECT_EQ(llama_sampler_init_dry(nullptr, 0.8f, 1.75f, 2, -1, nullptr, 0), nullptr);
    EXPECT_EQ(llama_sampler_init_dry(vocab, 0.8f, 1.75f, 2, -1, nullptr, 3), nullptr);
}

TEST_F(CModel, ControlVectorsChangeTheAnswerUntilTheyAreTakenAway) {
    llama_context* ctx = context();
    std::vector<llama_token> ids = tokens("Once upon a time");
    const auto logits = [&] {
        llama_kv_cache_clear(ctx);
        EXPECT_EQ(llama_decode(ctx, llama_batch_get_one(ids.data(), static_cast<int32_t>(ids.size()), 0, 0)),
                  0);
        const float* row = llama_get_logits_ith(ctx, -1);
        return std::vector<float>(row, row + 512);
    };
    const std::vector<float> plain = logits();
    std::vector<float> vectors(4 * 64, 0.5f);
    EXPECT_EQ(llama_control_vector_apply(ctx, vectors.data(), vectors.size(), 64, 1, 4), 0);
    EXPECT_NE(logits(), plain);
    EXPECT_EQ(llama_control_vector_apply(ctx, vectors.data(), vectors.size(), 64, 9, 9), 0);
    EXPECT_EQ(logits(), plain) << "no layer in range";
    EXPECT_EQ(llama_control_vector_apply(ctx, nullptr, 0, 0, 0, 0), 0);
    EXPECT_EQ(logits(), plain);
    const LogRecorder log;
    EXPECT_EQ(llama_control_vector_apply(ctx, vectors.data(), vectors.size(), 63, 1, 4), 1);
}

TEST(ChatFormats, AreAppliedByNameAndListed) {
    const char* names[100];
    const int32_t n = llama_chat_builtin_templates(names, 100);
    ASSERT_EQ(n, 42);
    EXPECT_EQ(llama_chat_builtin_templates(nullptr, 0), n);
    EXPECT_TRUE(
        std::any_of(names, names + n, [](const char* name) { return std::strcmp(name, "chatml") == 0; }));
    const llama_chat_message messages[] = {{"user", "Hi"}};
    const std::string expected = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n";
    char buffer[128];
    const auto length = static_cast<int32_t>(expected.size());
    EXPECT_EQ(llama_chat_apply_template("chatml", messages, 1, true, buffer, sizeof buffer), length);
    EXPECT_EQ(std::string(buffer), expected);
    EXPECT_EQ(llama_chat_apply_template("chatml", messages, 1, true, buffer, 4), length);
    EXPECT_EQ(llama_chat_apply_template("chatml", messages, 1, true, nullptr, 0), length);
    const LogRecorder log;
    EXPECT_EQ(llama_chat_apply_template("no such format", messages, 1, true, buffer, 4), -1);
    EXPECT_EQ(llama_chat_apply_template(nullptr, messages, 1, true, buffer, 4), -1);
    EXPECT_EQ(llama_chat_apply_template("chatml", nullptr, 1, true, buffer, 4), -1);
}

TEST(NoModel, FilesThatAreNoneGiveNull) {
    const LogRecorder log;
    EXPECT_EQ(llama_model_load_from_file(nullptr, llama_model_default_params()), nullptr);
    EXPECT_EQ(llama_model_load_from_file("/no/such/file", llama_model_default_params()), nullptr);
    EXPECT_EQ(llama_model_load_from_file("/", llama_model_default_params()), nullptr);
    EXPECT_FALSE(llama_is_gemma4_mtp_file("/no/such/file"));
    EXPECT_EQ(log.lines().size(), 4u);
}

TEST_F(CModel, LoadingCanBeCancelled) {
    const LogRecorder log;
    llama_model_params params = llama_model_default_params();
    params.progress_callback = [](float, void*) { return false; };
    EXPECT_EQ(llama_model_load_from_file(kModel.c_str(), params), nullptr);
}

TEST_F(CModel, OfVocabularyAloneHasNoContext) {
    llama_model_params params = llama_model_default_params();
    params.vocab_only = true;
    llama_model* model = llama_model_load_from_file(kModel.c_str(), params);
    ASSERT_NE(model, nullptr);
    EXPECT_EQ(llama_n_vocab(model), 512);
    EXPECT_EQ(llama_model_n_embd(model), 64);
    const LogRecorder log;
    EXPECT_EQ(llama_init_from_model(model, llama_context_default_params()), nullptr);
    llama_free_model(model);
}

}  // namespace
}  // namespace cria::capi
