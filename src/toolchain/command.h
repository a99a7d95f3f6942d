// A compiler command line as the clang driver would read it, as far as Heddle has to know it.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace heddle {

// How far the driver goes. Only Object and Link make objects that can carry bitcode.
enum class DriverPhase {
  Query,      // --version, -print-*, -###, no input at all: nothing is made
  Preprocess, // -E, -M, -MM
  NoObject,   // -fsyntax-only, -S, -emit-llvm, precompiled headers and the like
  Object,     // -c
  Link,       // no phase option, at least one input
};

// One argument of the driver, or an option with its separate value, or one argument of the linker inside -Wl
// or -Xlinker.
struct DriverItem {
  enum class Kind {
    Option,     // a driver option; `value` is set when it has one
    LinkOption, // an argument handed to the linker (-Wl,A,B gives two); `value` as above
    Library,    // -lNAME, also within -Wl; `text` is NAME
    Compiled,   // an input in C, C++ or LLVM IR: its object will carry bitcode
    Assembled,  // an input in assembly language
    Linked,     // an input handed to the linker: object, archive, shared library, script
  };
  Kind kind;
  std::string text;  // the option's spelling without its value ("-L", "-Wl" parts: "-z"), or the path
  std::string value; // the option's value, attached or separate
  bool has_value = false;
  bool joined = false;  // the value was attached to the option
  std::string language; // -x in force, for Compiled and Assembled
};

struct DriverCommand {
  std::vector<std::string> arguments; // response files expanded
  std::vector<DriverItem> items;
  DriverPhase phase = DriverPhase::Query;
  bool shared = false;         // -shared
  bool partial = false;        // -r, also through -Wl
  bool has_debug = false;      // a -g option that sets the amount of debug information
  bool foreign_target = false; // code for another machine than this one
  bool bpf_target = false;     // code for the kernel's eBPF machine
  bool response_files = false;

  bool compiles() const;  // a C, C++ or IR input takes part
  bool assembles() const; // an assembly input takes part
};

// `arguments` are those after the compiler's name. Never fails: what the driver will reject is passed on to
// it.
DriverCommand parse_driver_command(llvm::ArrayRef<const char*> arguments);

// True for options that make the driver keep bitcode instead of machine code (-flto and those that need it).
// Heddle keeps the bitcode itself, beside machine code, so they are left out.
bool is_lto_option(llvm::StringRef argument);

} // namespace heddle
