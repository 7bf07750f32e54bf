// Compiling trees to instructions, and running all threads of them side by side (after Thompson; with groups,
// after Pike).
#include "grammar/regex.h"

#include <algorithm>

#include "base/error.h"

namespace cria::grammar {

class RegexCompiler {
  public:
    Regex compile(const RegexTree& tree) {
        compiled_->n_groups = tree.n_groups;
        emit({Regex::Op::save, {}, 1, 0});
        add(tree.root);
        emit({Regex::Op::save, {}, here() + 1, 1});
        emit({Regex::Op::match, {}, 0, 0});
        Regex regex;
        regex.program_ = compiled_;
        return regex;
    }

  private:
    uint32_t here() const { return static_cast<uint32_t>(compiled_->instructions.size()); }

    uint32_t emit(Regex::Instruction instruction) {
        if (here() >= Regex::kMaxInstructions) {
            fail(ErrorCode::unsupported,
                 "a regular expression needs more than {} instructions; make repetition counts smaller",
                 Regex::kMaxInstructions);
        }
        compiled_->instructions.push_back(instruction);
        return here() - 1;
    }
    uint32_t emit_split() { return emit({Regex::Op::split, {}, 0, 0}); }
    // Points the two ways of a split: into what follows it, and past it.
    void point(uint32_t split, uint32_t inside, uint32_t outside, bool is_greedy) {
        Regex::Instruction& instruction = compiled_->instructions[split];
        instruction.next = is_greedy ? inside : outside;
        instruction.other = is_greedy ? outside : inside;
    }

    // What is added runs on into the instruction after it.
    void add(const RegexNode& node) {
        switch (node.kind) {
            case RegexKind::characters:
                emit({Regex::Op::characters, {}, here() + 1, static_cast<uint32_t>(compiled_->sets.size())});
                compiled_->sets.push_back(node.characters);
                return;
            case RegexKind::assertion:
                emit({Regex::Op::assertion, node.assertion, here() + 1, 0});
                return;
            case RegexKind::sequence:
                for (const RegexNode& child : node.children) add(child);
                return;
            case RegexKind::group:
                emit({Regex::Op::save, {}, here() + 1, 2 * node.group});
                add(node.children.front());
                emit({Regex::Op::save, {}, here() + 1, 2 * node.group + 1});
                return;
            case RegexKind::choice:
                return add_choice(node);
            case RegexKind::repeat:
                return add_repeat(node);
        }
    }

    void add_choice(const RegexNode& node) {
        std::vector<uint32_t> exits;
        for (size_t i = 0; i < node.children.size(); ++i) {
            const bool is_last = i + 1 == node.children.size();
            const uint32_t split = is_last ? 0 : emit_split();
            add(node.children[i]);
            if (is_last) break;
            exits.push_back(emit_split());
            point(split, split + 1, here(), true);
        }
        for (const uint32_t exit : exits) point(exit, here(), here(), true);
    }

    void add_repeat(const RegexNode& node) {
        const RegexNode& what = node.children.front();
        for (uint32_t i = 0; i < node.min; ++i) add(what);
        if (node.max == RegexNode::kUnlimited) {
            const uint32_t split = emit_split();
            add(what);
            const uint32_t back = emit_split();
            point(back, split, split, true);
            point(split, split + 1, here(), node.is_greedy);
            return;
        }
        std::vector<uint32_t> splits;
        for (uint32_t i = node.min; i < node.max; ++i) {
            splits.push_back(emit_split());
            add(what);
        }
        for (const uint32_t split : splits) point(split, split + 1, here(), node.is_greedy);
    }

    std::shared_ptr<Regex::Compiled> compiled_ = std::make_shared<Regex::Compiled>();
};

Regex Regex::compile(std::string_view pattern) { return RegexCompiler().compile(parse_regex(pattern)); }

bool regex_assertion_holds(RegexAssertion assertion, RegexContext context) {
    switch (assertion) {
        case RegexAssertion::text_begin:
            return context.at_begin;
        case RegexAssertion::text_end:
            return context.at_end;
        case RegexAssertion::word_boundary:
            return context.word_before != context.word_after;
        case RegexAssertion::no_word_boundary:
            return context.word_before == context.word_after;
    }
    return false;
}

bool RegexClosure::run(const Regex& regex, const std::vector<uint32_t>& from, RegexContext context,
                       std::vector<uint32_t>& readers) {
    const std::vector<Regex::Instruction>& instructions = regex.instructions();
    seen_.assign(instructions.size(), false);
    stack_ = from;
    bool is_match = false;
    while (!stack_.empty()) {
        const uint32_t at = stack_.back();
        stack_.pop_back();
        if (seen_[at]) continue;
        seen_[at] = true;
        const Regex::Instruction& instruction = instructions[at];
        switch (instruction.op) {
            case Regex::Op::characters:
                readers.push_back(at);
                break;
            case Regex::Op::split:
                stack_.push_back(instruction.other);
                [[fallthrough]];
            case Regex::Op::save:
                stack_.push_back(instruction.next);
                break;
            case Regex::Op::assertion:
                if (regex_assertion_holds(instruction.assertion, context)) stack_.push_back(instruction.next);
                break;
            case Regex::Op::match:
                is_match = true;
                break;
        }
    }
    return is_match;
}

namespace {

// One way through the pattern so far, with the places where groups began and ended.
struct Thread {
    uint32_t at;
    std::vector<size_t> slots;
};
constexpr size_t kUnset = SIZE_MAX;

class GroupSearch {
  public:
    GroupSearch(const Regex& regex, std::string_view text) : regex_(regex), text_(text) {}

