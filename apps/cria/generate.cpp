// The generation loop.
#include "generate.h"

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "vocab/utf8.h"

namespace cria::app {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

sampling::ChainContext chain_context(const Context& context) {
    return {.context_size = context.n_ctx(), .newline = context.model().vocab().newline()};
}

}  // namespace

const char* finish_reason_name(FinishReason reason) {
    switch (reason) {
        case FinishReason::stop:
            return "stop";
        case FinishReason::length:
            return "length";
        case FinishReason::context_full:
            return "context_full";
        case FinishReason::interrupted:
            return "interrupted";
    }
    return "unknown";
}

Generator::Generator(Context& context, const sampling::SamplingOptions& options)
    : context_(context), chain_(options, chain_context(context)) {}

void Generator::feed(std::span<const int32_t> prompt, GenerationStats& stats) {
    const auto same =
        std::mismatch(in_context_.begin(), in_context_.end(), prompt.begin(), prompt.end()).first;
    auto n_reused = static_cast<size_t>(same - in_context_.begin());
    n_reused = std::min(n_reused, prompt.size() - 1);  // the last token gives the logits
    in_context_.resize(n_reused);
    context_.cells().remove(0, static_cast<int32_t>(n_reused), -1);
    chain_.reset();
    for (size_t i = 0; i < n_reused; ++i) chain_.accept(prompt[i]);
    for (size_t first = n_reused; first < prompt.size();) {
        const size_t count = std::min(prompt.size() - first, static_cast<size_t>(context_.n_batch()));
        context_.decode(Batch::of_sequence(prompt.subspan(first, count), static_cast<int32_t>(first), 0));
        for (const int32_t token : prompt.subspan(first, count)) {
            in_context_.push_back(token);
            chain_.accept(token);
        }
        first += count;
    }
    stats.n_prompt = static_cast<int32_t>(prompt.size());
    stats.n_reused = static_cast<int32_t>(n_reused);
}

bool Generator::decode_one(int32_t token) {
    try {
        context_.decode(
            Batch::of_sequence(std::span(&token, 1), static_cast<int32_t>(in_context_.size()), 0));
    } catch (const Error& e) {
        // What was said so far stands; the token's cell is given up when the next prompt is fed.
        if (e.code() == ErrorCode::cancelled) return false;
        throw;
    }
    in_context_.push_back(token);
    return true;
}

GenerationResult Generator::generate(std::span<const int32_t> prompt, int32_t max_tokens, const Sink& sink) {
    if (prompt.empty()) fail(ErrorCode::invalid_argument, "the prompt has no tokens");
    if (prompt.size() >= static_cast<size_t>(context_.n_ctx())) {
        fail(ErrorCode::invalid_argument,
             "the prompt has {} tokens, but the context holds {}; make it larger with -c", prompt.size(),
             context_.n_ctx());
    }
    GenerationResult result;
    const auto start = Clock::now();
    feed(prompt, result.stats);
    result.stats.prompt_seconds = seconds_since(start);
    const Vocab& vocab = context_.model().vocab();
    Utf8Assembler assembler;
    const auto emit = [&](const std::string& text) {
        result.text += text;
        return text.empty() || sink(text);
    };
    const auto generation_start = Clock::now();
    for (;;) {
        if (max_tokens >= 0 && result.stats.n_generated >= max_tokens) {
            result.finish = FinishReason::length;
            break;
        }
        const int32_t token = chain_.sample(context_.logits(-1));
        if (result.stats.n_generated == 0) result.stats.first_token_seconds = seconds_since(start);
        chain_.accept(token);
        ++result.stats.n_generated;
        if (vocab.is_end_of_generation(token)) break;
        result.tokens.push_back(token);
        if (!emit(assembler.push(vocab.token_to_piece(token, {.special = false})))) {
            result.finish = FinishReason::interrupted;
            break;
        }
        if (context_.cells().n_free() == 0) {
            result.finish = FinishReason::context_full;
            break;
        }
        if (!decode_one(token)) {
            result.finish = FinishReason::interrupted;
            break;
        }
    }
    emit(assembler.finish());
    result.stats.generate_seconds = seconds_since(generation_start);
    return result;
}

}  // namespace cria::app
