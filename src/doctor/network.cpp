// Where packets come from: DPDK, libpcap, network namespaces.
#include "doctor/checks.h"
#include "doctor/try.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <cstring>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle {

using llvm::StringRef;

namespace {

constexpr const char* eal_source = R"(#include <stdio.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
int main(int count, char **arguments) {
  if (rte_eal_init(count, arguments) < 0) return 1;
  return rte_eth_dev_count_avail() == 1 ? 0 : 2;
}
)";

constexpr const char* pcap_source = R"(#include <stdio.h>
#include <pcap/pcap.h>
int main(void) {
  pcap_t *captured = pcap_open_dead(DLT_EN10MB, 65535);
  if (!captured) return 1;
  pcap_close(captured);
  puts(pcap_lib_version());
  return 0;
}
)";

struct VirtualPort {
  const char *name, *device;
};
// One of each kind that needs no hardware; what some need on top stands in hint_of().
constexpr VirtualPort virtual_ports[] = {
    {"net_null", "net_null0"},
    {"net_ring", "net_ring0"},
    {"net_pcap", "net_pcap0,iface=lo"},
    {"net_af_packet", "net_af_packet0,iface=lo"},
    {"net_tap", "net_tap0"},
};

std::vector<std::string> words(StringRef text) {
  llvm::SmallVector<StringRef, 32> parts;
  text.split(parts, ' ', -1, false);
  std::vector<std::string> all;
  for (StringRef part : parts)
    all.push_back(part.trim().str());
  return all;
}

// Which of the virtual ports come up.
Check check_ports(const TriedProgram& program) {
  Check check{"DPDK ports", false, false, "",
              "net_pcap, net_af_packet and net_tap need root and, for net_tap, /dev/net/tun"};
  std::string missing;
  for (const VirtualPort& port : virtual_ports) {
    const Tried tried = program.run({"--no-huge", "--no-pci", "--no-shconf", "--no-telemetry", "-m", "64",
                                     "-l", "0", "--vdev", port.device});
    std::string& list = tried.ok ? check.what : missing;
    list += (list.empty() ? "" : ", ") + std::string(port.name);
  }
  check.found = !check.what.empty();
  if (!missing.empty()) check.what += (check.found ? "; not " : "none of ") + missing;
  return check;
}

} // namespace

std::vector<Check> check_dpdk() {
  const std::string hint = "apt install libdpdk-dev dpdk-dev pkg-config";
  const Tried version = try_program("pkg-config", {"--modversion", "libdpdk"});
  if (!version.ok) return {{"DPDK", false, false, version.text, hint}};
  const Tried flags = try_program("pkg-config", {"--cflags", "--libs", "libdpdk"});
  const TriedProgram program(eal_source, words(flags.text));
  if (!program.made().ok) return {{"DPDK", false, false, version.text + ": " + program.made().text, hint}};
  return {{"DPDK", true, false, version.text, ""}, check_ports(program)};
}

Check check_pcap() {
  const Tried tried = TriedProgram(pcap_source, {"-lpcap"}).run();
  return {"libpcap", tried.ok, false, tried.text, "apt install libpcap-dev"};
}

Check check_network_namespaces() {
  Check check{"network namespaces", false, false, "",
              "run as root, or sysctl kernel.unprivileged_userns_clone=1"};
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNET) == 0) _exit(0);
    _exit(unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 ? 1 : 2 + errno);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
    check.what = "cannot be tried: no process for it";
    return check;
  }
  const int ended = WEXITSTATUS(status);
  check.found = ended < 2;
  check.what = ended == 0   ? "can be made"
               : ended == 1 ? "can be made within a user namespace"
                            : strerror(ended - 2);
  return check;
}

} // namespace heddle
