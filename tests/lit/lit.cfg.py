# lit: each file under this folder with RUN lines is a test.
import os
import shutil

import lit.formats

config.name = "heddle"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".test", ".c", ".cpp", ".ll"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.heddle_binary_dir, "tests", "lit")

tools = os.path.join(config.heddle_binary_dir, "bin")
config.environment["PATH"] = os.pathsep.join([tools, config.llvm_bin, os.environ["PATH"]])
# Plans by the built-in figures, whatever the user has calibrated.
config.environment["HEDDLE_HOSTS"] = os.path.join(config.test_exec_root, "hosts")
for name in ("HEDDLE_DATA", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Longest names first: lit substitutes in order.
config.substitutions += [
    ("%heddle_cc", os.path.join(tools, "heddle-cc")),
    ("%heddle_cxx", os.path.join(tools, "heddle-c++")),
    ("%heddle", os.path.join(tools, "heddle")),
    ("%clangxx", os.path.join(config.llvm_bin, "clang++")),
    ("%clang", os.path.join(config.llvm_bin, "clang")),
    ("%upf", os.path.join(tools, "upf")),
    ("%python", "/usr/bin/python3"),
]
if os.path.exists(os.path.join(config.heddle_binary_dir, "lib", "heddle", "heddle-report.html")):
    config.available_features.add("report-page")
else:
    lit_config.note("report/page.test is skipped: the build had no node or npm")
for tool in ("valgrind", "gdb", "libtool", "cmake", "autoconf", "ar"):
    if shutil.which(tool):
        config.available_features.add(tool)
