// See grammar_constraint.h.
#include "sampling/grammar_constraint.h"

#include <limits>

#include "base/error.h"

namespace cria::sampling {

void GrammarConstraint::apply(CandidateArray& candidates) {
    sanitise(candidates);
    const auto mask = now_.mask();
    for (TokenData& item : candidates.span())
        if (item.id < 0 || !mask->allows(static_cast<uint32_t>(item.id)))
            item.logit = -std::numeric_limits<float>::infinity();
    candidates.sorted = false;
}

bool GrammarConstraint::allows(Token token) const {
    return token >= 0 && now_.allows(static_cast<uint32_t>(token));
}

void GrammarConstraint::accept(Token token) {
    if (token < 0) fail(ErrorCode::invalid_argument, "token {} does not exist", token);
    now_.accept(static_cast<uint32_t>(token));
}

}  // namespace cria::sampling
