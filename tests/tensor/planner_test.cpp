// Values alive at the same time never overlap, and dead ones give their place away.
#include "tensor/planner.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace cria {
namespace {

Weight matrix(const char* name, int64_t in, int64_t out) {
    Weight weight;
    weight.name = name;
    weight.type = &type_info(ElementType::f32);
    weight.dims = {in, out, 1, 1};
    return weight;
}

TEST(Planner, ReusesThePlaceOfDeadValues) {
    const Weight table = matrix("table", 64, 10);
    const Weight square = matrix("square", 64, 64);
    GraphBuilder builder;
    ValueId x = builder.embed({.table = &table}, 64, "x");
    for (int i = 0; i < 20; ++i) x = builder.linear({.weight = &square}, x, "y");
    const Graph graph = builder.finish({}, builder.select_outputs(x, "out"));
    const MemoryPlan plan = plan_memory(graph, {.n_tokens = 8, .n_outputs = 8});
    EXPECT_EQ(plan.arena_bytes, 2u * 8 * 64 * 4);
}

TEST(Planner, KeepsLivingValuesApart) {
    const Weight table = matrix("table", 64, 10);
    const Weight wide = matrix("wide", 64, 192);
    const Weight narrow = matrix("narrow", 192, 64);
    GraphBuilder builder;
    const ValueId x = builder.embed({.table = &table}, 64, "x");
    const ValueId h = builder.linear({.weight = &wide}, x, "h");
    const ValueId y = builder.linear({.weight = &narrow}, h, "y");
    const ValueId z = builder.add(x, y, "z");
    const Graph graph = builder.finish({}, builder.select_outputs(z, "out"));
    const MemoryPlan plan = plan_memory(graph, {.n_tokens = 3, .n_outputs = 1});
    const auto range = [&](ValueId id) {
        const auto v = static_cast<size_t>(id.index);
        return std::pair(plan.offsets[v],
                         plan.offsets[v] + static_cast<size_t>(3 * graph.values[v].width) * 4);
    };
    for (const auto& [a, b] :
         {std::pair(x, h), std::pair(x, y), std::pair(h, y), std::pair(y, z), std::pair(x, z)}) {
        const auto [a0, a1] = range(a);
        const auto [b0, b1] = range(b);
        EXPECT_TRUE(a1 <= b0 || b1 <= a0) << graph.info(a).name << " and " << graph.info(b).name;
    }
}

TEST(GraphBuilder, NamesBothWidthsOfAMismatch) {
    const Weight table = matrix("table", 64, 10);
    const Weight wrong = matrix("wrong", 32, 64);
    GraphBuilder builder;
    const ValueId x = builder.embed({.table = &table}, 64, "x");
    try {
        builder.linear({.weight = &wrong}, x, "y");
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("'wrong' takes rows of 32, its input has 64"), std::string::npos)
            << e.what();
    }
}

}  // namespace
}  // namespace cria
