#include "points_to_test_support.h"

using namespace heddle::test;

static const char* const head = "#include <stdlib.h>\n#include <pthread.h>\n#include <stdarg.h>\n"
                                "static int *volatile sink;\n"
                                "__attribute__((noinline,optnone)) static void s1(int*p){sink=p;}\n"
                                "__attribute__((noinline,optnone)) static void s2(int*p){sink=p;}\n"
                                "__attribute__((noinline,optnone)) static void s3(int*p){sink=p;}\n"
                                "__attribute__((noinline,optnone)) static void s4(int*p){sink=p;}\n"
                                "static int x, y, z;\n";

TEST(PointsToCalls, function_pointers_in_a_table_by_field) {
  auto a = analyse("struct ops { void (*open)(int), (*close)(int); };\n"
                   "static volatile int v;\n"
                   "static void o1(int a) { v = a; } static void c1(int a) { v = a + 1; }\n"
                   "static void never(int a) { v = a * 3; }\n"
                   "static struct ops table[3] = {{o1, c1}};\n"
                   "__attribute__((noinline)) static void go(int i) { table[i].open(i); }\n"
                   "int main(int c, char **a) { go(c); table[c].close(c); if (c > 5) never(c); }");
  EXPECT_EQ(a->targets_in("go"), Names{"o1"});
  EXPECT_EQ(a->targets_in("main"), Names{"c1"});
}

TEST(PointsToCalls, wrong_number_of_arguments_is_no_target) {
  auto a =
      analyse("static volatile int v; static void one(int a) { v = a; }\n"
              "static void two(int a, int b) { v = a + b; }\n"
              "static void *volatile p;\n"
              "int main(int c, char **a) { p = c > 1 ? (void *)one : (void *)two; ((void (*)(int))p)(c); }");
  EXPECT_EQ(a->targets_in("main"), Names{"one"});
}

TEST(PointsToCalls, virtual_calls_by_slot) {
  auto a = analyse("extern \"C\" { volatile int v; }\n"
                   "namespace { struct B { virtual void f() { v = 1; } virtual void g() { v = 2; } };\n"
                   "struct D : B { void f() override { v = 3; } };\n"
                   "__attribute__((noinline)) void call(B *b) { b->f(); } }\n"
                   "int main(int c, char **) { B *b = c > 1 ? new B : new D; call(b); }",
                   {}, ".cpp");
  Names targets;
  for (const llvm::Function& function : *a->module)
    for (const std::string& name : a->targets_in(function.getName()))
      targets.insert(name);
  EXPECT_EQ(targets, (Names{"_ZN12_GLOBAL__N_11B1fEv", "_ZN12_GLOBAL__N_11D1fEv"}));
}

TEST(PointsToCalls, sort_and_thread_run_their_callbacks) {
  auto a = analyse(std::string(head) +
                   "static int *t[4];\n"
                   "static int compare(const void *a, const void *b) { s1(*(int **)a); return 0; }\n"
                   "static void *thread(void *p) { s2(p); return 0; }\n"
                   "int main() { t[1] = &x; qsort(t, 4, sizeof *t, compare);"
                   " pthread_t id; pthread_create(&id, 0, thread, &y); }");
  EXPECT_EQ(a->pointees("s1"), Names{"x"});
  EXPECT_EQ(a->pointees("s2"), Names{"y"});
  ASSERT_EQ(a->points_to->callees(a->call_of("qsort")).size(), 1u);
  EXPECT_EQ(a->points_to->callees(a->call_of("qsort"))[0]->getName(), "compare");
}

TEST(PointsToCalls, variable_arguments_reach_va_arg) {
  auto a = analyse(std::string(head) +
                   "__attribute__((noinline)) static void f(int n, ...) { va_list l; va_start(l, n);"
                   " s1(va_arg(l, int *)); va_end(l); }\n"
                   "int main() { f(1, &x); sink = &y; }");
  EXPECT_EQ(a->pointees("s1"), Names{"x"});
}

TEST(PointsToCalls, wrappers_give_an_object_per_call_site) {
  auto a = analyse(std::string(head) +
                   "__attribute__((noinline)) static void *inner(long n) { void *p = malloc(n);"
                   " if (!p) abort(); *(int **)p = &z; return p; }\n"
                   "__attribute__((noinline)) static void *outer(long n) { return inner(n + 8); }\n"
                   "int main() { int **a = outer(8), **b = outer(8); a[1] = &x; b[1] = &y;"
                   " s1(a[1]); s2(b[0]); }");
  EXPECT_EQ(a->pointees("s1"), Names{"x"});
  EXPECT_EQ(a->pointees("s2"), Names{"z"});
}

