// Cells against a plain model: a list of (position, set of sequences), on which every operation is obvious.
#include "memory/cells.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "base/error.h"

namespace cria::memory {
namespace {

std::vector<int32_t> positions_of(const CellTable& table, int32_t sequence) {
    const auto view = table.sequence(sequence);
    return {view.positions.begin(), view.positions.end()};
}

int32_t put(CellTable& table, int32_t position, std::vector<int32_t> sequences) {
    return table.occupy(position, sequences);
}

TEST(CellTable, KeepsEachSequenceSorted) {
    CellTable table(8);
    for (const int32_t p : {3, 1, 2, 1}) put(table, p, {0});
    EXPECT_EQ(positions_of(table, 0), (std::vector<int32_t>{1, 1, 2, 3}));
    EXPECT_EQ(table.lowest_position(0), 1);
    EXPECT_EQ(table.highest_position(0), 3);
    EXPECT_EQ(table.lowest_position(7), -1);
}

TEST(CellTable, RefusesAFullTableAndKeepsItsContents) {
    CellTable table(2);
    put(table, 0, {0});
    put(table, 1, {0});
    try {
        put(table, 2, {0});
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::no_space);
    }
    EXPECT_EQ(positions_of(table, 0), (std::vector<int32_t>{0, 1}));
}

TEST(CellTable, SharesCopiedCells) {
    CellTable table(4);
    put(table, 0, {0});
    put(table, 1, {0});
    table.copy(0, 5, -1, -1);
    EXPECT_EQ(table.n_used(), 2);
    EXPECT_EQ(table.n_references(), 4);
    table.remove(0, -1, -1);
    EXPECT_EQ(table.n_used(), 2);
    EXPECT_EQ(positions_of(table, 5), (std::vector<int32_t>{0, 1}));
    table.remove(5, 1, -1);
    EXPECT_EQ(table.n_used(), 1);
}

TEST(CellTable, RemembersShiftsUntilTheyAreTaken) {
    CellTable table(4);
    for (int32_t p = 0; p < 4; ++p) put(table, p, {0});
    table.remove(0, 0, 2);
    table.shift(0, 2, -1, -2);
    EXPECT_EQ(positions_of(table, 0), (std::vector<int32_t>{0, 1}));
    ASSERT_TRUE(table.has_shifts());
    const auto shifts = table.take_shifts();
    EXPECT_EQ(shifts.cells, (std::vector<int32_t>{2, 3}));
    EXPECT_EQ(shifts.deltas, (std::vector<int32_t>{-2, -2}));
    EXPECT_FALSE(table.has_shifts());
}

TEST(CellTable, FreesCellsShiftedBelowZero) {
    CellTable table(4);
    for (int32_t p = 0; p < 4; ++p) put(table, p, {0});
    table.shift(0, 0, -1, -2);
    EXPECT_EQ(positions_of(table, 0), (std::vector<int32_t>{0, 1}));
    EXPECT_EQ(table.n_free(), 2);
}

TEST(CellTable, CompactsToTheFront) {
    CellTable table(6);
    for (int32_t p = 0; p < 6; ++p) put(table, p, {p % 2});
    table.remove(0, -1, -1);
    const auto moves = table.compact();
    EXPECT_FALSE(moves.empty());
    EXPECT_EQ(positions_of(table, 1), (std::vector<int32_t>{1, 3, 5}));
    for (const int32_t cell : table.sequence(1).cells) EXPECT_LT(cell, 3);
}

// The same operations on the table and on a map from cell-like ids to (position, sequences).
class PlainModel {
  public:
    struct Token {
        int32_t position;
        std::set<int32_t> sequences;
    };
    std::vector<Token> tokens;

    static bool in(int32_t p, int32_t first, int32_t last) {
        return p >= std::max(first, 0) && (last < 0 || p < last);
    }

