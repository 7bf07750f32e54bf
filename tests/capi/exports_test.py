#!/usr/bin/env python3
"""The library exports what the headers promise and nothing else, and docs/compatibility.md tells the truth about what is missing.

    exports_test.py LIBRARY SOURCE_DIR

Expected: every function of tests/capi/abi.json, those of EXTRA below, and what ggml.h and ggml-backend.h declare."""
import json
import pathlib
import re
import subprocess
import sys

# Functions that the family's library exports without declaring them for everybody (shared/spec/interop.md, section 1), and the two C++
# ones of LLAMA_API_INTERNAL.
EXTRA = {"llama_decode_stop", "llama_decode_reset", "llama_get_vocab", "llama_clone_adaptive_p", "llama_free_adaptive_p",
         "llama_set_mtp_target_context", "llama_internal_get_tensor_map", "llama_sample_token_with_rng"}
IN_CPP = {"llama_fill_from_utf8", "llama_internal_get_tensor_map", "llama_sample_token_with_rng"}


def exported(library):
    """Names of defined dynamic symbols; C++ ones as they are mangled."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in lines.splitlines()}


def expected(source):
    abi = json.loads((source / "tests/capi/abi.json").read_text())
    names = {function[1] for function in abi["functions"]} | EXTRA
    for header in ("ggml.h", "ggml-backend.h"):
        text = (source / "include" / header).read_text()
        names |= set(re.findall(r"GGML_API[^;]*?\b(ggml_\w+)\(", text))
    return names


def missing_by_code(source):
    names = set()
    for file in (source / "src/capi").glob("*.cpp"):
        names |= set(re.findall(r'not_available\(\s*"(llama_\w+)"', file.read_text()))
    return names


def missing_by_docs(source):
    text = (source / "docs/compatibility.md").read_text()
    section = text.split("## Not available yet")[1].split("\n## ")[0]
    return set(re.findall(r"`(llama_\w+)`", section))


def report(title, names):
    if names:
        print(f"{title}: {' '.join(sorted(names))}")
    return len(names)


def main():
    library, source = sys.argv[1], pathlib.Path(sys.argv[2])
    symbols, names = exported(library), expected(source)
    demangled = {name for name in IN_CPP for symbol in symbols if re.match(rf"_Z\d+{name}(?!\w*_Z)", symbol)}
    plain = {symbol for symbol in symbols if not symbol.startswith("_Z")}
    n_cpp = len(symbols - plain)
    failures = report("not exported", names - plain - demangled)
    failures += report("exported without being promised", plain - names)
    failures += report("must have C++ names", IN_CPP - demangled)
    failures += abs(n_cpp - len(IN_CPP)) and report("C++ symbols", symbols - plain)
    code, docs = missing_by_code(source), missing_by_docs(source)
    failures += report("not available, but docs/compatibility.md does not say so", code - docs)
    failures += report("docs/compatibility.md says not available, but it is", docs - code)
    print(f"{len(symbols)} symbols, {len(code)} of them not available yet")
    sys.exit(1 if failures else 0)


main()
