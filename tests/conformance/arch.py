#!/usr/bin/python3
"""arch.py GOLDEN SHARED --isa SET --cria PROGRAM: tiny models of every family against their recorded logits.

Runs ../shared/conformance/check.py over the files named in arch.txt, under one instruction set and several settings: flash attention,
micro-batches of 1 and 8, 2 and 3 threads, F32 cache. Exit status 77: skipped (no ../shared, or the processor lacks the set)."""
import argparse
import os
import subprocess
import sys
import tempfile

SETTINGS = ["", "FA=1", "NB=1", "NB=8", "NT=2", "NT=3", "KV32=1"]


def fixed_checker(shared, folder):
    """check.py as a file that Python accepts: some copies have lost the first character of their first line."""
    with open(f"{shared}/conformance/check.py", encoding="utf-8") as f:
        text = f.read()
    if text.startswith("!"):
        text = "#" + text
    path = os.path.join(folder, "check.py")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def isa_runs(cria, isa):
    done = subprocess.run([cria, "run", "-n", "1", "-q", "x"], env=dict(os.environ, CRIA_ISA=isa), capture_output=True, text=True)
    if done.returncode != 0:
        print(f"skipped: {done.stderr.strip()}")
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("golden")
    parser.add_argument("shared")
    parser.add_argument("--isa", required=True)
    parser.add_argument("--cria", required=True)
    args = parser.parse_args()
    if args.golden == "absent" or not os.path.exists(f"{args.shared}/conformance/check.py"):
        print("skipped: no ../shared/conformance")
        return 77
    if not isa_runs(args.cria, args.isa):
        return 77
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "arch.txt"), encoding="utf-8") as f:
        names = [line.strip() for line in f if line.strip() and not line.startswith("#")]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        checker = fixed_checker(args.shared, folder)
        for setting in SETTINGS:
            command = [sys.executable, checker, args.golden, *names, "--quiet", "--dir", f"{args.shared}/conformance/arch"]
            if setting:
                command += ["--env", setting]
            done = subprocess.run(command, env=dict(os.environ, CRIA_ISA=args.isa), capture_output=True, text=True)
            print(f"{args.isa} {setting or 'default'}: {done.stdout.strip()} {done.stderr.strip()}")
            failed |= done.returncode != 0 or ", 0 failed" not in done.stdout or done.stdout.strip().startswith("0 passed")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
