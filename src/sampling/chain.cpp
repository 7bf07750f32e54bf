// See chain.h. Biases and penalties touch few tokens: they are worked out on a small array of just those and
// written into a copy of the logits, so that the array of all candidates need not be built when top-k comes
// first.
#include "sampling/chain.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "sampling/draw.h"
#include "sampling/mirostat.h"
#include "sampling/temperature.h"
#include "sampling/truncation.h"

namespace cria::sampling {
namespace {

uint32_t resolve_seed(uint32_t seed) { return seed == kRandomSeed ? std::random_device()() : seed; }

DryOptions dry_options(const SamplingOptions& options) {
    const bool is_named = std::count(options.samplers.begin(), options.samplers.end(), SamplerKind::dry) > 0;
    return {.multiplier = is_named ? options.dry_multiplier : 0.0f,
            .base = options.dry_base,
            .allowed_length = options.dry_allowed_length,
            .last_n = options.dry_penalty_last_n};
}

AdaptiveOptions adaptive_options(const SamplingOptions& options) {
    return {.target = options.adaptive_target,
            .decay = options.adaptive_decay,
            .uses_current = options.adaptive_updt_w_cur};
}

const SamplingOptions& checked(const SamplingOptions& options) {
    check_sampling_options(options);
    return options;
}

bool is_greedy(const SamplingOptions& options) { return options.temp <= 0.0f; }

}  // namespace

SamplerChain::SamplerChain(const SamplingOptions& options, const ChainContext& context)
    : options_(checked(options)),
      context_(context),
      seed_(resolve_seed(options.seed)),
      rng_(seed_),
      dry_(dry_options(options), context.context_size, context.dry_breakers),
      steering_{2.0f * options.mirostat_tau, AdaptiveSampler(adaptive_options(options))} {
    const bool has_penalties =
        options.penalty_repeat != 1.0f || options.penalty_freq != 0.0f || options.penalty_present != 0.0f;
    const int32_t window = options.penalty_last_n < 0 ? context.context_size : options.penalty_last_n;
    if (has_penalties) penalty_window_ = static_cast<size_t>(window);
}

SamplerChain::SamplerChain(const SamplerChain& other)
    : options_(other.options_),
      context_(other.context_),
      seed_(other.seed_),
      rng_(other.rng_),
      history_(other.history_),
      penalty_window_(other.penalty_window_),
      dry_(other.dry_),
      steering_(other.steering_) {
    for (const auto& processor : other.processors_) processors_.push_back(processor->clone());
    if (other.constraint_ != nullptr) {
        auto copy = other.constraint_->clone();
        constraint_.reset(dynamic_cast<Constraint*>(copy.get()));
        CRIA_BUG_UNLESS(constraint_ != nullptr);
        copy.release();
    }
}

SamplerChain& SamplerChain::operator=(const SamplerChain& other) {
    if (this != &other) *this = SamplerChain(other);
    return *this;
}

void SamplerChain::add(std::unique_ptr<LogitsProcessor> processor) {
    if (processor == nullptr) fail(ErrorCode::invalid_argument, "sampler chain: a null processor was added");
    processors_.push_back(std::move(processor));
}

void SamplerChain::set_constraint(std::unique_ptr<Constraint> constraint) {
    constraint_ = std::move(constraint);
}

Token SamplerChain::sample(std::span<const float> logits) { return sample(logits, {}); }

Token SamplerChain::sample(std::span<const float> logits, std::span<const TokenBias> extra_biases) {
    std::vector<OptionChange> changes;
    for (const auto& processor : processors_)
        for (OptionChange& change : processor->option_changes()) changes.push_back(std::move(change));
    if (changes.empty()) return sample_with_options(logits, extra_biases);
    // Puts the options back even when there is nothing to sample.
    struct Restore {
        SamplingOptions& place;
        SamplingOptions value;
        ~Restore() { place = std::move(value); }
    } restore{options_, options_};
    for (const OptionChange& change : changes) change_option(options_, change);
    return sample_with_options(logits, extra_biases);
}

Token SamplerChain::sample_with_options(std::span<const float> logits,
                                        std::span<const TokenBias> extra_biases) {
    if (!is_greedy(options_)) steering_.adaptive.prepare(logits);
    const auto edits = edited(logits, extra_biases);
    if (constraint_ == nullptr) return choose(edits, false);
    const Steering before = steering_;
    const Token token = choose(edits, false);
    if (constraint_->allows(token)) return token;
    steering_ = before;
    return choose(edits, true);
}

void SamplerChain::accept(Token token) {
    // The only one that may refuse comes first: then nothing has changed.
    if (constraint_ != nullptr) constraint_->accept(token);
    if (penalty_window_ > 0) {
        if (history_.size() >= 2 * penalty_window_)
            history_.erase(history_.begin(), history_.end() - static_cast<ptrdiff_t>(penalty_window_));
        history_.push_back(token);
    }
    dry_.accept(token);
    steering_.adaptive.review(0, false);
    for (const auto& processor : processors_) processor->accept(token);
}

void SamplerChain::reset() {
    rng_.seed(seed_);
    history_.clear();
    dry_.reset();
    steering_.mu = 2.0f * options_.mirostat_tau;
    steering_.adaptive.reset();
    for (const auto& processor : processors_) processor->reset();
    if (constraint_ != nullptr) constraint_->reset();
}

std::string SamplerChain::describe() const {
    std::string line;
    for (const auto& processor : processors_) line += processor->describe() + " -> ";
    if (constraint_ != nullptr) line += constraint_->describe() + " -> ";
    line += describe_sampling(options_);
    return is_greedy(options_) ? line : fmt::format("{} (seed {})", line, seed_);
}

// Tokens that penalties look at, without newlines unless these are wanted.
std::vector<Token> SamplerChain::penalised_tokens() const {
    const std::span<const Token> all = options_.penalty_tokens ? *options_.penalty_tokens : history_;
    const auto recent = all.last(std::min(penalty_window_, all.size()));
    std::vector<Token> tokens(recent.begin(), recent.end());
    if (!options_.penalize_nl) std::erase(tokens, context_.newline);
    return tokens;
}

// The logits with biases and penalties: the given ones, or the copy of this chain.
std::span<const float> SamplerChain::edited(std::span<const float> logits,
                                            std::span<const TokenBias> extra_biases) {
    const std::vector<Token> recent = penalised_tokens();
    std::vector<TokenBias> biases = options_.logit_bias;
    biases.insert(biases.end(), extra_biases.begin(), extra_biases.end());
    if (recent.empty() && biases.empty()) return logits;

    std::vector<TokenData> touched;
    const auto touch = [&](Token token) {
        if (token >= 0 && static_cast<size_t>(token) < logits.size())
            touched.push_back({token, logits[static_cast<size_t>(token)], 0.0f});
    };
    for (const Token token : recent) touch(token);
    for (const TokenBias& bias : biases) touch(bias.token);
    if (touched.empty()) return logits;
    std::sort(touched.begin(), touched.end(),
              [](const TokenData& a, const TokenData& b) { return a.id < b.id; });
    const auto same = [](const TokenData& a, const TokenData& b) { return a.id == b.id; };
    touched.erase(std::unique(touched.begin(), touched.end(), same), touched.end());

    CandidateArray small{.data = touched.data(), .size = touched.size()};
    add_bias(small, biases);
    penalise(small, recent,
             {.repeat = options_.penalty_repeat,
              .frequency = options_.penalty_freq,
              .presence = options_.penalty_present});
    edited_logits_.assign(logits.begin(), logits.end());
    for (const TokenData& item : touched) edited_logits_[static_cast<size_t>(item.id)] = item.logit;
    return edited_logits_;
}

void SamplerChain::process(CandidateArray& candidates, bool is_constrained) {
    for (const auto& processor : processors_) processor->apply(candidates);
    if (is_constrained) constraint_->apply(candidates);
    candidates.sorted = false;
    remove_impossible(candidates);
}

Token SamplerChain::choose(std::span<const float> logits, bool is_constrained) {
    const bool is_plain = processors_.empty() && !is_constrained && !dry_.is_active();
    const auto& order = options_.samplers;
    if (is_plain && is_greedy(options_)) {
        const Token token = greedy(logits);
        buffer_.fill_top(logits.subspan(static_cast<size_t>(token), 1), 1).data[0].id = token;
        return token;
    }
    size_t first = 0;  // sampler to go on with
    if (is_plain && options_.mirostat == 0) {
        while (first < order.size() && order[first] == SamplerKind::dry) ++first;
        const bool starts_with_top_k =
            first < order.size() && order[first] == SamplerKind::top_k && options_.top_k > 0;
        if (starts_with_top_k) {
            buffer_.fill_top(logits, static_cast<size_t>(std::max(options_.top_k, options_.min_keep)));
            ++first;
        } else {
            buffer_.fill(logits);
        }
        remove_impossible(buffer_.array());
    } else {
        process(buffer_.fill(logits), is_constrained);
    }
    CandidateArray& candidates = buffer_.array();
    if (is_greedy(options_)) {
        dry_.apply(candidates);
        top_k(candidates, 1, 1);
        return greedy(candidates);
    }
    if (options_.mirostat != 0) {
        dry_.apply(candidates);
        run_temperature(candidates);
        const MirostatOptions mirostat_options{.tau = options_.mirostat_tau, .eta = options_.mirostat_eta};
        if (options_.mirostat == 2) return mirostat_v2(candidates, mirostat_options, steering_.mu, rng_);
        return mirostat(candidates, mirostat_options, static_cast<int32_t>(logits.size()), steering_.mu,
                        rng_);
    }
    run_samplers(candidates, first);
    if (!steering_.adaptive.is_active()) return draw(candidates, rng_);
    steering_.adaptive.apply(candidates);
    return steering_.adaptive.sample(candidates, rng_);
}

void SamplerChain::run_samplers(CandidateArray& candidates, size_t first) {
    for (size_t i = first; i < options_.samplers.size(); ++i) run_sampler(options_.samplers[i], candidates);
}

void SamplerChain::run_sampler(SamplerKind kind, CandidateArray& candidates) {
    const SamplingOptions& o = options_;
    const auto min_keep = static_cast<size_t>(o.min_keep);
    switch (kind) {
        case SamplerKind::dry:
            return dry_.apply(candidates);
        case SamplerKind::top_k:
            if (o.top_k > 0) top_k(candidates, o.top_k, min_keep);
            return;
        case SamplerKind::tail_free:
            return tail_free(candidates, o.tfs_z, min_keep);
        case SamplerKind::typical:
            return typical(candidates, o.typical_p, min_keep);
        case SamplerKind::top_p:
            return top_p(candidates, o.top_p, min_keep);
        case SamplerKind::min_p:
            return min_p(candidates, o.min_p, min_keep);
        case SamplerKind::xtc:
            return xtc(candidates,
                       {.probability = o.xtc_probability, .threshold = o.xtc_threshold, .min_keep = min_keep},
                       rng_);
        case SamplerKind::top_n_sigma:
            return top_n_sigma(candidates, o.top_n_sigma);
        case SamplerKind::temperature:
            return run_temperature(candidates);
        case SamplerKind::adaptive_p:
            return;  // runs last, wherever it stands
    }
}

void SamplerChain::run_temperature(CandidateArray& candidates) {
    const SamplingOptions& o = options_;
    if (o.dynatemp_range <= 0.0f) return temperature(candidates, o.temp);
    dynamic_temperature(candidates, {.min = std::max(0.0f, o.temp - o.dynatemp_range),
                                     .max = o.temp + o.dynatemp_range,
                                     .exponent = o.dynatemp_exponent});
}

void set_probabilities(CandidateArray& candidates) {
    const float max = sanitise(candidates);
    double sum = 0;
    for (TokenData& item : candidates.span()) {
        item.p = std::isinf(max) ? 0.0f : std::exp(item.logit - max);
        sum += item.p;
    }
    if (sum == 0) return;
    for (TokenData& item : candidates.span()) item.p = static_cast<float>(item.p / sum);
}

std::vector<TokenData> most_probable(std::span<const float> logits, size_t n) {
    CandidateBuffer buffer;
    const CandidateArray& best = buffer.fill_top(logits, n);
    std::vector<TokenData> result(best.data, best.data + best.size);
    const float max = result[0].logit;
    if (std::isinf(max)) return result;
    double sum = 0;
    for (const float logit : logits)
        if (!std::isnan(logit)) sum += std::exp(std::min(logit - max, 0.0f));
    for (TokenData& item : result) item.p = static_cast<float>(std::exp(item.logit - max) / sum);
    return result;
}

}  // namespace cria::sampling
