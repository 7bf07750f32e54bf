#!/usr/bin/env python3
"""Writes a C++ file that calls every function of the interface with useless arguments.

    call_everything_gen.py ABI.json OUT.cpp

call_everything(handles, round) passes null for every pointer but the handles it is given, and for numbers 0, the largest or the smallest
value by round. Functions that free a handle are called with null only. See call_everything.cpp."""
import json
import re
import sys

HANDLES = {"model": r"(const )?struct llama_model \*", "ctx": r"(const )?struct llama_context \*",
           "vocab": r"(const )?struct llama_vocab \*"}
# These succeed with odd numbers and a live vocabulary.
MAKES = {"llama_sampler_init_dry": "llama_sampler_dry_free", "llama_init_adaptive_p": "llama_free_adaptive_p",
         "llama_batch_init": "llama_batch_free"}
FREES = {"llama_free", "llama_free_model"}


def argument(function, type_name):
    for handle, pattern in HANDLES.items():
        if re.fullmatch(pattern, type_name):
            return "nullptr" if function in FREES else f"handles.{handle}"
    if type_name.endswith("*"):
        return f"static_cast<{type_name}>(nullptr)"
    if type_name.startswith("struct "):
        return type_name.removeprefix("struct ") + "{}"
    if type_name.endswith("callback"):
        return "nullptr"
    return f"odd_value<{type_name.removeprefix('const ')}>(round)"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        functions = json.load(file)["functions"]
    lines = ["// Made by tests/capi/call_everything_gen.py; do not edit.", '#include "call_everything.h"', "",
             '#pragma GCC diagnostic ignored "-Wdeprecated-declarations"',
             '#pragma GCC diagnostic ignored "-Wunused-result"', "",
             "void call_everything(const Handles& handles, int round) {"]
    for _, name, types in functions:
        call = f'{name}({", ".join(argument(name, t) for t in types)})'
        lines.append(f'    before_call("{name}", handles);')
        lines.append(f"    {MAKES[name]}({call});" if name in MAKES else f"    (void){call};")
    lines += ["}", ""]
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


main()
