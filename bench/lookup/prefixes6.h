// IPv6 prefixes for forwarding tables, and addresses that are looked up in them.
#pragma once

#include <cstdint>
#include <vector>

struct Lpm6Address {
  uint8_t bytes[16];
};

namespace lookup {

struct Setup;

struct Prefix6 {
  Lpm6Address address;
  uint8_t length;
};

// As in G-Opt: random ones of 48 to 64 bits.
std::vector<Prefix6> random_prefixes(uint32_t count);

// Of setup.data/routeviews-ipv6-201409.txt, ADDRESS/LENGTH a line; empty, with the reason printed: it could not be read.
std::vector<Prefix6> real_prefixes(const Setup& setup);

// `count` prefixes of 48 bits (Kumar et al., APSys 2017, section 3.6). Of the three nodes below the first 24 bits that lead to a prefix
// these are, on average, the only child of their parent: 0 to 3. The others have one sibling.
std::vector<Prefix6> compressible_prefixes(uint32_t count, double only_children);

// setup.keys addresses within prefixes, as in G-Opt.
std::vector<Lpm6Address> addresses_in(const std::vector<Prefix6>& prefixes, const Setup& setup);

} // namespace lookup
