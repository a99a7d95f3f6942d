#include "points_to_test_support.h"

using namespace heddle::test;

static const char* const head = "#include <stdlib.h>\n#include <string.h>\n"
                                "static int *volatile sink;\n"
                                "__attribute__((noinline,optnone)) static void s1(int*p){sink=p;}\n"
                                "__attribute__((noinline,optnone)) static void s2(int*p){sink=p;}\n"
                                "static int x, y, z;\n";

TEST(PointsToPrecision, a_returned_argument_goes_back_to_its_caller_only) {
  auto a =
      analyse(std::string(head) +
              "__attribute__((noinline)) static int *skip(int *p, int n) { while (n--) ++p; return p; }\n"
              "static int t[9], u[9];\n"
              "int main(int c, char **v) { t[c] = u[c] = c; s1(skip(t, c)); s2(skip(u, c)); }");
  EXPECT_EQ(a->pointees("s1"), Names{"t"});
  EXPECT_EQ(a->pointees("s2"), Names{"u"});
}

TEST(PointsToPrecision, library_of_its_own_does_not_reach_the_program) {
  auto a = analyse(
      std::string(head) +
      "void *SSL_new(void *); int SSL_read(void *, void *, int); int SSL_set_ex_data(void *, int, void *);\n"
      "void *SSL_get_ex_data(void *, int); static struct { int *p; char b[40]; } session;\n"
      "int main(int c, char **v) { void *s = SSL_new(0); session.p = &x;"
      " SSL_set_ex_data(s, 0, &session); SSL_read(s, session.b, 40);"
      " s1(session.p); s2(SSL_get_ex_data(s, 0)); }");
  EXPECT_EQ(a->pointees("s1"), Names{"x"});
  EXPECT_TRUE(a->pointees("s2").count("session"));
  EXPECT_FALSE(a->pointees("s2").count("x"));
}

TEST(PointsToPrecision, epoll_gives_back_what_it_was_given) {
  auto a = analyse(std::string(head) + "#include <sys/epoll.h>\n"
                                       "int main() { struct epoll_event e = {.data.ptr = &x}, got[4];"
                                       " sink = &y; epoll_ctl(3, EPOLL_CTL_ADD, 4, &e);"
                                       " epoll_wait(3, got, 4, -1); s1(got[2].data.ptr); }");
  EXPECT_TRUE(a->pointees("s1").count("x"));
  EXPECT_FALSE(a->pointees("s1").count("y"));
}

// Far more pointees than a set may have: the answer is "anything that escaped", and covers them.
TEST(PointsToPrecision, a_huge_set_stays_sound) {
  std::string text = head, fill;
  for (int i = 0; i < 1800; ++i) {
    text += "static int g" + std::to_string(i) + ";\n";
    fill += "&g" + std::to_string(i) + ",";
  }
  auto a = analyse(text + "static int *all[] = {" + fill + "};\n" +
                   "int main(int c, char **v) { all[c] = &x; s1(all[c - 1]); }");
  auto names = a->pointees("s1");
  Names escaped;
  for (unsigned object : a->points_to->escaped())
    escaped.insert(name_of(a->points_to->objects()[object]));
  EXPECT_TRUE(names.count("x") || (names.count("memory of the outside world") && escaped.count("x")));
  EXPECT_GT(a->points_to->statistics().widened, 0u);
}
