// Pages of all sizes.
#include "doctor/checks.h"
#include "host/arena.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace heddle {

using llvm::StringRef;

namespace {

constexpr const char* pools = "/sys/kernel/mm/hugepages";

uint64_t number_in(const std::string& path) {
  uint64_t number = 0;
  if (auto buffer = llvm::MemoryBuffer::getFileAsStream(path))
    (void)(*buffer)->getBuffer().trim().getAsInteger(10, number);
  return number;
}

// One page of the pool, written to.
bool can_have(uint64_t kib) {
  const size_t bytes = kib * 1024;
  const int size = int(llvm::Log2_64(bytes)) << MAP_HUGE_SHIFT;
  void* page =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | size, -1, 0);
  if (page == MAP_FAILED) return false;
  *static_cast<volatile char*>(page) = 1;
  munmap(page, bytes);
  return true;
}

Check check_pool(uint64_t kib) {
  const std::string pool = llvm::formatv("{0}/hugepages-{1}kB", pools, kib);
  const uint64_t all = number_in(pool + "/nr_hugepages"), free = number_in(pool + "/free_hugepages");
  const std::string size =
      kib % (1 << 20) == 0 ? llvm::utostr(kib >> 20) + " GiB" : llvm::utostr(kib >> 10) + " MiB";
  Check check{"huge pages, " + size, free != 0 && can_have(kib), false,
              llvm::formatv("{0} reserved, {1} free", all, free), ""};
  if (free != 0 && !check.found) check.what += llvm::formatv(", but none can be had: {0}", strerror(errno));
  check.hint = llvm::formatv("echo {0} > {1}/nr_hugepages, as root; DPDK runs without them by --no-huge",
                             std::max<uint64_t>(1, 512 * 1024 / kib), pool);
  return check;
}

} // namespace

std::vector<Check> check_huge_pages() {
  std::vector<uint64_t> sizes;
  std::error_code ec;
  for (llvm::sys::fs::directory_iterator at(pools, ec), end; at != end && !ec; at.increment(ec)) {
    StringRef name = llvm::sys::path::filename(at->path());
    uint64_t kib = 0;
    if (name.consume_front("hugepages-") && name.consume_back("kB") && !name.getAsInteger(10, kib))
      sizes.push_back(kib);
  }
  if (sizes.empty())
    return {{"huge pages", false, false, "this kernel has none",
             "run a kernel with CONFIG_HUGETLBFS; DPDK runs without them by --no-huge"}};
  llvm::sort(sizes);
  std::vector<Check> checks;
  for (uint64_t kib : sizes)
    checks.push_back(check_pool(kib));
  return checks;
}

Check check_large_pages() {
  auto arena = Arena::make(4 * 1024, /*large=*/true);
  Check check{"large pages", bool(arena), false, "the kernel gives transparent ones on request",
              "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, as root"};
  if (!arena) check.what = llvm::toString(arena.takeError());
  return check;
}

// As many as the largest batch asks for, of the default size: src/runtime/stacks.cpp.
Check check_private_stacks() {
  constexpr size_t bytes = size_t(4096) * 256 * 1024;
  void* stacks =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const bool found = stacks != MAP_FAILED;
  Check check{"private stacks", found, false,
              found ? "address space for 4096 packets in flight" : strerror(errno),
              "raise the limit of address space (ulimit -v), or set HEDDLE_STACK or HEDDLE_BATCH lower"};
  if (found) munmap(stacks, bytes);
  return check;
}

} // namespace heddle
