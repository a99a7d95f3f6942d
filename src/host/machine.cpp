#include "host/machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <ctime>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace heddle {

using llvm::StringRef;

namespace {

std::string contents(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
  return buffer ? (*buffer)->getBuffer().trim().str() : "";
}

// The value of a "name : value" line of /proc/cpuinfo.
std::string cpu_field(StringRef cpuinfo, StringRef name) {
  llvm::SmallVector<StringRef, 64> lines;
  cpuinfo.split(lines, '\n');
  for (StringRef line : lines)
    if (auto [field, value] = line.split(':'); field.trim() == name) return value.trim().str();
  return "";
}

std::vector<MachineCache> caches(const std::string& root) {
  std::vector<MachineCache> result;
  for (unsigned i = 0;; ++i) {
    std::string folder = root + "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    MachineCache cache;
    if (!llvm::to_integer(contents(folder + "level"), cache.level)) return result;
    cache.type = contents(folder + "type");
    cache.size = contents(folder + "size");
    (void)llvm::to_integer(contents(folder + "ways_of_associativity"), cache.ways);
    result.push_back(cache);
  }
}

// Only a flag says for sure that there is one; the firmware's names say which.
std::string hypervisor(const std::string& root, StringRef cpuinfo) {
  llvm::SmallVector<StringRef, 256> flags;
  std::string list = cpu_field(cpuinfo, "flags");
  StringRef(list).split(flags, ' ');
  if (!llvm::is_contained(flags, "hypervisor")) return "";
  std::string vendor = contents(root + "/sys/class/dmi/id/sys_vendor");
  std::string product = contents(root + "/sys/class/dmi/id/product_name");
  std::string name = vendor.empty() || product.empty() ? vendor + product : vendor + " " + product;
  return name.empty() ? "unnamed" : name;
}

std::string now() {
  time_t seconds = time(nullptr);
  tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

} // namespace

Machine describe_machine(const std::string& root) {
  Machine machine;
  std::string cpuinfo = contents(root + "/proc/cpuinfo");
  machine.cpu = cpu_field(cpuinfo, "model name");
  if (machine.cpu.empty()) machine.cpu = "unknown CPU";
  machine.hypervisor = hypervisor(root, cpuinfo);
  machine.caches = caches(root);
  machine.cpus = unsigned(sysconf(_SC_NPROCESSORS_ONLN));
  utsname names{};
  if (uname(&names) == 0) machine.kernel = std::string(names.sysname) + " " + names.release;
  machine.date = now();
  return machine;
}

std::string Machine::str() const {
  std::string text = llvm::formatv("{0}, {1} CPUs", cpu, cpus);
  for (const MachineCache& cache : caches)
    text += llvm::formatv(", L{0}{1} {2}:{3}", cache.level,
                          cache.type == "Instruction" ? "I"
                          : cache.type == "Data"      ? "D"
                                                      : "",
                          cache.size, cache.ways);
  if (date.empty()) return text; // known from elsewhere
  text += "; " + kernel;
  text += hypervisor.empty() ? "; no hypervisor" : "; virtual machine (" + hypervisor + ")";
  return text + "; " + date;
}

unsigned last_cpu() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  for (unsigned cpu = CPU_SETSIZE; cpu-- != 0;)
    if (CPU_ISSET(cpu, &set)) return cpu;
  return 0;
}

void write_machine(const Machine& machine, llvm::json::OStream& json) {
  json.attribute("cpu", machine.cpu);
  json.attribute("cpus", machine.cpus);
  json.attribute("kernel", machine.kernel);
  json.attribute("hypervisor", machine.hypervisor);
  json.attribute("date", machine.date);
  json.attributeArray("caches", [&] {
    for (const MachineCache& cache : machine.caches)
      json.object([&] {
        json.attribute("level", cache.level);
        json.attribute("type", cache.type);
        json.attribute("size", cache.size);
        json.attribute("ways", cache.ways);
      });
  });
}

} // namespace heddle