    void remove(int32_t s, int32_t first, int32_t last) {
        for (Token& t : tokens) {
            if (!in(t.position, first, last)) continue;
            if (s < 0) {
                t.sequences.clear();
            } else {
                t.sequences.erase(s);
            }
        }
        drop_empty();
    }
    void copy(int32_t from, int32_t to, int32_t first, int32_t last) {
        for (Token& t : tokens) {
            if (in(t.position, first, last) && t.sequences.contains(from)) t.sequences.insert(to);
        }
    }
    void keep_only(int32_t s) {
        for (Token& t : tokens)
            t.sequences = t.sequences.contains(s) ? std::set<int32_t>{s} : std::set<int32_t>{};
        drop_empty();
    }
    void shift(int32_t s, int32_t first, int32_t last, int32_t delta) {
        for (Token& t : tokens) {
            if (!in(t.position, first, last) || !t.sequences.contains(s)) continue;
            t.position += delta;
            if (t.position < 0) t.sequences.clear();
        }
        drop_empty();
    }
    void divide(int32_t s, int32_t first, int32_t last, int32_t d) {
        for (Token& t : tokens) {
            if (in(t.position, first, last) && t.sequences.contains(s)) t.position /= d;
        }
    }
    std::multiset<int32_t> positions(int32_t s) const {
        std::multiset<int32_t> out;
        for (const Token& t : tokens) {
            if (t.sequences.contains(s)) out.insert(t.position);
        }
        return out;
    }

  private:
    void drop_empty() {
        std::erase_if(tokens, [](const Token& t) { return t.sequences.empty(); });
    }
};

TEST(CellTable, AgreesWithAPlainModelOverRandomOperations) {
    std::mt19937 random(7);
    const auto pick = [&](int32_t n) { return static_cast<int32_t>(random() % static_cast<uint32_t>(n)); };
    CellTable table(64);
    PlainModel model;
    for (int step = 0; step < 20000; ++step) {
        const int32_t s = pick(4);
        const int32_t first = pick(40) - 5;
        const int32_t last = pick(3) == 0 ? -1 : first + pick(20);
        model.tokens.clear();
        for (int32_t c = 0; c < table.size(); ++c) {
            const auto cell = table.cell(c);
            if (cell.position >= 0)
                model.tokens.push_back({cell.position, {cell.sequences.begin(), cell.sequences.end()}});
        }
        switch (pick(7)) {
            case 0:
            case 1:
                if (table.n_free() > 0) {
                    const int32_t p = pick(40);
                    put(table, p,
                        pick(2) == 0 ? std::vector<int32_t>{s} : std::vector<int32_t>{s, (s + 1) % 4});
                    continue;
                }
                break;
            case 2:
                table.remove(s, first, last);
                model.remove(s, first, last);
                break;
            case 3:
                table.copy(s, (s + 2) % 4, first, last);
                model.copy(s, (s + 2) % 4, first, last);
                break;
            case 4: {
                const int32_t delta = pick(11) - 5;
                table.shift(s, first, last, delta);
                model.shift(s, first, last, delta);
                break;
            }
            case 5:
                table.divide(s, first, last, 2);
                model.divide(s, first, last, 2);
                break;
            case 6:
                if (pick(20) == 0) {
                    table.keep_only(s);
                    model.keep_only(s);
                } else {
                    table.compact();
                }
                break;
        }
        ASSERT_EQ(static_cast<size_t>(table.n_used()), model.tokens.size());
        for (int32_t id = 0; id < 4; ++id) {
            const auto view = table.sequence(id);
            ASSERT_TRUE(std::is_sorted(view.positions.begin(), view.positions.end()));
            ASSERT_EQ(std::multiset<int32_t>(view.positions.begin(), view.positions.end()),
                      model.positions(id))
                << "step " << step;
            for (size_t i = 0; i < view.cells.size(); ++i)
                ASSERT_EQ(table.cell(view.cells[i]).position, view.positions[i]);
        }
    }
}

}  // namespace
}  // namespace cria::memory
