// Hardware counters. `heddle bench` reads them through perf; here they are asked for directly, for the kernel's own reason.
#include "doctor/checks.h"

#include "llvm/Support/FormatVariadic.h"

#include <cerrno>
#include <cstring>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heddle {

namespace {

std::string hint_for(int error) {
  if (error == EACCES || error == EPERM)
    return "sysctl kernel.perf_event_paranoid=2, or lower, as root; in a container also allow "
           "perf_event_open";
  return "on a virtual machine, have the host pass the PMU through; without counters, Heddle simulates "
         "caches";
}

// Counts a loop of this process.
Check count(const char* name, uint32_t type, uint64_t config) {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = type;
  event.config = config;
  event.disabled = 1;
  event.exclude_kernel = event.exclude_hv = 1;
  Check check{name, false, false, "", ""};
  const int fd = int(syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
  if (fd < 0) {
    const int error = errno;
    check.what = error == ENOENT ? "the CPU offers no such counter" : strerror(error);
    check.hint = hint_for(error);
    return check;
  }
  ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
  for (volatile unsigned i = 0; i < 100000; i = i + 1) {
  }
  ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
  uint64_t counted = 0;
  check.found = read(fd, &counted, sizeof counted) == sizeof counted && counted > 0;
  close(fd);
  check.what = check.found ? llvm::formatv("{0} in a loop of 100000", counted).str() : "it stays at 0";
  if (!check.found) check.hint = hint_for(0);
  return check;
}

} // namespace

std::vector<Check> check_counters() {
  constexpr uint64_t icache_misses =
      PERF_COUNT_HW_CACHE_L1I | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
  return {count("counter: cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES),
          count("counter: instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
          count("counter: L1I misses", PERF_TYPE_HW_CACHE, icache_misses)};
}

} // namespace heddle
