#include "points_to_test_support.h"

using namespace heddle::test;

// `see` is defined, so that nothing escapes by the marker itself; its argument is looked at.
static const char* const head = "#include <stdlib.h>\n#include <string.h>\n"
                                "static int *volatile sink;\n"
                                "__attribute__((noinline,optnone)) static void s1(int*p){sink=p;}\n"
                                "__attribute__((noinline,optnone)) static void s2(int*p){sink=p;}\n"
                                "static int x, y, z;\n";

TEST(PointsToFields, fields_of_a_structure_are_told_apart) {
  auto a = analyse(std::string(head) + "struct s { int *a, *b; }; static struct s *volatile g;\n"
                                       "int main() { g = malloc(sizeof *g); g->a = &x; g->b = &y;"
                                       " s1(g->a); s2(g->b); }");
  EXPECT_EQ(a->pointees("s1"), Names{"x"});
  EXPECT_EQ(a->pointees("s2"), Names{"y"});
}

TEST(PointsToFields, same_field_of_all_elements_but_not_the_field_behind_the_array) {
  auto a = analyse(std::string(head) +
                   "struct e { int *p; long n; int *q; }; static struct { struct e t[8]; int *last; } g;\n"
                   "int main(int c, char **v) { g.t[c].p = &x; g.t[c + 1].q = &y; g.last = &z;"
                   " s1(g.t[c - 1].p); s2(g.last); }");
  EXPECT_EQ(a->pointees("s1"), Names{"x"});
  EXPECT_EQ(a->pointees("s2"), Names{"z"});
}

TEST(PointsToFields, heap_arrays_by_modulus) {
  auto a = analyse(std::string(head) + "struct e { int *p, *q; };\n"
                                       "int main(int c, char **v) { struct e *t = calloc(c, sizeof *t);"
                                       " t[c].p = &x; t[c].q = &y; s1(t[c - 1].p); s2(t[2].q); }");
  EXPECT_EQ(a->pointees("s1"), Names{"x"});
  EXPECT_EQ(a->pointees("s2"), Names{"y"});
}

TEST(PointsToFields, unknown_offset_sees_and_is_seen_by_every_field) {
  auto a = analyse(std::string(head) + "struct s { int *a, *b; }; static struct s g;\n"
                                       "int main(int c, char **v) { g.a = &x;"
                                       " *(int **)((char *)&g + c) = &y;"
                                       " s1(g.b); s2(*(int **)((char *)&g + c * 3)); }");
  EXPECT_EQ(a->pointees("s1"), Names{"y"});
  EXPECT_EQ(a->pointees("s2"), (Names{"x", "y"}));
}

TEST(PointsToFields, one_of_several_fields_is_not_all_of_them) {
  auto a = analyse(std::string(head) + "struct s { int *a, *b, *c; }; static struct s g;\n"
                                       "int main(int c, char **v) { g.a = g.b = g.c = &x;"
                                       " *(int **)((char *)&g + (c > 3 ? 8 : 16)) = &y;"
                                       " s1(g.a); s2(g.b); }");
  EXPECT_EQ(a->pointees("s1"), Names{"x"});
  EXPECT_EQ(a->pointees("s2"), (Names{"x", "y"}));
}

TEST(PointsToFields, memcpy_copies_field_by_field) {
  auto a =
      analyse(std::string(head) + "struct s { int *a; long pad[20]; int *b; }; static struct s g, h;\n"
                                  "int main(int c, char **v) { g.a = &x; g.b = &y; memcpy(&h, &g, sizeof g);"
                                  " s1(h.a); s2(h.b); }");
  EXPECT_EQ(a->pointees("s1"), Names{"x"});
  EXPECT_EQ(a->pointees("s2"), Names{"y"});
}

TEST(PointsToFields, linked_list_and_its_payload) {
  auto a = analyse(std::string(head) +
                   "struct n { struct n *next; int *value; }; static struct n *list;\n"
                   "__attribute__((noinline)) static void push(int *v) { struct n *n = malloc(sizeof *n);"
                   " n->value = v; n->next = list; list = n; }\n"
                   "int main() { push(&x); push(&y); s1(list->next->next->value); sink = &z; }");
  EXPECT_EQ(a->pointees("s1"), (Names{"x", "y"}));
}

TEST(PointsToFields, pointer_that_a_loop_moves) {
  auto a = analyse(std::string(head) + "struct e { int *p, *q; }; static struct e t[100];\n"
                                       "int main(int c, char **v) { t[c].q = &y;"
                                       " for (struct e *i = t; i < t + c; ++i) i->p = &x;"
                                       " s1(t[50].p); s2(t[51].q); }");
  EXPECT_EQ(a->pointees("s1"), Names{"x"});
  EXPECT_EQ(a->pointees("s2"), Names{"y"});
}

TEST(PointsToFields, tagged_pointers_keep_their_object) {
  auto a = analyse(std::string(head) + "#include <stdint.h>\nstatic uintptr_t g; static int *o;\n"
                                       "int main(int c, char **v) { o = &y; g = (uintptr_t)&x | (c & 1);"
                                       " s1((int *)(g & ~(uintptr_t)1)); }");
  EXPECT_TRUE(a->pointees("s1").count("x"));
  EXPECT_FALSE(a->pointees("s1").count("y"));
}
