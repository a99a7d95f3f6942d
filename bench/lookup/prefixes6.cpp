#include "prefixes6.h"

#include "random.h"
#include "workload.h"

#include <arpa/inet.h>

#include <cstdio>
#include <cstring>

namespace lookup {

namespace {

void put_random_bits(Lpm6Address& address, int from, int to, Random& random) {
  for (int bit = from; bit < to; ++bit)
    address.bytes[bit / 8] |= uint8_t((random.next() & 1) << (7 - bit % 8));
}

// All prefixes below a node of so many bytes: one child, or two.
void branch(std::vector<Prefix6>& prefixes, Lpm6Address address, int bytes, double one, Random& random) {
  if (bytes == 6) {
    prefixes.push_back({address, 48});
    return;
  }
  uint8_t& next = address.bytes[bytes];
  next = uint8_t(random.below(256));
  branch(prefixes, address, bytes + 1, one, random);
  if (random.unit() < one) return;
  next = uint8_t(next + 1 + random.below(255));
  branch(prefixes, address, bytes + 1, one, random);
}

} // namespace

std::vector<Prefix6> random_prefixes(uint32_t count) {
  Random random(10);
  std::vector<Prefix6> result(count);
  for (Prefix6& prefix : result) {
    prefix.length = uint8_t(48 + random.below(17));
    put_random_bits(prefix.address, 0, prefix.length, random);
  }
  return result;
}

std::vector<Prefix6> real_prefixes(const Setup& setup) {
  char path[4096], line[128];
  std::snprintf(path, sizeof path, "%s/routeviews-ipv6-201409.txt", setup.data);
  const size_t most = setup.small ? 2000 : SIZE_MAX;
  std::vector<Prefix6> result;
  std::FILE* file = std::fopen(path, "r");
  if (!file) {
    std::printf("SKIP: no %s\n", path);
    return result;
  }
  while (result.size() < most && std::fgets(line, sizeof line, file)) {
    char* slash = std::strchr(line, '/');
    unsigned length = 0;
    Prefix6 prefix = {};
    if (!slash || std::sscanf(slash + 1, "%u", &length) != 1 || length < 1 || length > 128) continue;
    *slash = '\0';
    if (inet_pton(AF_INET6, line, prefix.address.bytes) != 1) continue;
    prefix.length = uint8_t(length);
    result.push_back(prefix);
  }
  std::fclose(file);
  return result;
}

std::vector<Prefix6> compressible_prefixes(uint32_t count, double only_children) {
  // Two children lead to two prefixes, so of the nodes there must be more that have one than of the ways to prefixes.
  const double share = only_children / 3, one = 2 * share / (1 + share);
  Random random(13);
  const Permutation first(24);
  std::vector<Prefix6> result;
  for (uint32_t i = 0; result.size() < count; ++i) {
    const uint64_t bits = first(i);
    const Lpm6Address address = {{uint8_t(bits >> 16), uint8_t(bits >> 8), uint8_t(bits)}};
    branch(result, address, 3, one, random);
  }
  return result;
}

std::vector<Lpm6Address> addresses_in(const std::vector<Prefix6>& prefixes, const Setup& setup) {
  std::vector<Lpm6Address> result(prefixes.empty() ? 0 : setup.keys);
  Draw draw(prefixes.size(), setup.zipf, 11);
  Random random(12);
  for (Lpm6Address& key : result) {
    const Prefix6& prefix = prefixes[draw.next()];
    key = prefix.address;
    put_random_bits(key, prefix.length, 128, random);
  }
  return result;
}

} // namespace lookup
