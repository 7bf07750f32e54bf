// Contexts: life, settings, running tokens, outputs.
#include <atomic>
#include <random>

#include "capi/batch_conversion.h"
#include "capi/handles.h"
#include "capi/parameters.h"
#include "capi/tensor_view.h"

using namespace cria::capi;

namespace {

// Shared by all contexts, as programs expect; contexts of Cria's own interface are stopped one by one.
std::atomic<bool> is_stopped{false};

// Shows each value to a C callback: first the question, then the values.
cria::ValueObserver observer_of(ggml_backend_sched_eval_callback callback, void* user_data) {
    return [callback, user_data](const cria::Node&, const cria::ValueInfo& info, const float* data,
                                 int64_t n_rows) {
        ggml_tensor tensor = view_of_value(info.name, info.width, n_rows, data);
        return !callback(&tensor, true, user_data) || callback(&tensor, false, user_data);
    };
}

// What llama_decode returns for an error; -4 stands for all that have no number of their own.
int32_t decode_result(cria::ErrorCode code) {
    switch (code) {
        case cria::ErrorCode::no_space:
            return 1;
        case cria::ErrorCode::invalid_argument:
            return -1;
        case cria::ErrorCode::out_of_memory:
            return -2;
        case cria::ErrorCode::cancelled:
            return -3;
        default:
            return -4;
    }
}

void copy_timings(llama_context& ctx) {
    constexpr double kUsPerSecond = 1e6;
    const cria::Timings& from = ctx.context->timings();
    ctx.timings.prompt_us = static_cast<int64_t>(from.prompt_seconds * kUsPerSecond);
    ctx.timings.eval_us = static_cast<int64_t>(from.generate_seconds * kUsPerSecond);
    ctx.timings.n_prompt = static_cast<int32_t>(from.n_prompt);
    ctx.timings.n_eval = static_cast<int32_t>(from.n_generated);
}

int32_t run_batch(const char* function, llama_context* ctx, const llama_batch& batch) {
    constexpr int32_t kFailed = -4;
    return guard<int32_t>(function, kFailed, [&]() -> int32_t {
        try {
            context_of(ctx).decode(convert_batch(batch, *ctx));
            copy_timings(*ctx);
            return 0;
        } catch (const cria::Error& error) {
            log_current_exception(function);
            return decode_result(error.code());
        } catch (const std::bad_alloc&) {
            log_current_exception(function);
            return decode_result(cria::ErrorCode::out_of_memory);
        }
    });
}

// Numbers of a context that are 0 without one.
template <typename Getter>
uint32_t number(const char* function, const llama_context* ctx, Getter&& getter) {
    return guard<uint32_t>(function, 0, [&] { return static_cast<uint32_t>(getter(context_of(ctx))); });
}

}  // namespace

bool cria::capi::decode_is_stopped() noexcept { return is_stopped.load(std::memory_order_relaxed); }

void llama_decode_stop() { is_stopped = true; }

void llama_decode_reset() { is_stopped = false; }

llama_context* llama_init_from_model(llama_model* model, llama_context_params params) {
    return guard<llama_context*>("llama_init_from_model", nullptr, [&] {
        const cria::Model& m = model_of(model);
        auto ctx = std::make_unique<llama_context>();
        ctx->model = model;
        cria::ContextOptions options = context_options(m, params);
        if (params.cb_eval != nullptr)
            options.observer = observer_of(params.cb_eval, params.cb_eval_user_data);
        ctx->abort_callback = params.abort_callback;
        ctx->abort_data = params.abort_callback_data;
        options.stop = [handle = ctx.get()] {
            return decode_is_stopped() ||
                   (handle->abort_callback != nullptr && handle->abort_callback(handle->abort_data));
        };
        ctx->context = std::make_unique<cria::Context>(model->model, options);
        ctx->n_vocab = static_cast<int32_t>(m.spec().n_vocab);
        ctx->logits_all = params.logits_all;
        ctx->rng.seed(params.seed == LLAMA_DEFAULT_SEED ? std::random_device()() : params.seed);
        ctx->timings = {.start_us = llama_time_us(), .load_us = model->load_us};
        return ctx.release();
    });
}

void llama_free(llama_context* ctx) { delete ctx; }

const llama_model* llama_get_model(const llama_context* ctx) {
    return guard<const llama_model*>("llama_get_model", nullptr, [&] { return required(ctx, "ctx").model; });
}

const llama_vocab* llama_get_vocab(const llama_context* ctx) {
    return guard<const llama_vocab*>("llama_get_vocab", nullptr,
                                     [&] { return &required(required(ctx, "ctx").model, "ctx").vocab; });
}

uint32_t llama_n_ctx(const llama_context* ctx) {
    return number("llama_n_ctx", ctx, [](const auto& c) { return c.n_ctx(); });
}

