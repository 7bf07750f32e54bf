// Small vocabularies made in memory: what each kind does, what is refused, what is left out with a warning.
#include "vocab/vocab.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <mutex>

#include "base/error.h"
#include "base/log.h"
#include "vocab/testing.h"
#include "vocab/testing_data.h"

namespace cria {
namespace {

using Ids = std::vector<int32_t>;
using namespace vocab_testing;

// Collects warnings while it lives.
class Warnings {
  public:
    Warnings() {
        set_log_sink([this](LogLevel level, std::string_view line) {
            if (level == LogLevel::warning) text_ += std::string(line) + "\n";
        });
    }
    ~Warnings() { set_log_sink({}); }
    bool mention(std::string_view words) const { return text_.find(words) != std::string::npos; }
    const std::string& text() const { return text_; }

  private:
    std::string text_;
};

Ids encode(const Vocab& vocab, std::string_view text, bool parse_special = false) {
    return vocab.tokenize(text, {.add_special = false, .parse_special = parse_special});
}

TEST(Vocab, SpmJoinsByScoreAndFallsBackToBytes) {
    const Vocab vocab(spm_data());
    EXPECT_EQ(vocab.type(), VocabType::spm);
    EXPECT_EQ(vocab.tokenize("hello"), (Ids{1, kFirstWord + 9}));
    EXPECT_EQ(encode(vocab, "hell x"), (Ids{kFirstWord, kFirstWord + 7, kFirstWord, 3 + 'x'}));
    EXPECT_EQ(vocab.detokenize(Ids{kFirstWord + 9, 3 + 0xc3, 3 + 0xa9}), "helloé");
    EXPECT_EQ(vocab.newline(), 3 + '\n');
}

TEST(Vocab, SpecialTokensAreTextUnlessAskedFor) {
    const Vocab vocab(spm_data());
    const int32_t tool = vocab.find("<tool>");
    EXPECT_EQ(encode(vocab, "</s>", true), (Ids{2}));
    EXPECT_EQ(encode(vocab, "</s>").size(), 5u);  // the space and four characters
    EXPECT_EQ(encode(vocab, "<tool>"), (Ids{tool}));
    EXPECT_EQ(encode(vocab, "<tool>hello"),
              (Ids{tool, kFirstWord + 9}));  // with a space after a special token
    EXPECT_EQ(vocab.token_to_piece(2, {.special = false}), "");
    EXPECT_EQ(vocab.token_to_piece(2), "</s>");
    EXPECT_TRUE(vocab.is_end_of_generation(2));
    EXPECT_TRUE(vocab.is_control(2));
    EXPECT_FALSE(vocab.is_control(tool));
}

TEST(Vocab, BpeMergesByRank) {
    const Vocab vocab(bpe_data());
    EXPECT_EQ(encode(vocab, "hello hello"), (Ids{259, 260}));
    EXPECT_EQ(encode(vocab, "hel"), (Ids{256, 'l'}));
    EXPECT_EQ(encode(vocab, "lll"), (Ids{257, 'l'}));
    EXPECT_EQ(encode(vocab, from_hex("ff")), (Ids{0xef, 0xbf, 0xbd}));  // as U+FFFD
    EXPECT_EQ(vocab.newline(), '\n');
    EXPECT_EQ(vocab.eot(), 261);
    EXPECT_EQ(vocab.detokenize(Ids{'h', 0xc3, 0xa9, ' ', '?'}), "h\xc3\xa9?");  // this kind cleans spaces up
}

TEST(Vocab, BpeOfOneHugeWordTakesLittleTimeAndStack) {
    const Vocab vocab(bpe_data());
    vocab_testing::run_on_small_stack([&] {
        std::string text;
        while (text.size() < 1'000'000) text += "hello";
        const double start = vocab_testing::thread_seconds();
        EXPECT_EQ(encode(vocab, text).size(), text.size() / 5);
        EXPECT_LT(vocab_testing::thread_seconds() - start, 1.0);
    });
}

TEST(Vocab, TheTextOfAnEndTokenStaysTextWhenAMergeMakesIt) {
    VocabData data = bpe_data();
    for (const char* text : {"</", "s>", "</s>"}) add(data, text, 0, TokenType::normal);
    data.merges.insert(data.merges.end(), {"< /", "s >", "</ s>"});
    const int32_t id = static_cast<int32_t>(data.tokens.size()) - 1;
    const Vocab vocab(data);
    EXPECT_TRUE(vocab.is_end_of_generation(id));
    EXPECT_EQ(encode(vocab, "x</s>", true), encode(vocab, "x</s>"));
    EXPECT_EQ(encode(vocab, "<|im_end|>", true), (Ids{261}));
}

TEST(Vocab, LongerSpecialTokensWinWhereverTheyStand) {
    VocabData data = bpe_data();
    add(data, "ab", 0, TokenType::user_defined);
    add(data, "bcd", 0, TokenType::user_defined);
    add(data, "bc", 0, TokenType::user_defined);
    const int32_t ab = 262, bcd = 263, bc = 264;
    const Vocab vocab(data);
    EXPECT_EQ(encode(vocab, "abcd"), (Ids{'a', bcd}));
    EXPECT_EQ(encode(vocab, "abc"), (Ids{ab, 'c'}));  // equally long: the lower id
    EXPECT_EQ(encode(vocab, "bcbcd"), (Ids{bc, bcd}));
    EXPECT_EQ(encode(vocab, "abab"), (Ids{ab, ab}));
}

TEST(Vocab, StripsWhiteSpaceAroundTokensOfPhi3) {
    VocabData data = bpe_data();
    data.name = "Phi-3 mini";
    add(data, "<|user|>", 0, TokenType::control);
    const Vocab vocab(data);
    EXPECT_EQ(encode(vocab, "a <|user|> \n b", true), (Ids{'a', ' ', 262, 'b'}));
    EXPECT_NE(vocab.attributes(262) & kAttrRightStrip, 0u);
}

TEST(Vocab, WordPieceCutsFromTheLeft) {
    const Vocab vocab(wpm_data());
    EXPECT_EQ(vocab.tokenize("UnAffable, \xc3\x84"
                             "ffe xyz"),
              (Ids{2, 4, 5, 6, 8, 7, 1, 3}));
    EXPECT_EQ(encode(vocab, std::string(101, 'a')), (Ids{1}));
    EXPECT_EQ(vocab.detokenize(Ids{4, 5, 6, 8}), " unaffable,");
}

TEST(Vocab, UnigramTakesTheBestSum) {
    const Vocab vocab(ugm_data());
    EXPECT_EQ(vocab.tokenize("  ab  "),
              (Ids{3, 6, 1}));                         // -3.5; the other two ways tie at -3.5 and come later
    EXPECT_EQ(encode(vocab, "a?!b"), (Ids{7, 2, 5}));  // unknown characters in a row are one token
}

TEST(Vocab, RwkvTakesTheLongestToken) {
    const Vocab vocab(rwkv_data());
    EXPECT_EQ(encode(vocab, std::string("abab\n\0\\", 7)), (Ids{2, 2, 4, 5, 6}));
    EXPECT_EQ(encode(vocab, "abcabx"), (Ids{3, 2}));
    EXPECT_EQ(vocab.token_to_piece(7), "\xff");
}

TEST(Vocab, Plamo2TakesTheBestSumAndBytesForTheRest) {
    const Vocab vocab(plamo2_data());
    EXPECT_EQ(encode(vocab, "abc"), (Ids{259, 261}));
    EXPECT_EQ(encode(vocab, "aéb"), (Ids{257, 1 + 0xc3, 1 + 0xa9, 258}));
    EXPECT_EQ(vocab.detokenize(encode(vocab, "aéb漢")), "aéb漢");
}

TEST(Vocab, KindNoneHasIdsButNoText) {
    VocabData data;
    data.model = "none";
    data.n_dummy_tokens = 5;
    const Vocab vocab(data);
    EXPECT_EQ(vocab.size(), 5);
    EXPECT_EQ(vocab.bos(), kNoToken);
    EXPECT_THROW(vocab.tokenize("a"), Error);
}

TEST(Vocab, SingleBadIdsAreLeftOutWithAWarning) {
    Warnings warnings;
    VocabData data = bpe_data();
    data.special_ids[static_cast<size_t>(SpecialToken::pad)] = 262;
    data.special_ids[static_cast<size_t>(SpecialToken::eom)] = -7;
    data.special_ids[static_cast<size_t>(SpecialToken::unk)] = 0xffffffff;
    data.merges.push_back("no token");
    const Vocab vocab(data);
    EXPECT_EQ(vocab.special(SpecialToken::pad), kNoToken);
    EXPECT_EQ(vocab.special(SpecialToken::eom), kNoToken);
    EXPECT_EQ(vocab.special(SpecialToken::unk), kNoToken);
    EXPECT_TRUE(warnings.mention("padding_token_id is 262")) << warnings.text();
    EXPECT_TRUE(warnings.mention("eom_token_id is -7")) << warnings.text();
    EXPECT_FALSE(warnings.mention("unknown_token_id")) << warnings.text();
    EXPECT_TRUE(warnings.mention("1 of 6 merges")) << warnings.text();
}

TEST(Vocab, OfEqualTextsTheFirstCounts) {
    Warnings warnings;
    VocabData data = bpe_data();
    data.tokens[200] = "hello";
    data.tokens[201] = "";
    const Vocab vocab(data);
    EXPECT_EQ(vocab.find("hello"), 200);
    EXPECT_EQ(vocab.text(201), "[EMPTY_201]");
    EXPECT_TRUE(warnings.mention("1 tokens have the text of an earlier one")) << warnings.text();
}

struct Malformed {
    const char* what;
    std::function<VocabData()> make;
    ErrorCode code;
    const char* words;
};

VocabData changed(VocabData data, const std::function<void(VocabData&)>& change) {
    change(data);
    return data;
}

TEST(Vocab, RefusesWhatContradictsItself) {
    const Malformed cases[] = {
        {"unknown kind", [] { return changed(spm_data(), [](VocabData& d) { d.model = "magic"; }); },
         ErrorCode::unsupported, "'magic'"},
        {"unknown pre-tokenizer", [] { return changed(bpe_data(), [](VocabData& d) { d.pre = "gpt-9"; }); },
         ErrorCode::unsupported, "'gpt-9' is not known"},
        {"no tokens", [] { return changed(spm_data(), [](VocabData& d) { d.tokens.clear(); }); },
         ErrorCode::invalid_file, "tokenizer.ggml.tokens"},
        {"short scores", [] { return changed(spm_data(), [](VocabData& d) { d.scores.pop_back(); }); },
         ErrorCode::invalid_file, "scores has 269 entries for 270 tokens"},
        {"long types", [] { return changed(spm_data(), [](VocabData& d) { d.types.push_back(1); }); },
         ErrorCode::invalid_file, "token_type has 271 entries"},
        {"score that is no number",
         [] {
             return changed(spm_data(),
                            [](VocabData& d) { d.scores[7] = std::numeric_limits<float>::quiet_NaN(); });
         },
         ErrorCode::invalid_file, "token 7"},
        {"byte -1", [] { return changed(spm_data(), [](VocabData& d) { d.tokens[3] = "<0x-1>"; }); },
         ErrorCode::invalid_file, "token 3 is of type byte"},
        {"byte 256", [] { return changed(spm_data(), [](VocabData& d) { d.tokens[4] = "<0x100>"; }); },
         ErrorCode::invalid_file, "token 4 is of type byte"},
        {"no merges", [] { return changed(bpe_data(), [](VocabData& d) { d.merges.clear(); }); },
         ErrorCode::invalid_file, "tokenizer.ggml.merges"},
        {"merge of one", [] { return changed(bpe_data(), [](VocabData& d) { d.merges[2] = "hell"; }); },
         ErrorCode::invalid_file, "merge 2"},
        {"cut charsmap",
         [] {
             return changed(spm_data(), [](VocabData& d) {
                 d.model = "t5", d.charsmap = std::string("\xff\x00\x00\x00zz", 6);
             });
         },
         ErrorCode::invalid_file, "precompiled_charsmap"},
        {"vocabulary size",
         [] {
             VocabData d;
             d.model = "none", d.n_dummy_tokens = 1 << 30;
             return d;
         },
         ErrorCode::invalid_file, "1073741824"},
    };
    for (const Malformed& test : cases) {
        try {
            const Vocab vocab(test.make());
            ADD_FAILURE() << test.what << " was accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), test.code) << test.what;
            EXPECT_NE(std::string(error.what()).find(test.words), std::string::npos) << error.what();
        }
    }
}

TEST(Vocab, WarnsWhenTheTextBringsItsOwnBeginToken) {
    Warnings warnings;
    const Vocab vocab(spm_data());
    EXPECT_EQ(vocab.tokenize("<s>hello", {.parse_special = true}), (Ids{1, 1, kFirstWord + 9}));
    EXPECT_TRUE(warnings.mention("begins with a begin-of-sequence token (1)")) << warnings.text();
}

TEST(Vocab, BertTakesTheClassTokenAsBeginToken) {
    VocabData data = wpm_data();
    data.special_ids[static_cast<size_t>(SpecialToken::bos)] = std::nullopt;
    data.special_ids[static_cast<size_t>(SpecialToken::cls)] = 2;
    data.special_ids[static_cast<size_t>(SpecialToken::eos)] = 3;
    data.add_eos = true;
    data.add_bos = false;
    EXPECT_EQ(Vocab(data).tokenize(","), (Ids{2, 8, 3}));
}

TEST(Vocab, RefusesIdsThatDoNotExist) {
    const Vocab vocab(spm_data());
    for (const int32_t id :
         {-1, 270, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()}) {
        EXPECT_FALSE(vocab.contains(id));
        EXPECT_THROW(vocab.token_to_piece(id), Error);
        EXPECT_THROW(vocab.text(id), Error);
        EXPECT_THROW(vocab.score(id), Error);
        EXPECT_THROW(vocab.attributes(id), Error);
        EXPECT_THROW(vocab.is_end_of_generation(id), Error);
        EXPECT_THROW(vocab.detokenize(Ids{1, id}), Error);
    }
    EXPECT_EQ(vocab.find("nothing"), kNoToken);
}

TEST(Vocab, GptOssEndsAnswersNotMessages) {
    VocabData data = bpe_data();
    for (const char* text : {"<|end|>", "<|return|>", "<|call|>", "<|channel|>"})
        add(data, text, 0, TokenType::control);
    const Vocab vocab(data);
    EXPECT_FALSE(vocab.is_end_of_generation(vocab.find("<|end|>")));
    EXPECT_TRUE(vocab.is_end_of_generation(vocab.find("<|return|>")));
    EXPECT_TRUE(vocab.is_end_of_generation(vocab.find("<|call|>")));
    EXPECT_EQ(vocab.attributes(vocab.find("<|channel|>")), static_cast<uint32_t>(kAttrUserDefined));
}

}  // namespace
}  // namespace cria
