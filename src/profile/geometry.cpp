#include "profile/icache.h"
#include "profile/loads.h"

#include "support/diagnostic.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

namespace {

constexpr const char* geometry_hint = "write SIZE:WAYS, for example 32K:8, and commas between several";

std::string size_text(uint64_t bytes) {
  if (bytes % (1024 * 1024) == 0) return std::to_string(bytes / (1024 * 1024)) + "M";
  if (bytes % 1024 == 0) return std::to_string(bytes / 1024) + "K";
  return std::to_string(bytes);
}

// "32K", "1M", "4096"; 0 when it is none of these.
uint64_t parse_size(llvm::StringRef text) {
  uint64_t unit = 1, number = 0;
  if (text.consume_back_insensitive("K"))
    unit = 1024;
  else if (text.consume_back_insensitive("M"))
    unit = 1024 * 1024;
  constexpr uint64_t largest = uint64_t{1} << 32;
  if (text.getAsInteger(10, number) || number > largest) return 0;
  return number * unit <= largest ? number * unit : 0;
}

llvm::Expected<CacheGeometry> parse_geometry(llvm::StringRef text) {
  auto wrong = [&](const llvm::Twine& what) {
    return diagnose("cache geometry '" + text + "': " + what, geometry_hint);
  };
  auto [size, ways] = text.split(':');
  CacheGeometry geometry;
  geometry.bytes = parse_size(size);
  if (geometry.bytes == 0) return wrong("'" + size + "' is not a size");
  if (ways.empty()) return wrong("the number of ways is missing");
  if (ways.getAsInteger(10, geometry.ways) || geometry.ways == 0 || geometry.ways > 1024)
    return wrong("'" + ways + "' is not a number of ways");
  uint64_t per_set = uint64_t(geometry.ways) * geometry.line;
  if (geometry.bytes % per_set != 0)
    return wrong("the size is not a multiple of " + llvm::Twine(geometry.ways) + " ways of 64-byte lines");
  if (!llvm::isPowerOf2_64(geometry.bytes / per_set))
    return wrong(llvm::Twine(geometry.bytes / per_set) + " sets are not a power of two");
  return geometry;
}

// One line of a file of sysfs, without the newline; empty when it cannot be read.
std::string sysfs(const llvm::Twine& path) {
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
  return buffer ? (*buffer)->getBuffer().trim().str() : std::string();
}

} // namespace

std::string CacheGeometry::str() const {
  return size_text(bytes) + ":" + std::to_string(ways);
}

llvm::Expected<std::vector<CacheGeometry>> parse_geometries(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  std::vector<CacheGeometry> geometries;
  for (llvm::StringRef part : parts) {
    llvm::Expected<CacheGeometry> geometry = parse_geometry(part.trim());
    if (!geometry) return geometry.takeError();
    geometries.push_back(*geometry);
  }
  return geometries;
}

DataCaches host_dcaches() {
  DataCaches caches;
  for (unsigned index = 0; index < 8; ++index) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    unsigned level = 0;
    if (llvm::StringRef(sysfs(folder + "level")).getAsInteger(10, level) || level < 1 || level > 3) continue;
    if (sysfs(folder + "type") == "Instruction") continue;
    DataCaches::Level found{parse_size(sysfs(folder + "size")), 0};
    unsigned ways = 0;
    bool read =
        found.bytes != 0 && !llvm::StringRef(sysfs(folder + "ways_of_associativity")).getAsInteger(10, ways);
    found.ways = ways;
    if (read && ways) caches.levels[level - 1] = found; // hypervisors have been seen to report 0 ways
  }
  return caches;
}

CacheGeometry host_icache() {
  for (unsigned index = 0; index < 8; ++index) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    if (sysfs(folder + "level") != "1" || sysfs(folder + "type") != "Instruction") continue;
    CacheGeometry geometry;
    geometry.bytes = parse_size(sysfs(folder + "size"));
    bool read = geometry.bytes != 0 &&
                !llvm::StringRef(sysfs(folder + "ways_of_associativity")).getAsInteger(10, geometry.ways) &&
                !llvm::StringRef(sysfs(folder + "coherency_line_size")).getAsInteger(10, geometry.line);
    // Hypervisors have been seen to report 0 ways.
    if (read && geometry.ways && geometry.line && geometry.bytes / geometry.ways / geometry.line)
      return geometry;
  }
  return CacheGeometry{};
}

} // namespace heddle
