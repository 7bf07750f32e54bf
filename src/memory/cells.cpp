// Cells and the sorted lists of sequences.
#include "memory/cells.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace cria::memory {
namespace {

struct Range {
    int32_t first, last;
};

Range normalised(int32_t first, int32_t last) { return {std::max(first, 0), last < 0 ? kMaxPosition : last}; }

}  // namespace

bool CellTable::Cell::belongs_to(int32_t id) const {
    if (position < 0) return false;
    return sequence == id || (others && std::find(others->begin(), others->end(), id) != others->end());
}

int32_t CellTable::Cell::n_sequences() const {
    if (position < 0) return 0;
    return 1 + (others ? static_cast<int32_t>(others->size()) : 0);
}

void CellTable::List::insert(int32_t cell, int32_t position) {
    if (positions.empty() || positions.back() <= position) {
        cells.push_back(cell);
        positions.push_back(position);
        return;
    }
    const auto at = std::upper_bound(positions.begin(), positions.end(), position) - positions.begin();
    cells.insert(cells.begin() + at, cell);
    positions.insert(positions.begin() + at, position);
}

std::pair<size_t, size_t> CellTable::List::range(int32_t first, int32_t last) const {
    const auto begin = std::lower_bound(positions.begin(), positions.end(), first);
    const auto end = std::lower_bound(begin, positions.end(), last);
    return {static_cast<size_t>(begin - positions.begin()), static_cast<size_t>(end - positions.begin())};
}

CellTable::CellTable(int32_t n_cells) : cells_(static_cast<size_t>(n_cells)), n_free_(n_cells) {}

int64_t CellTable::n_references() const {
    return std::accumulate(lists_.begin(), lists_.end(), int64_t(0), [](int64_t sum, const auto& entry) {
        return sum + static_cast<int64_t>(entry.second.cells.size());
    });
}

int32_t CellTable::occupy(int32_t position, std::span<const int32_t> sequences) {
    CRIA_BUG_UNLESS(position >= 0 && !sequences.empty());
    if (n_free_ == 0) {
        fail(ErrorCode::no_space,
             "the context is full: all {} cells are in use; remove tokens or make a larger context", size());
    }
    int32_t index = search_from_;
    while (cells_[static_cast<size_t>(index)].position >= 0) index = index + 1 == size() ? 0 : index + 1;
    search_from_ = index + 1 == size() ? 0 : index + 1;
    cells_[static_cast<size_t>(index)].position = position;
    --n_free_;
    for (const int32_t sequence : sequences) {
        if (cells_[static_cast<size_t>(index)].belongs_to(sequence)) continue;  // named twice
        attach(index, sequence);
        lists_[sequence].insert(index, position);
    }
    return index;
}

void CellTable::attach(int32_t index, int32_t sequence) {
    Cell& cell = cells_[static_cast<size_t>(index)];
    if (cell.sequence < 0) {
        cell.sequence = sequence;
        return;
    }
    if (!cell.others) cell.others = std::make_unique<std::vector<int32_t>>();
    cell.others->push_back(sequence);
}

void CellTable::detach(int32_t index, int32_t sequence) {
    Cell& cell = cells_[static_cast<size_t>(index)];
    if (cell.sequence != sequence) {
        std::erase(*cell.others, sequence);
        return;
    }
    if (cell.others && !cell.others->empty()) {
        cell.sequence = cell.others->back();
        cell.others->pop_back();
        return;
    }
    cell = Cell{};
    ++n_free_;
    search_from_ = std::min(search_from_, index);
}

void CellTable::clear() {
    for (Cell& cell : cells_) cell = Cell{};
    lists_.clear();
    n_free_ = size();
    search_from_ = 0;
    has_shifts_ = false;
}

void CellTable::remove_from_list(List& list, int32_t sequence, int32_t first, int32_t last) {
    const auto [begin, end] = list.range(first, last);
    for (size_t i = begin; i < end; ++i) detach(list.cells[i], sequence);
    const auto b = static_cast<std::ptrdiff_t>(begin);
    const auto e = static_cast<std::ptrdiff_t>(end);
    list.cells.erase(list.cells.begin() + b, list.cells.begin() + e);
    list.positions.erase(list.positions.begin() + b, list.positions.begin() + e);
}

void CellTable::remove(int32_t sequence, int32_t first, int32_t last) {
    const Range range = normalised(first, last);
    if (range.first >= range.last) return;
    if (sequence >= 0) {
        const auto found = lists_.find(sequence);
        if (found == lists_.end()) return;
        remove_from_list(found->second, sequence, range.first, range.last);
        if (found->second.cells.empty()) lists_.erase(found);
        return;
    }
    for (auto entry = lists_.begin(); entry != lists_.end();) {
        remove_from_list(entry->second, entry->first, range.first, range.last);
        entry = entry->second.cells.empty() ? lists_.erase(entry) : std::next(entry);
    }
}

void CellTable::copy(int32_t from, int32_t to, int32_t first, int32_t last) {
    const Range range = normalised(first, last);
    const auto source = lists_.find(from);
    if (from == to || to < 0 || source == lists_.end() || range.first >= range.last) return;
    const auto [begin, end] = source->second.range(range.first, range.last);
    std::vector<std::pair<int32_t, int32_t>> shared;
    for (size_t i = begin; i < end; ++i)
        shared.emplace_back(source->second.cells[i], source->second.positions[i]);
    if (shared.empty()) return;
    List& target = lists_[to];  // may move `source`
    for (const auto& [cell, position] : shared) {
        if (cells_[static_cast<size_t>(cell)].belongs_to(to)) continue;
        attach(cell, to);
        target.insert(cell, position);
    }
}

