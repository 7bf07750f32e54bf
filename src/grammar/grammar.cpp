// Building expressions: bookkeeping of tables and of sizes.
#include "grammar/grammar.h"

#include "base/checked.h"

namespace cria::grammar {
namespace {

uint64_t saturating_add(uint64_t a, uint64_t b) { return checked_add(a, b).value_or(UINT64_MAX); }
uint64_t saturating_mul(uint64_t a, uint64_t b) { return checked_mul(a, b).value_or(UINT64_MAX); }

}  // namespace

ExprId Grammar::add(Expr expr) {
    exprs_.push_back(std::move(expr));
    return static_cast<ExprId>(exprs_.size() - 1);
}

ExprId Grammar::literal(std::string_view bytes) {
    texts_.emplace_back(bytes);
    return add({.kind = ExprKind::literal,
                .target = static_cast<uint32_t>(texts_.size() - 1),
                .size = bytes.size() + 1,
                .children = {}});
}

ExprId Grammar::characters(CodePointSet set) {
    const uint64_t size = 2 + set.ranges().size();
    sets_.push_back(std::move(set));
    return add({.kind = ExprKind::characters,
                .target = static_cast<uint32_t>(sets_.size() - 1),
                .size = size,
                .children = {}});
}

ExprId Grammar::sequence(std::vector<ExprId> parts) {
    if (parts.size() == 1) return parts.front();
    uint64_t size = 1;
    for (ExprId part : parts) size = saturating_add(size, exprs_[part].size);
    return add({.kind = ExprKind::sequence, .size = size, .children = std::move(parts)});
}

ExprId Grammar::choice(std::vector<ExprId> alternatives) {
    if (alternatives.size() == 1) return alternatives.front();
    uint64_t size = 1;
    for (ExprId alternative : alternatives) size = saturating_add(size, exprs_[alternative].size);
    return add({.kind = ExprKind::choice, .size = size, .children = std::move(alternatives)});
}

ExprId Grammar::repeat(ExprId what, uint32_t min, uint32_t max) {
    const uint64_t copies = max == kUnlimited ? saturating_add(min, 1) : max;
    return add({.kind = ExprKind::repeat,
                .min = min,
                .max = max,
                .size = saturating_add(saturating_mul(copies, exprs_[what].size), 1),
                .children = {what}});
}

ExprId Grammar::rule(RuleId id) { return add({.kind = ExprKind::rule, .target = id, .children = {}}); }

ExprId Grammar::token(uint32_t id, bool negated) {
    return add({.kind = ExprKind::token, .negated = negated, .target = id, .children = {}});
}

ExprId Grammar::strings(StringSet set, StringEncoding encoding) {
    uint64_t size = 2;
    for (const StringSet::State& state : set.states())
        size = saturating_add(size, 1 + 2 * state.edges.size());
    string_sets_.push_back(std::move(set));
    return add({.kind = ExprKind::strings,
                .encoding = encoding,
                .target = static_cast<uint32_t>(string_sets_.size() - 1),
                .size = size,
                .children = {}});
}

RuleId Grammar::add_rule(std::string name, Place place) {
    rules_.push_back({std::move(name), place, std::nullopt});
    return static_cast<RuleId>(rules_.size() - 1);
}

}  // namespace cria::grammar
