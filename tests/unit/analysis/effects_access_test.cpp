#include "analysis/effects.h"

#include "points_to_test_support.h"

using namespace heddle;
using namespace heddle::test;

static bool has(llvm::ArrayRef<Access> accesses, const std::vector<MemoryObject>& objects, const char* text,
                bool write) {
  return llvm::any_of(accesses, [&](const Access& a) {
    return a.write == write && describe(objects[a.object], a.place) == text;
  });
}

TEST(EffectsAccess, summary_covers_callees_and_names_fields) {
  auto a =
      analyse("struct s { int a, b; }; static struct s g; static int other;\n"
              "struct s *volatile keep;\n"
              "__attribute__((noinline)) static void inner(int v) { g.b = v; }\n"
              "__attribute__((noinline)) static int outer(int v) { inner(v); return g.a; }\n"
              "int main(int c, char **v) { keep = &g; g.a = c; other = c; return outer(c) + other + g.b; }");
  Effects effects(*a->points_to);
  auto summary = effects.summary(a->function("outer"));
  const auto& objects = a->points_to->objects();
  EXPECT_TRUE(has(summary, objects, "g.b", true));
  EXPECT_TRUE(has(summary, objects, "g", false) || has(summary, objects, "g.a", false));
  EXPECT_FALSE(has(summary, objects, "other", true));
  EXPECT_EQ(effects.reach(a->function("outer")).size(), 2u);
}

TEST(EffectsAccess, load_and_store_of_a_counter_are_one_update) {
  auto a =
      analyse("static long n, m; __attribute__((noinline)) static long count(int v) { n += v; return ++m; }\n"
              "int main(int c, char **v) { return (int)count(c) + (int)n; }");
  Effects effects(*a->points_to);
  unsigned updates = 0, plain = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(a->function("count")))
    for (const Access& access : effects.of(instruction))
      (access.update == UpdateOp::Add ? updates : plain) += 1;
  EXPECT_EQ(updates, 2u); // n
  EXPECT_EQ(plain, 2u);   // m: its value is used
}

TEST(EffectsAccess, assembly_is_harmless_only_when_all_of_it_is) {
  auto a = analyse("static long n;\n"
                   "static void spin(void) { __asm__ volatile(\"rep; nop\" ::: \"memory\"); }\n"
                   "static void fence(void) { __asm__ volatile(\"pause\\n\\tmfence\" ::: \"memory\"); }\n"
                   "static void writes(void) { __asm__ volatile(\"pause; incq n(%%rip)\" ::: \"memory\"); }\n"
                   "int main(void) { spin(); fence(); writes(); return (int)n; }");
  Effects effects(*a->points_to);
  EXPECT_TRUE(effects.summary(a->function("spin")).empty());
  EXPECT_TRUE(effects.summary(a->function("fence")).empty());
  EXPECT_FALSE(effects.summary(a->function("writes")).empty());
  EXPECT_EQ(a->points_to->report().inline_assembly.size(), 1u);
}

TEST(EffectsAccess, models_touch_system_locations) {
  auto a = analyse(
      "#include <stdio.h>\n#include <stdlib.h>\n"
      "int main(int c, char **v) { char b[8]; fgets(b, 8, stdin); printf(\"%s\", b); return rand(); }");
  Effects effects(*a->points_to);
  const auto& objects = a->points_to->objects();
  auto accesses = effects.of(a->call_of("printf"));
  EXPECT_TRUE(has(accesses, objects, "standard I/O channel", true));
  EXPECT_TRUE(has(accesses, objects, "stack variable b[0] of main", false));
  EXPECT_FALSE(has(accesses, objects, "random state", true));
  EXPECT_TRUE(has(effects.of(a->call_of("rand")), objects, "random state", true));
}

TEST(EffectsAccess, places_overlap_by_stride_and_bounds) {
  Place every16{8, 16, 8, 100};
  EXPECT_TRUE(may_overlap(every16, 8, Place::at(24), 4));
  EXPECT_FALSE(may_overlap(every16, 8, Place::at(32), 8));
  EXPECT_TRUE(may_overlap(every16, 8, Place::at(30), 11));
  EXPECT_FALSE(may_overlap(every16, 8, Place::at(120), 8));
  EXPECT_FALSE(may_overlap(every16, 8, Place{0, 16, Place::lowest, Place::highest}, 8));
  EXPECT_TRUE(may_overlap(every16, 8, Place{0, 24, Place::lowest, Place::highest}, 8));
  EXPECT_TRUE(may_overlap(Place::anywhere(), 1, Place::at(5), 1));
}