void CellTable::keep_only(int32_t sequence) {
    for (auto entry = lists_.begin(); entry != lists_.end();) {
        if (entry->first == sequence) {
            ++entry;
            continue;
        }
        for (const int32_t cell : entry->second.cells) detach(cell, entry->first);
        entry = lists_.erase(entry);
    }
}

// Moves the positions of a sequence's cells in a range (of all cells for sequence < 0), then sorts the lists
// again.
template <typename Move>
void CellTable::move_positions(int32_t sequence, int32_t first, int32_t last, const Move& move) {
    const Range range = normalised(first, last);
    bool is_changed = false;
    for (Cell& cell : cells_) {
        if (cell.position < range.first || cell.position >= range.last) continue;
        if (sequence >= 0 && !cell.belongs_to(sequence)) continue;
        const int64_t moved = move(cell.position);
        const int64_t delta = moved - cell.position;
        if (delta == 0) continue;
        is_changed = true;
        if (moved < 0 || moved >= kMaxPosition) {
            cell = Cell{};
            ++n_free_;
            continue;
        }
        cell.position = static_cast<int32_t>(moved);
        cell.shift += static_cast<int32_t>(delta);
        has_shifts_ = true;
    }
    if (is_changed) rebuild_lists();
}

void CellTable::shift(int32_t sequence, int32_t first, int32_t last, int32_t delta) {
    if (delta == 0) return;
    move_positions(sequence, first, last, [delta](int32_t position) { return int64_t(position) + delta; });
}

void CellTable::divide(int32_t sequence, int32_t first, int32_t last, int32_t divisor) {
    if (divisor <= 1) return;
    move_positions(sequence, first, last,
                   [divisor](int32_t position) { return int64_t(position) / divisor; });
}

void CellTable::rebuild_lists() {
    lists_.clear();
    std::vector<std::pair<int32_t, int32_t>> by_position;  // position, cell
    for (int32_t i = 0; i < size(); ++i) {
        const Cell& cell = cells_[static_cast<size_t>(i)];
        if (cell.position >= 0) by_position.emplace_back(cell.position, i);
    }
    std::sort(by_position.begin(), by_position.end());
    for (const auto& [position, index] : by_position) {
        const Cell& cell = cells_[static_cast<size_t>(index)];
        lists_[cell.sequence].insert(index, position);
        if (!cell.others) continue;
        for (const int32_t other : *cell.others) lists_[other].insert(index, position);
    }
}

int32_t CellTable::lowest_position(int32_t sequence) const {
    const auto found = lists_.find(sequence);
    return found == lists_.end() || found->second.positions.empty() ? -1 : found->second.positions.front();
}

int32_t CellTable::highest_position(int32_t sequence) const {
    const auto found = lists_.find(sequence);
    return found == lists_.end() || found->second.positions.empty() ? -1 : found->second.positions.back();
}

int32_t CellTable::n_tokens(int32_t sequence) const {
    return static_cast<int32_t>(this->sequence(sequence).cells.size());
}

SequenceCells CellTable::sequence(int32_t sequence) const {
    const auto found = lists_.find(sequence);
    if (found == lists_.end()) return {};
    return {found->second.cells, found->second.positions};
}

std::vector<int32_t> CellTable::sequences() const {
    std::vector<int32_t> ids;
    for (const auto& [id, list] : lists_) {
        if (!list.cells.empty()) ids.push_back(id);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
}

CellTable::CellInfo CellTable::cell(int32_t index) const {
    const Cell& cell = cells_[static_cast<size_t>(index)];
    CellInfo info{.position = cell.position};
    if (cell.position < 0) return info;
    info.sequences.push_back(cell.sequence);
    if (cell.others) info.sequences.insert(info.sequences.end(), cell.others->begin(), cell.others->end());
    std::sort(info.sequences.begin(), info.sequences.end());
    return info;
}

CellTable::Shifts CellTable::take_shifts() {
    Shifts shifts;
    if (!has_shifts_) return shifts;
    for (int32_t i = 0; i < size(); ++i) {
        Cell& cell = cells_[static_cast<size_t>(i)];
        if (cell.shift == 0) continue;
        shifts.cells.push_back(i);
        shifts.deltas.push_back(cell.shift);
        cell.shift = 0;
    }
    has_shifts_ = false;
    return shifts;
}

std::vector<std::pair<int32_t, int32_t>> CellTable::compact() {
    std::vector<std::pair<int32_t, int32_t>> moves;
    int32_t gap = 0;
    for (int32_t from = size() - 1; from > gap; --from) {
        if (cells_[static_cast<size_t>(from)].position < 0) continue;
        while (gap < from && cells_[static_cast<size_t>(gap)].position >= 0) ++gap;
        if (gap >= from) break;
        cells_[static_cast<size_t>(gap)] = std::move(cells_[static_cast<size_t>(from)]);
        cells_[static_cast<size_t>(from)] = Cell{};
        moves.emplace_back(from, gap);
    }
    if (!moves.empty()) rebuild_lists();
    search_from_ = n_free_ == 0 ? 0 : n_used();
    return moves;
}

}  // namespace cria::memory