TEST(PointsToCalls, unknown_function_may_do_anything_with_what_it_reaches) {
  auto a =
      analyse(std::string(head) +
              "void mystery(void *); static int *shared[2], *hidden; static void (*hook)(int *);\n"
              "static void callback(int *p) { s2(p); } static struct { int **t; void (*f)(int *); } arg;\n"
              "int main() { arg.t = shared; arg.f = callback; hidden = &y; shared[0] = &x; hook = callback;"
              " mystery(&arg); s1(shared[1]); sink = hidden; }");
  // The unknown object stands for all that escaped.
  EXPECT_TRUE(a->pointees("s1").count("memory of the outside world"));
  EXPECT_TRUE(a->pointees("s2").count("memory of the outside world"));
  Names escaped;
  for (unsigned object : a->points_to->escaped())
    escaped.insert(name_of(a->points_to->objects()[object]));
  EXPECT_TRUE(escaped.count("x"));
  EXPECT_FALSE(escaped.count("y"));
  ASSERT_EQ(a->points_to->report().unknown_externals.size(), 1u);
  EXPECT_EQ(a->points_to->report().unknown_externals[0].what, "mystery");
  auto callees = a->points_to->callees(a->call_of("mystery"));
  ASSERT_EQ(callees.size(), 1u);
  EXPECT_EQ(callees[0]->getName(), "callback");
}

// Libpcap uses its memory again; what the runtime hands out is the packet's own.
TEST(PointsToCalls, packets_taken_one_by_one) {
  for (bool staged : {false, true}) {
    std::string source = head;
    source += R"(
      int pcap_next_ex(void *, int **, int **);
      int *pcap_next(void *, void *);
      void *pcap_open_offline(const char *, char *);
      int main(int n, char **v) {
        void *p = pcap_open_offline(v[1], v[2]); int *h, *d; long own[3];
        pcap_next_ex(p, &h, &d); s1(h); s2(d); s3(pcap_next(p, own));
      })";
    if (staged)
      source.insert(0, "#define pcap_next_ex heddle_pcap_next_ex\n#define pcap_next heddle_pcap_next\n");
    auto a = analyse(source);
    for (const char* sink : {"s1", "s2", "s3"}) {
      ASSERT_EQ(a->pointees(sink).size(), 1u) << sink;
      EXPECT_EQ(llvm::StringRef(*a->pointees(sink).begin()).starts_with("packet "), staged) << sink;
    }
  }
}

TEST(PointsToCalls, messages_of_libdaq) {
  auto a = analyse(
      std::string(head) +
      "struct message { int *header, *data, *meta[8], *owner, *own; };\n"
      "int daq_instance_instantiate(void *, void **, char *, size_t);\n"
      "unsigned daq_instance_msg_receive(void *, unsigned, const struct message **, int *);\n"
      "int main() { void *instance; char error[8]; int status; const struct message *messages[4];"
      "daq_instance_instantiate(0, &instance, error, 8);"
      "daq_instance_msg_receive(instance, 4, messages, &status);"
      "s1(messages[1]->header); s2(messages[2]->data); s3(messages[3]->meta[2]); s4(messages[0]->own); }");
  auto one = [&](const char* sink) {
    const auto names = a->pointees(sink);
    return names.size() == 1 ? *names.begin() : std::to_string(names.size()) + " objects";
  };
  EXPECT_NE(one("s1").find("message header"), std::string::npos) << one("s1");
  EXPECT_NE(one("s2").find("message data"), std::string::npos) << one("s2");
  EXPECT_NE(one("s3").find("message metadata"), std::string::npos) << one("s3");
  EXPECT_NE(one("s4").find("library object"), std::string::npos) << one("s4");
}

TEST(PointsToCalls, packet_callback_gets_user_header_and_data) {
  auto a = analyse(std::string(head) +
                   "int heddle_pcap_loop(void *, int, int (*)(void *), void *, void *);\n"
                   "struct env { int *user; int *header; int *data; };\n"
                   "static int body(void *e) { struct env *p = e; s1(p->user); s2(p->data); return 0; }\n"
                   "int main() { heddle_pcap_loop(0, 1, body, &x, 0); }");
  EXPECT_EQ(a->pointees("s1"), Names{"x"});
  ASSERT_EQ(a->pointees("s2").size(), 1u);
  EXPECT_TRUE(llvm::StringRef(*a->pointees("s2").begin()).starts_with("packet data"));
}
