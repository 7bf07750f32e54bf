// The strings that satisfy a pattern, as an automaton: subsets of instructions become states. What a state
// must remember for assertions is whether text stands before it, and whether the last character was a word
// character.
#include <algorithm>
#include <map>

#include "base/error.h"
#include "grammar/regex.h"

namespace cria::grammar {
namespace {

// Characters that no set of the pattern tells apart.
struct CharacterClass {
    std::vector<CodePointRange> ranges;
    std::vector<bool> in_set;  // by index of the pattern's sets
    bool is_word;
};

std::vector<CharacterClass> character_classes(const std::vector<CodePointSet>& sets) {
    std::vector<const CodePointSet*> all;
    for (const CodePointSet& set : sets) all.push_back(&set);
    all.push_back(&regex_word_characters());
    std::vector<uint32_t> starts = {0, 0xE000};
    for (const CodePointSet* set : all) {
        for (const CodePointRange& range : set->ranges()) {
            starts.push_back(range.first);
            starts.push_back(range.last + 1);
        }
    }
    starts.push_back(0xD800);
    starts.push_back(kMaxCodePoint + 1);
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    std::map<std::vector<bool>, CharacterClass> classes;
    for (size_t i = 0; i + 1 < starts.size(); ++i) {
        if (!CodePointSet::all().contains(starts[i])) continue;
        std::vector<bool> membership;
        for (const CodePointSet* set : all) membership.push_back(set->contains(starts[i]));
        CharacterClass& known = classes[membership];
        known.ranges.push_back({starts[i], starts[i + 1] - 1});
        known.is_word = membership.back();
        known.in_set = membership;
    }
    std::vector<CharacterClass> list;
    for (auto& [membership, known] : classes) list.push_back(std::move(known));
    return list;
}

class LanguageBuilder {
  public:
    LanguageBuilder(const Regex& regex, RegexUse use)
        : regex_(regex), use_(use), classes_(character_classes(regex.sets())) {}

    StringSet build() {
        id_of({.threads = {0}, .at_begin = true});
        // The sink of matched searches, if there is one, is an ordinary state with `matched` set.
        for (size_t i = 0; i < order_.size(); ++i) states_.push_back(expand(order_[i]));
        return StringSet(std::move(states_));
    }

  private:
    struct Subset {
        std::vector<uint32_t> threads;
        bool at_begin = false;
        bool after_word = false;
        bool matched = false;
        auto operator<=>(const Subset&) const = default;
    };

    uint32_t id_of(Subset subset) {
        const auto [known, is_new] =
            ids_.try_emplace(std::move(subset), static_cast<uint32_t>(order_.size()));
        if (is_new) {
            order_.push_back(known->first);
            n_threads_ += known->first.threads.size();
        }
        if (order_.size() > StringSet::kMaxStates || n_threads_ > kMaxThreads) {
            fail(ErrorCode::unsupported,
                 "a regular expression needs more than {} states; make repetition counts smaller",
                 StringSet::kMaxStates);
        }
        return known->second;
    }

    StringSet::State expand(const Subset subset) {
        StringSet::State state;
        std::vector<uint32_t> readers;
        RegexContext context{.at_begin = subset.at_begin, .at_end = true, .word_before = subset.after_word};
        state.accepts = subset.matched || closure_.run(regex_, subset.threads, context, readers);
        context.at_end = false;
        for (const bool is_word : {false, true}) {
            readers.clear();
            context.word_after = is_word;
            const bool is_match =
                closure_.run(regex_, subset.threads, context, readers) && use_ == RegexUse::search;
            for (const CharacterClass& characters : classes_) {
                if (characters.is_word == is_word)
                    add_edges(state, readers, characters, subset.matched || is_match);
            }
        }
        std::sort(state.edges.begin(), state.edges.end(),
                  [](const auto& a, const auto& b) { return a.range < b.range; });
        return state;
    }

    void add_edges(StringSet::State& state, const std::vector<uint32_t>& readers,
                   const CharacterClass& characters, bool matched) {
        Subset next{.matched = matched};
        if (!matched) {
            for (const uint32_t reader : readers) {
                const Regex::Instruction& instruction = regex_.instructions()[reader];
                if (characters.in_set[instruction.other]) next.threads.push_back(instruction.next);
            }
            if (use_ == RegexUse::search) next.threads.push_back(0);
            if (next.threads.empty()) return;
            std::sort(next.threads.begin(), next.threads.end());
            next.threads.erase(std::unique(next.threads.begin(), next.threads.end()), next.threads.end());
            next.after_word = characters.is_word;
        }
        const uint32_t target = id_of(std::move(next));
        for (const CodePointRange& range : characters.ranges) state.edges.push_back({range, target});
    }

    // Bounds the memory of subsets, which StringSet::kMaxStates alone would not.
    static constexpr size_t kMaxThreads = 4'000'000;

    const Regex& regex_;
    RegexUse use_;
    std::vector<CharacterClass> classes_;
    RegexClosure closure_;
    std::map<Subset, uint32_t> ids_;
    std::vector<Subset> order_;
    std::vector<StringSet::State> states_;
    size_t n_threads_ = 0;
};

}  // namespace

StringSet Regex::language(RegexUse use) const { return LanguageBuilder(*this, use).build(); }

}  // namespace cria::grammar
