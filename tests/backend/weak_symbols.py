#!/usr/bin/env python3
"""Fails when an object compiled for a special instruction set defines a weak symbol that other files could share.

An inline or template function that is compiled in a *_avx2.cpp or *_avx512.cpp and not inlined ends up as a weak symbol; the linker keeps
one copy for the whole program, which may be the one that older processors cannot run. Allowed are none at all.

usage: weak_symbols.py LIBRARY.a
"""
import re
import subprocess
import sys


def main():
    listing = subprocess.run(["nm", "--demangle", sys.argv[1]], check=True, capture_output=True, text=True).stdout
    n_objects = 0
    bad = []
    current = ""
    for line in listing.splitlines():
        if line.endswith(".o:"):
            current = line[:-1]
            n_objects += bool(re.search(r"_avx(2|512)\.", current))
        elif re.search(r"_avx(2|512)\.", current):
            match = re.match(r"[0-9a-f]+ ([WVu]) (.*)", line)
            if match:
                bad.append(f"{current}: {match.group(2)}")
    print("\n".join(bad) or f"{n_objects} objects, no weak symbol")
    if n_objects == 0:
        print("no object of a special instruction set in", sys.argv[1])
    sys.exit(1 if bad or n_objects == 0 else 0)


main()
