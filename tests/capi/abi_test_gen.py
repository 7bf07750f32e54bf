#!/usr/bin/env python3
"""Writes a C++ file of static assertions from a description of the llama.h interface: it compiles only when the headers agree.

    abi_test_gen.py ABI.json OUT.cpp

Reads tests/capi/abi.json (functions as [returns, name, [parameter types]], fields as [type, name, offset]) and also the wordier file
of ../shared/conformance, which says the same with named members. Sizes and offsets are those of 64-bit Linux."""
import json
import sys


def normalise(abi):
    """The compact form of either layout."""
    functions = [f if isinstance(f, list) else [f["returns"], f["name"], [p["type"] for p in f["params"]]]
                 for f in abi["functions"]]
    structs = {}
    for name, struct in abi["structs"].items():
        fields = [f if isinstance(f, list) else [f["type"], f["name"], f.get("offset")] for f in struct["fields"]]
        structs[name] = (struct["size"], [f for f in fields if f[1]])  # unnamed unions: only the compact form lists members
    return functions, abi["enums"], structs, abi["constants"]


def assertions(abi):
    functions, enums, structs, constants = normalise(abi)
    for returns, name, parameters in functions:
        yield f'static_assert(same<decltype(&{name}), {returns} (*)({", ".join(parameters)})>, "type of {name}");'
    for enum, values in enums.items():
        yield f'static_assert(sizeof(enum {enum}) == 4, "size of {enum}");'
        for name, value in values.items():
            yield f'static_assert(same<decltype({name}), enum {enum}> && {name} == {value}, "value of {name}");'
    for struct, (size, fields) in structs.items():
        yield f'static_assert(sizeof(struct {struct}) == {size}, "size of {struct}");'
        for type_name, field, offset in fields:
            where = f"{struct}.{field}"
            yield f'static_assert(offsetof(struct {struct}, {field}) == {offset}, "offset of {where}");'
            yield f'static_assert(same<decltype({struct}::{field}), std::type_identity_t<{type_name}>>, "type of {where}");'
    for name, value in constants.items():
        yield f'static_assert({name} == {value}, "value of {name}");'


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        abi = json.load(file)
    lines = ["// Made by tests/capi/abi_test_gen.py; do not edit.", "#define LLAMA_API_INTERNAL", '#include "llama.h"', "",
             "#include <cstddef>", "#include <type_traits>", "", '#pragma GCC diagnostic ignored "-Wdeprecated-declarations"',
             "template <typename A, typename B>", "constexpr bool same = std::is_same_v<A, B>;", ""]
    lines += assertions(abi)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


main()
