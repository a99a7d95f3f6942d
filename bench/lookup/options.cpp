#include "options.h"

#include "workload.h"

#include <getopt.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace lookup {

namespace {

constexpr const char* usage =
    "usage: lookup [OPTIONS]\n"
    "  --workload NAME,...    default: all\n"
    "  --bytes SIZE,...       table sizes, powers of two: 32K,1M,... (default: 32K,512K,16M,256M,1G,4G)\n"
    "  --batch N,...          look-ups per call, 1 to 256 (default: 1,8,32,64,256)\n"
    "  --hops N,...           of pointer chasing (default: 10,1,100)\n"
    "  --pages 4K,huge        (default: both)\n"
    "  --keys uniform,zipf    (default: both)\n"
    "  --distinct N           look-ups before keys repeat (default: 1048576)\n"
    "  --rounds N             (default: 61)\n"
    "  --data FOLDER          (default: $HEDDLE_DATA)\n"
    "  --short                for profiles: 2,048 look-ups of each workload, or --distinct, nothing timed; "
    "small tables, or those of --bytes\n";

[[noreturn]] void refuse(const char* what, const char* value) {
  std::fprintf(stderr, "lookup: %s: %s\n%s", what, value, usage);
  std::exit(2);
}

// Calls each(part) for the parts of a list with commas; it says where it has read up to.
template <class Each> void for_parts(const char* list, const Each& each) {
  for (const char* at = list; *at;) {
    at = each(at);
    if (*at && *at++ != ',') refuse("unknown", list);
  }
}

template <class T = int> std::vector<T> numbers(const char* list, size_t low, size_t high) {
  std::vector<T> result;
  for_parts(list, [&](const char* part) {
    char* end = nullptr;
    size_t value = std::strtoull(part, &end, 10);
    if (end == part) refuse("not a number", list);
    for (int power = 0; power < 3; ++power)
      if (*end == "KMG"[power]) {
        value <<= 10 * (power + 1);
        ++end;
        break;
      }
    if (value < low || value > high) refuse("out of range", list);
    result.push_back(T(value));
    return static_cast<const char*>(end);
  });
  return result;
}

std::vector<size_t> powers(const char* list) {
  std::vector<size_t> result = numbers<size_t>(list, 4096, size_t(16) << 30);
  for (size_t value : result)
    if (value & (value - 1)) refuse("not a power of two", list);
  return result;
}

// Each part is `no` or `yes`.
std::vector<bool> choices(const char* list, const char* no, const char* yes) {
  std::vector<bool> result;
  for_parts(list, [&](const char* part) {
    for (const char* word : {no, yes})
      if (std::strncmp(part, word, std::strlen(word)) == 0) {
        result.push_back(word == yes);
        return part + std::strlen(word);
      }
    refuse("unknown", list);
  });
  return result;
}

} // namespace

Options options_of(int argc, char** argv) {
  Options options;
  options.bytes = powers("32K,512K,16M,256M,1G,4G");
  options.batches = {1, 8, 32, 64, 256};
  options.hops = {10, 1, 100};
  options.huge = options.zipf = {false, true};
  const char* data = std::getenv("HEDDLE_DATA");
  options.data = data ? data : "../shared/data";
  static const option known[] = {
      {"workload", 1, nullptr, 'w'}, {"bytes", 1, nullptr, 'b'}, {"batch", 1, nullptr, 'n'},
      {"hops", 1, nullptr, 'h'},     {"pages", 1, nullptr, 'p'}, {"keys", 1, nullptr, 'k'},
      {"rounds", 1, nullptr, 'r'},   {"data", 1, nullptr, 'd'},  {"short", 0, nullptr, 's'},
      {"distinct", 1, nullptr, 'i'}, {nullptr, 0, nullptr, 0}};
  for (int letter; (letter = getopt_long(argc, argv, "", known, nullptr)) != -1;)
    switch (letter) {
    case 'w':
      options.workloads = optarg;
      break;
    case 'b':
      options.bytes = powers(optarg);
      options.sizes_given = true;
      break;
    case 'n':
      options.batches = numbers(optarg, 1, most_in_batch);
      break;
    case 'h':
      options.hops = numbers(optarg, 1, 1000);
      break;
    case 'p':
      options.huge = choices(optarg, "4K", "huge");
      break;
    case 'k':
      options.zipf = choices(optarg, "uniform", "zipf");
      break;
    case 'r':
      options.rounds = numbers(optarg, 3, 100000)[0];
      break;
    case 'd':
      options.data = optarg;
      break;
    case 'i':
      options.keys = numbers<size_t>(optarg, 2048, size_t(1) << 28)[0];
      options.keys_given = true;
      break;
    case 's':
      options.brief = true;
      break;
    default:
      std::fputs(usage, stderr);
      std::exit(2);
    }
  if (optind != argc) refuse("unknown", argv[optind]);
  return options;
}

} // namespace lookup