uint32_t llama_n_batch(const llama_context* ctx) {
    return number("llama_n_batch", ctx, [](const auto& c) { return c.n_batch(); });
}

uint32_t llama_n_ubatch(const llama_context* ctx) {
    return number("llama_n_ubatch", ctx, [](const auto& c) { return c.n_ubatch(); });
}

uint32_t llama_n_seq_max(const llama_context* ctx) {
    return number("llama_n_seq_max", ctx, [](const auto& c) { return c.n_ctx(); });
}

enum llama_pooling_type llama_pooling_type(const llama_context* ctx) {
    using Type = enum llama_pooling_type;
    return guard<Type>("llama_pooling_type", LLAMA_POOLING_TYPE_NONE,
                       [&] { return static_cast<Type>(context_of(ctx).pooling()); });
}

void llama_set_n_threads(llama_context* ctx, uint32_t n_threads, uint32_t n_threads_batch) {
    guard("llama_set_n_threads", [&] {
        if (n_threads > INT32_MAX || n_threads_batch > INT32_MAX) {
            cria::fail(cria::ErrorCode::invalid_argument, "{} and {} threads are too many", n_threads,
                       n_threads_batch);
        }
        context_of(ctx).set_threads(static_cast<int32_t>(n_threads), static_cast<int32_t>(n_threads_batch));
    });
}

uint32_t llama_n_threads(llama_context* ctx) {
    return number("llama_n_threads", ctx, [](const auto& c) { return c.n_threads(); });
}

uint32_t llama_n_threads_batch(llama_context* ctx) {
    return number("llama_n_threads_batch", ctx, [](const auto& c) { return c.n_threads_batch(); });
}

void llama_set_embeddings(llama_context* ctx, bool embeddings) {
    guard("llama_set_embeddings", [&] { context_of(ctx).set_embeddings(embeddings); });
}

void llama_set_causal_attn(llama_context* ctx, bool causal_attn) {
    guard("llama_set_causal_attn", [&] { context_of(ctx).set_causal(causal_attn); });
}

void llama_set_abort_callback(llama_context* ctx, ggml_abort_callback abort_callback,
                              void* abort_callback_data) {
    guard("llama_set_abort_callback", [&] {
        llama_context& handle = required(ctx, "ctx");
        handle.abort_callback = abort_callback;
        handle.abort_data = abort_callback_data;
    });
}

void llama_set_offload_policy(llama_context* lctx, int op, bool on_or_off) {
    // There is no device to copy to.
    guard("llama_set_offload_policy", [&] { context_of(lctx); });
}

int32_t llama_decode(llama_context* ctx, llama_batch batch) { return run_batch("llama_decode", ctx, batch); }

int32_t llama_encode(llama_context* ctx, llama_batch batch) { return run_batch("llama_encode", ctx, batch); }

void llama_synchronize(llama_context* ctx) {
    guard("llama_synchronize", [&] {
        context_of(ctx);
        copy_timings(*ctx);
    });
}

float* llama_get_logits(llama_context* ctx) {
    return guard<float*>("llama_get_logits", nullptr, [&]() -> float* {
        cria::Context& context = context_of(ctx);
        return context.gives_embeddings() || context.n_outputs() == 0 ? nullptr : context.outputs().data();
    });
}

float* llama_get_embeddings(llama_context* ctx) {
    return guard<float*>("llama_get_embeddings", nullptr, [&]() -> float* {
        cria::Context& context = context_of(ctx);
        return !context.gives_embeddings() || context.n_outputs() == 0 ? nullptr : context.outputs().data();
    });
}

float* llama_get_logits_ith(llama_context* ctx, int32_t i) {
    return guard<float*>("llama_get_logits_ith", nullptr, [&] { return context_of(ctx).logits(i).data(); });
}

float* llama_get_embeddings_ith(llama_context* ctx, int32_t i) {
    return guard<float*>("llama_get_embeddings_ith", nullptr,
                         [&] { return context_of(ctx).embeddings(i).data(); });
}

float* llama_get_embeddings_seq(llama_context* ctx, llama_seq_id seq_id) {
    return guard<float*>("llama_get_embeddings_seq", nullptr, [&]() -> float* {
        const std::span<float> vector = context_of(ctx).pooled_embedding(seq_id);
        return vector.empty() ? nullptr : vector.data();
    });
}

void llama_set_mtp_op_type(llama_context* ctx, enum llama_mtp_op_type mtp_op_type) {
    log_not_available("llama_set_mtp_op_type");
}

void llama_set_mtp_target_context(llama_context* ctx, llama_context* target) {
    log_not_available("llama_set_mtp_target_context");
}

void llama_set_draft_input_hidden_state(llama_context* ctx, const float* hidden_state) {
    log_not_available("llama_set_draft_input_hidden_state");
}
