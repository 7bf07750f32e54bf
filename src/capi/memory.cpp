// The memory of a context: sequences, shifts, views, checkpoints of recurrent state.
#include <algorithm>
#include <cstdlib>

#include "capi/handles.h"

using namespace cria::capi;

namespace {

cria::memory::CellTable& cells_of(llama_context* ctx) { return context_of(ctx).cells(); }
const cria::memory::CellTable& cells_of(const llama_context* ctx) { return context_of(ctx).cells(); }

int32_t to_count(int64_t n) { return static_cast<int32_t>(std::min<int64_t>(n, INT32_MAX)); }

template <typename T>
void resize_array(T*& array, size_t count) {
    // The view is the caller's plain struct: its arrays are freed by llama_kv_cache_view_free.
    void* memory = std::calloc(std::max<size_t>(count, 1), sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    std::free(array);
    array = static_cast<T*>(memory);
}

void fill_view(const cria::memory::CellTable& cells, llama_kv_cache_view& view) {
    view.n_cells = cells.size();
    view.n_seq_max = std::max(1, view.n_seq_max);
    view.token_count = to_count(cells.n_references());
    view.used_cells = cells.n_used();
    view.max_contiguous = 0;
    view.max_contiguous_idx = -1;
    int32_t run = 0;
    const auto width = static_cast<size_t>(view.n_seq_max);
    for (int32_t i = 0; i < view.n_cells; ++i) {
        const auto cell = cells.cell(i);
        view.cells[i].pos = cell.position;
        llama_seq_id* ids = view.cells_sequences + static_cast<size_t>(i) * width;
        std::fill_n(ids, width, -1);
        std::copy_n(cell.sequences.begin(), std::min(width, cell.sequences.size()), ids);
        run = cell.position < 0 ? run + 1 : 0;
        if (run > view.max_contiguous) {
            view.max_contiguous = run;
            view.max_contiguous_idx = i - run + 1;
        }
    }
}

}  // namespace

void llama_kv_cache_clear(llama_context* ctx) {
    guard("llama_kv_cache_clear", [&] { context_of(ctx).clear_memory(); });
}

bool llama_kv_cache_seq_rm(llama_context* ctx, llama_seq_id seq_id, llama_pos p0, llama_pos p1) {
    return guard<bool>("llama_kv_cache_seq_rm", false, [&] {
        cells_of(ctx).remove(seq_id, p0, p1);
        return true;
    });
}

void llama_kv_cache_seq_cp(llama_context* ctx, llama_seq_id seq_id_src, llama_seq_id seq_id_dst, llama_pos p0,
                           llama_pos p1) {
    guard("llama_kv_cache_seq_cp", [&] { cells_of(ctx).copy(seq_id_src, seq_id_dst, p0, p1); });
}

void llama_kv_cache_seq_keep(llama_context* ctx, llama_seq_id seq_id) {
    guard("llama_kv_cache_seq_keep", [&] { cells_of(ctx).keep_only(seq_id); });
}

void llama_kv_cache_seq_add(llama_context* ctx, llama_seq_id seq_id, llama_pos p0, llama_pos p1,
                            llama_pos delta) {
    guard("llama_kv_cache_seq_add", [&] { cells_of(ctx).shift(seq_id, p0, p1, delta); });
}

void llama_kv_cache_seq_div(llama_context* ctx, llama_seq_id seq_id, llama_pos p0, llama_pos p1, int d) {
    guard("llama_kv_cache_seq_div", [&] {
        if (d < 1) cria::fail(cria::ErrorCode::invalid_argument, "positions cannot be divided by {}", d);
        cells_of(ctx).divide(seq_id, p0, p1, d);
    });
}

llama_pos llama_kv_cache_seq_pos_max(llama_context* ctx, llama_seq_id seq_id) {
    return guard<llama_pos>("llama_kv_cache_seq_pos_max", 0,
                            [&] { return std::max(0, cells_of(ctx).highest_position(seq_id)); });
}

llama_pos llama_kv_cache_seq_pos_min(llama_context* ctx, llama_seq_id seq_id) {
    return guard<llama_pos>("llama_kv_cache_seq_pos_min", -1,
                            [&] { return cells_of(ctx).lowest_position(seq_id); });
}

void llama_kv_cache_defrag(llama_context* ctx) {
    guard("llama_kv_cache_defrag", [&] {
        context_of(ctx);
        ctx->wants_defrag = true;
    });
}

int32_t llama_kv_cache_update(llama_context* ctx) {
    return guard<int32_t>("llama_kv_cache_update", 1, [&] {
        cria::Context& context = context_of(ctx);
        context.update(ctx->wants_defrag);
        ctx->wants_defrag = false;
        return 0;
    });
}

int32_t llama_get_kv_cache_token_count(const llama_context* ctx) {
    return guard<int32_t>("llama_get_kv_cache_token_count", 0,
                          [&] { return to_count(cells_of(ctx).n_references()); });
}

int32_t llama_get_kv_cache_used_cells(const llama_context* ctx) {
    return guard<int32_t>("llama_get_kv_cache_used_cells", 0, [&] { return cells_of(ctx).n_used(); });
}

llama_kv_cache_view llama_kv_cache_view_init(const llama_context* ctx, int32_t n_seq_max) {
    return guard<llama_kv_cache_view>("llama_kv_cache_view_init", {}, [&] {
        llama_kv_cache_view view{};
        view.n_seq_max = std::max(1, n_seq_max);
        view.token_count = to_count(cells_of(ctx).n_references());
        view.used_cells = cells_of(ctx).n_used();
        view.max_contiguous_idx = -1;
        return view;
    });
}

void llama_kv_cache_view_update(const llama_context* ctx, llama_kv_cache_view* view) {
    guard("llama_kv_cache_view_update", [&] {
        const cria::memory::CellTable& cells = cells_of(ctx);
        llama_kv_cache_view& v = required(view, "view");
        const auto n = static_cast<size_t>(cells.size());
        const auto width = static_cast<size_t>(std::max(1, v.n_seq_max));
        resize_array(v.cells, n);
        resize_array(v.cells_sequences, n * width);  // both below 2^31
        fill_view(cells, v);
    });
}

void llama_kv_cache_view_free(llama_kv_cache_view* view) {
    if (view == nullptr) return;
    std::free(view->cells);
    std::free(view->cells_sequences);
    view->cells = nullptr;
    view->cells_sequences = nullptr;
}

int llama_spec_ckpt_init(llama_context* ctx, int mode, int max_tokens) {
    return not_available("llama_spec_ckpt_init", -1);
}

bool llama_spec_ckpt_save(llama_context* ctx, llama_seq_id seq_id) {
    return not_available("llama_spec_ckpt_save", false);
}

bool llama_spec_ckpt_restore(llama_context* ctx, llama_seq_id seq_id, llama_pos n_past, int accepted_step) {
    return not_available("llama_spec_ckpt_restore", false);
}

void llama_spec_ckpt_discard(llama_context* ctx) { log_not_available("llama_spec_ckpt_discard"); }
