extern "C" {
#include "../app_md5.h"
#include "../app_text.h"
}
#include <gtest/gtest.h>
#include <string>

namespace {

str of(const char* s) {
  return {s, uint32_t(strlen(s))};
}

TEST(Text, Ipv6Forms) {
  uint8_t a[16];
  EXPECT_TRUE(text_ipv6(of("::"), a));
  EXPECT_TRUE(text_ipv6(of("2001:db8::1"), a));
  EXPECT_EQ(a[3], 0xb8);
  EXPECT_EQ(a[15], 1);
  EXPECT_TRUE(text_ipv6(of("1:2:3:4:5:6:7:8"), a));
  EXPECT_EQ(a[15], 8);
  for (const char* wrong :
       {"1:2:3:4:5:6:7", "1::2::3", "1:2:3:4:5:6:7:8:9", "12345::", "g::", "1:", "1:2:3:4:5:6:7::8"})
    EXPECT_FALSE(text_ipv6(of(wrong), a)) << wrong;
}

TEST(Text, Ipv4Forms) {
  uint8_t a[4];
  EXPECT_TRUE(text_ipv4(of("192.0.2.255"), a));
  for (const char* wrong : {"1.2.3", "1.2.3.256", "1.2.3.4.5", "1..2.3", ""})
    EXPECT_FALSE(text_ipv4(of(wrong), a)) << wrong;
}

TEST(Text, EqualWithinLength) {
  EXPECT_TRUE(text_equal(of("OPTIONS"), "options"));
  EXPECT_FALSE(text_equal(of("OPTIONS"), "option"));
  EXPECT_FALSE(text_equal(of("opt"), "options"));
}

TEST(Text, NumbersDoNotOverflow) {
  uint64_t v;
  EXPECT_TRUE(text_number(of("999999999999999999"), &v));
  EXPECT_FALSE(text_number(of("1000000000000000000"), &v));
  EXPECT_FALSE(text_number(of("12a"), &v));
  EXPECT_FALSE(text_number(of(""), &v));
}

TEST(Md5, TestSuiteOfRfc1321) {
  md5 m;
  uint8_t d[16];
  md5_begin(&m);
  std::string s = "12345678901234567890123456789012345678901234567890123456789012345678901234567890";
  md5_add(&m, s.data(), 3);
  md5_add(&m, s.data() + 3, uint32_t(s.size()) - 3);
  md5_end(&m, d);
  EXPECT_EQ(d[0], 0x57);
  EXPECT_EQ(d[1], 0xed);
  EXPECT_EQ(d[15], 0x7a);
}

} // namespace
