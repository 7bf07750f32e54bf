// The CPU backend: runs a graph with the kernels of one instruction set on a thread pool.
#pragma once

#include <memory>

#include "backend/cpu/isa.h"
#include "backend/executor.h"
#include "base/thread_pool.h"

namespace cria::cpu {

// graph, its weights and the pool must outlive the executor.
std::unique_ptr<Executor> make_executor(const Graph& graph, ThreadPool& pool, Isa isa);

}  // namespace cria::cpu
