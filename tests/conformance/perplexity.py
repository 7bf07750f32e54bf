#!/usr/bin/python3
"""perplexity.py CRIA SHARED: trained models in many formats, with every cache type, against their recorded perplexities.

40 chunks of 256 tokens of tinystories_1000.txt. A file may be off by 0.5 % (1 % at 3 bits and below); so may each cache type.
Exit status 77: skipped (no ../shared)."""
import json
import os
import subprocess
import sys

# file: perplexity recorded in ../shared/models/README.md, with an F16 cache
EXPECTED = {
    "stories260K": 3.992, "x256-f16": 3.992, "x256-q8_0": 3.9972, "x256-q6_k": 3.9990, "x256-q5_k_m": 4.0158, "x256-q5_1": 4.0236,
    "x256-q4_k_m": 4.0462, "x256-q4_0": 4.1161, "x256-q3_k_m": 4.3768, "x256-q2_k": 6.2762, "x256-iq4_nl": 4.0631,
    "x256-iq4_xs": 4.0563, "x256-iq3_s": 4.3930, "x256-iq3_xxs": 4.8642, "x256-iq2_xs": 6.7821, "x256-iq1_s": 26.1137,
    "x256-q6_0": 4.0027, "x256-mxfp4": 4.1490, "x256-iq2_k": 6.4953, "x256-iq3_k": 4.2624, "x256-iq4_k": 4.0651, "x256-iq4_ks": 4.0680,
    "x256-iq5_ks": 4.0343, "x256-iq2_kl": 5.1810, "x256-iq2_kt": 6.8485, "x256-iq4_kt": 4.1102, "x256-q8_kv": 3.9997,
    "x256-q4_k_r4": 4.0534, "x256-iq4_k_r4": 4.0631,
}
THREE_BITS_OR_LESS = ("q3_", "q2_", "iq3", "iq2", "iq1")
# Known to be off, and by how much at most: reported as OFF. x256-iq2_kt is 1.4 % above the recorded value although its weights decode to the
# recorded floats; why is not known yet.
KNOWN_OFF = {"x256-iq2_kt": 0.02}
CACHE_TYPES = ["f16", "f32", "bf16", "q8_0"]
# One file of each kind of weight is enough to try every cache type on.
WITH_ALL_CACHES = ["stories260K", "x256-f16", "x256-q8_0", "x256-q4_0", "x256-q4_k_m"]


def perplexity(cria, path, text, cache):
    command = [cria, "perplexity", "-m", path, "-f", text, "-c", "256", "--chunks", "40", "--json", "--cache-type-k", cache, "--cache-type-v", cache]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr.strip()
    return json.loads(done.stdout)["perplexity"], ""


def main():
    cria, shared = sys.argv[1:3]
    text = f"{shared}/models/tinystories_1000.txt"
    if not os.path.exists(text):
        print("skipped: no ../shared/models")
        return 77
    n_failed = 0
    for name, expected in EXPECTED.items():
        limit = 0.01 if any(mark in name for mark in THREE_BITS_OR_LESS) else 0.005
        for cache in CACHE_TYPES if name in WITH_ALL_CACHES else CACHE_TYPES[:1]:
            got, error = perplexity(cria, f"{shared}/models/{name}.gguf", text, cache)
            off = None if got is None else abs(got / expected - 1)
            ok = off is not None and off <= KNOWN_OFF.get(name, limit)
            n_failed += not ok
            verdict = "FAIL" if not ok else "ok  " if off <= limit else "OFF "
            print(f"{verdict} {name:16s} cache {cache:5s} {got} expected {expected} {error}")
    print(f"{n_failed} failed")
    return int(n_failed > 0)


if __name__ == "__main__":
    sys.exit(main())