    std::optional<RegexMatch> run() {
        std::vector<Thread> threads;
        uint32_t before = DecodedCodePoint::kInvalid;
        for (size_t i = 0;;) {
            if (best_.empty())
                threads.push_back({0, std::vector<size_t>(2 * (regex_.n_groups() + 1), kUnset)});
            const bool at_end = i >= text_.size();
            const DecodedCodePoint next =
                at_end ? DecodedCodePoint{DecodedCodePoint::kInvalid, 0} : decode_utf8(text_, i);
            const RegexContext context{i == 0, at_end, is_word(before), is_word(next.code_point)};
            const std::vector<Thread> readers = close(std::move(threads), i, context);
            threads.clear();
            if (at_end || (readers.empty() && !best_.empty())) break;
            for (const Thread& reader : readers) {
                const Regex::Instruction& instruction = regex_.instructions()[reader.at];
                if (regex_.sets()[instruction.other].contains(next.code_point))
                    threads.push_back({instruction.next, reader.slots});
            }
            before = next.code_point;
            i += next.n_bytes;
        }
        return result();
    }

  private:
    static bool is_word(uint32_t code_point) { return regex_word_characters().contains(code_point); }

    // Follows what reads nothing, in order of preference; a match cuts off everything less preferred.
    std::vector<Thread> close(std::vector<Thread> threads, size_t position, RegexContext context) {
        std::vector<bool> seen(regex_.instructions().size(), false);
        std::vector<Thread> readers;
        std::reverse(threads.begin(), threads.end());
        while (!threads.empty()) {
            Thread thread = std::move(threads.back());
            threads.pop_back();
            if (seen[thread.at]) continue;
            seen[thread.at] = true;
            const Regex::Instruction& instruction = regex_.instructions()[thread.at];
            switch (instruction.op) {
                case Regex::Op::characters:
                    readers.push_back(std::move(thread));
                    continue;
                case Regex::Op::split:
                    threads.push_back({instruction.other, thread.slots});
                    break;
                case Regex::Op::save:
                    thread.slots[instruction.other] = position;
                    break;
                case Regex::Op::assertion:
                    if (!regex_assertion_holds(instruction.assertion, context)) continue;
                    break;
                case Regex::Op::match:
                    best_ = std::move(thread.slots);
                    return readers;
            }
            threads.push_back({instruction.next, std::move(thread.slots)});
        }
        return readers;
    }

    std::optional<RegexMatch> result() const {
        if (best_.empty()) return std::nullopt;
        RegexMatch match;
        for (size_t group = 0; group <= regex_.n_groups(); ++group) {
            const size_t begin = best_[2 * group], end = best_[2 * group + 1];
            match.groups.push_back(begin == kUnset || end == kUnset
                                       ? std::nullopt
                                       : std::optional(RegexMatch::Span{begin, end}));
        }
        return match;
    }

    const Regex& regex_;
    std::string_view text_;
    std::vector<size_t> best_;  // slots of the most preferred match so far
};

}  // namespace

std::optional<RegexMatch> Regex::search(std::string_view text) const {
    return GroupSearch(*this, text).run();
}

RegexScanner::RegexScanner(Regex regex) : regex_(std::move(regex)) {}

void RegexScanner::feed(std::string_view bytes) {
    if (found_) return;
    pending_ += bytes;
    const size_t complete = pending_.size() - incomplete_utf8_tail(pending_);
    size_t at = 0;
    while (at < complete && !found_) {
        const DecodedCodePoint next = decode_utf8(pending_, at);
        feed_code_point(next.code_point);
        at += next.n_bytes;
    }
    pending_.erase(0, at);
}

void RegexScanner::feed_code_point(uint32_t code_point) {
    RegexContext here = context();
    here.word_after = regex_word_characters().contains(code_point);
    threads_.push_back(0);  // a match may begin here
    std::vector<uint32_t> readers;
    found_ = closure_.run(regex_, threads_, here, readers);
    threads_.clear();
    for (const uint32_t reader : readers) {
        const Regex::Instruction& instruction = regex_.instructions()[reader];
        if (regex_.sets()[instruction.other].contains(code_point)) threads_.push_back(instruction.next);
    }
    at_begin_ = false;
    after_word_ = here.word_after;
}

bool RegexScanner::found() const {
    if (found_) return true;
    RegexContext here = context();
    here.at_end = true;
    std::vector<uint32_t> threads = threads_;
    threads.push_back(0);
    std::vector<uint32_t> readers;
    return closure_.run(regex_, threads, here, readers);
}

}  // namespace cria::grammar
