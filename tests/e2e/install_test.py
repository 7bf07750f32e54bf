#!/usr/bin/python3
"""install_test.py BUILD SOURCE: `cmake --install` gives a tree that other programs compile and link against, by pkg-config and by CMake."""
import os
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include <stdio.h>
#include "llama.h"
int main(int argc, char ** argv) {
    llama_backend_init();
    struct llama_model * model = llama_model_load_from_file(argv[1], llama_model_default_params());
    if (!model) return 1;
    printf("%d\n", llama_n_vocab(model));
    llama_free_model(model);
    return 0;
}
"""

CMAKE = """
cmake_minimum_required(VERSION 3.22)
project(consumer C CXX)
find_package(cria REQUIRED)
add_executable(consumer main.c)
target_link_libraries(consumer PRIVATE cria::llama)
"""


def run(*command, **kwargs):
    done = subprocess.run(command, capture_output=True, text=True, **kwargs)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


def main():
    build, source = sys.argv[1:3]
    model = os.path.join(source, "models/cria-stories/cria-stories.gguf")
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "root")
        run("cmake", "--install", build, "--prefix", prefix)
        assert run(os.path.join(prefix, "bin/cria"), "--version").startswith("cria ")
        lib = next(os.path.join(root) for root, _, files in os.walk(prefix) if "libllama.so" in files)
        with open(os.path.join(folder, "main.c"), "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        flags = run("pkg-config", "--cflags", "--libs", "llama", env=dict(os.environ, PKG_CONFIG_PATH=os.path.join(lib, "pkgconfig"))).split()
        program = os.path.join(folder, "by_pkg_config")
        run("cc", os.path.join(folder, "main.c"), "-o", program, *flags, f"-Wl,-rpath,{lib}")
        assert run(program, model).strip() == "1024"
        with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as f:
            f.write(CMAKE)
        run("cmake", "-S", folder, "-B", os.path.join(folder, "b"), f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", os.path.join(folder, "b"))
        assert run(os.path.join(folder, "b/consumer"), model).strip() == "1024"
    print("installed, found by pkg-config and CMake")


if __name__ == "__main__":
    main()
