#include "golden.h"

namespace {

Bytes response(const Bytes& records, uint8_t answers) {
  return Bytes{0x12, 0x34, 0x81, 0x80, 0, 1, 0, answers, 0, 0, 0, 0} + question(1) + records;
}
const Bytes address_record = {0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 44, 0, 4, 93, 184, 216, 34};

TEST(Dns, QueryNamesItsHost) {
  Seen s = parse_udp(dns_query(), 53);
  EXPECT_EQ(s.app, APP_DNS);
  EXPECT_EQ(s.confidence, APP_CONF_CERTAIN);
  EXPECT_EQ(s.id, 0x1234u);
  EXPECT_EQ(s.host_name(), "www.example.com");
  EXPECT_EQ(s.transactions, 1);
}

TEST(Dns, ResponseGivesAddresses) {
  Seen s = parse_udp(response(address_record, 1), 53, Sender::server);
  ASSERT_EQ(s.naddr, 1);
  EXPECT_EQ(s.addr[0].addr[0], 93);
  EXPECT_EQ(s.addr[0].addr[3], 34);
  EXPECT_EQ(s.addr[0].ttl, 300u);
  EXPECT_FALSE(s.addr[0].is_v6);
}

TEST(Dns, IsKnownOnForeignPortsByItsStructure) {
  EXPECT_EQ(parse_udp(dns_query(), 40001).app, APP_DNS);
  EXPECT_EQ(parse_udp(dns_query() + Bytes{0}, 40001).app, APP_UNKNOWN); // a byte too many
}

TEST(Dns, ExtendedResultCodeAndCookie) {
  Bytes opt = {0, 0, 41, 4, 0xd0, 1, 0, 0, 0, 0, 12, 0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8};
  Bytes query = dns_query() + opt;
  query[11] = 1;
  EXPECT_EQ(parse_udp(query, 53).code, 16);
  query[query.size() - 9] = 7; // a cookie of seven bytes does not exist
  EXPECT_TRUE(parse_udp(query, 53).malformed);
}

TEST(Dns, PointerForwardIsMalformed) {
  Bytes record = address_record;
  record[1] = 0xff;
  Seen s = parse_udp(response(record, 1), 53, Sender::server);
  EXPECT_TRUE(s.malformed);
  EXPECT_EQ(s.confidence, APP_CONF_NONE);
}

TEST(Dns, PointerToItselfIsMalformed) {
  Bytes record = address_record;
  record[1] = 33; // where the record begins
  EXPECT_TRUE(parse_udp(response(record, 1), 53, Sender::server).malformed);
}

TEST(Dns, OverTcpBehindItsLength) {
  Bytes message = dns_query();
  Seen s = parse_tcp(Bytes{0, uint8_t(message.size())} + message, 53);
  EXPECT_EQ(s.app, APP_DNS);
  EXPECT_EQ(s.host_name(), "www.example.com");
}

TEST(Dns, WrongAddressLengthIsMalformed) {
  Bytes record = address_record;
  record[11] = 3;
  record.pop_back();
  EXPECT_TRUE(parse_udp(response(record, 1), 53, Sender::server).malformed);
}

TEST(Dns, PrefixesAreNoMessages) {
  EXPECT_TRUE(prefixes_are_less(dns_query(), 17, 53));
}

} // namespace
