// A packet program with far more code than a cache holds: some 300 KB, of which a packet runs a part that
// depends on its contents.
#pragma once

#include "traced.h"

namespace heddle::test {

class LargeProgram {
public:
  // `packets` in batches of 32.
  static std::string source(unsigned functions, unsigned packets) {
    std::string text = prelude + "struct packet { unsigned bits, a[16]; };\n";
    for (unsigned f = 0; f < functions; ++f)
      text += function(f);
    text += "struct env { int i, n; unsigned bits, sum; };\n"
            "BODY(body, 0) {\n  struct env *e = env;\n  if (e->i == e->n) return 1;\n  e->i++;\n"
            "  e->bits = e->bits * 1103515245 + 12345;\n  struct packet p = {e->bits >> 4, {e->bits}};\n";
    for (unsigned f = 0; f < functions; ++f)
      text += "  if ((p.bits >> " + std::to_string(f % 24) + ") & 3) f" + std::to_string(f) + "(&p);\n";
    text += "  e->sum += p.a[3];\n  return 0;\n}\n"
            "int main(void) {\n  struct env e = {0, 0, 1, 0};\n  for (int left = " +
            std::to_string(packets) +
            "; left > 0; left -= 32) {\n    e.i = 0;\n    e.n = left < 32 ? left : 32;\n"
            "    heddle_run_loop(body, &e, e.n);\n  }\n  printf(\"%u\\n\", e.sum);\n  return 0;\n}\n";
    return text;
  }

private:
  // About one kilobyte of code with branches on the packet.
  static std::string function(unsigned number) {
    uint32_t random = number * 2654435761u + 1;
    auto next = [&](unsigned below) {
      random = random * 1664525 + 1013904223;
      return std::to_string((random >> 8) % below);
    };
    std::string text = "__attribute__((noinline)) void f" + std::to_string(number) + "(struct packet *p) {\n";
    for (unsigned i = 0; i < 24; ++i) {
      if (i % 3 == 0) text += "  if (p->a[" + next(16) + "] & " + next(64) + ") ";
      text += "  p->a[" + next(16) + "] = (p->a[" + next(16) + "] * " + next(100000) + " ^ p->bits >> " +
              next(24) + ") + p->a[" + next(16) + "];\n";
    }
    return text + "}\n";
  }
};

} // namespace heddle::test
