// Cells of a context: which positions of which sequences are stored where. Each sequence keeps its own list
// of cells, sorted by position, so that search, removal, copying and attention cost in proportion to the
// sequence, not to the cache. A prefix shared by several sequences is stored once. Knows nothing of keys and
// values. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backend/micro_batch.h"

namespace cria::memory {

inline constexpr int32_t kMaxPosition = INT32_MAX;

class CellTable {
  public:
    explicit CellTable(int32_t n_cells);

    int32_t size() const { return static_cast<int32_t>(cells_.size()); }
    int32_t n_free() const { return n_free_; }
    int32_t n_used() const { return size() - n_free_; }
    // Sum over cells of the number of sequences they belong to.
    int64_t n_references() const;

    // Takes a free cell for a token at `position` (>= 0) of these sequences (not empty) and returns its
    // index. Throws Error{no_space} when no cell is free. Positions may come in any order and repeat.
    int32_t occupy(int32_t position, std::span<const int32_t> sequences);

    // Frees everything.
    void clear();

    // The operations of llama.h on positions [first, last) of a sequence; sequence < 0 means every sequence;
    // negative first means 0, negative last the end.
    void remove(int32_t sequence, int32_t first, int32_t last);
    void copy(int32_t from, int32_t to, int32_t first, int32_t last);
    void keep_only(int32_t sequence);
    // Adds delta to the positions; cells whose position becomes negative are freed. A cell shared with other
    // sequences moves for all.
    void shift(int32_t sequence, int32_t first, int32_t last, int32_t delta);
    // Divides the positions by divisor > 0, rounding down.
    void divide(int32_t sequence, int32_t first, int32_t last, int32_t divisor);

    // -1 for an empty sequence.
    int32_t lowest_position(int32_t sequence) const;
    int32_t highest_position(int32_t sequence) const;
    int32_t n_tokens(int32_t sequence) const;
    // Sorted by position; valid until the next change.
    SequenceCells sequence(int32_t sequence) const;
    std::vector<int32_t> sequences() const;  // those that hold cells, ascending

    struct CellInfo {
        int32_t position = -1;  // -1: free
        std::vector<int32_t> sequences;
    };
    CellInfo cell(int32_t index) const;

    // How far each cell has been shifted since its key was stored. take_shifts() returns the cells that moved
    // with their deltas and forgets them.
    bool has_shifts() const { return has_shifts_; }
    struct Shifts {
        std::vector<int32_t> cells, deltas;
    };
    Shifts take_shifts();

    // Moves used cells to the front, where they leave gaps, and returns the moves (from, to) in the order in
    // which their contents must be copied. Used for locality only: no operation needs adjacent cells.
    std::vector<std::pair<int32_t, int32_t>> compact();

  private:
    struct Cell {
        int32_t position = -1;
        int32_t shift = 0;
        int32_t sequence = -1;                         // one of its sequences
        std::unique_ptr<std::vector<int32_t>> others;  // the rest, usually none

        bool belongs_to(int32_t id) const;
        int32_t n_sequences() const;
    };
    // Parallel arrays, ascending by position.
    struct List {
        std::vector<int32_t> cells, positions;
        void insert(int32_t cell, int32_t position);
        std::pair<size_t, size_t> range(int32_t first, int32_t last) const;
    };

    void attach(int32_t cell, int32_t sequence);
    // Takes one sequence off a cell, and frees the cell with its last one. Lists are the caller's.
    void detach(int32_t cell, int32_t sequence);
    void remove_from_list(List& list, int32_t sequence, int32_t first, int32_t last);
    template <typename Move>
    void move_positions(int32_t sequence, int32_t first, int32_t last, const Move& move);
    void rebuild_lists();

    std::vector<Cell> cells_;
    std::unordered_map<int32_t, List> lists_;
    int32_t n_free_ = 0;
    int32_t search_from_ = 0;
    bool has_shifts_ = false;
};

}  // namespace cria::memory
