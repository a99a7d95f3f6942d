#include "program/modelled.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;

namespace heddle {

ArrayRef<ReceiveInterface> receive_interfaces() {
  static const ReceiveInterface table[] = {
      {"rte_eth_rx_burst", ReceiveKind::DpdkRxBurst, 2, -1},
      {"epoll_wait", ReceiveKind::EpollWait, 1, -1},
      {"epoll_pwait", ReceiveKind::EpollWait, 1, -1},
      {"epoll_pwait2", ReceiveKind::EpollWait, 1, -1},
      {"poll", ReceiveKind::Poll, 0, -1},
      {"ppoll", ReceiveKind::Poll, 0, -1},
      {"recvmmsg", ReceiveKind::Recvmmsg, 1, -1},
      {"daq_instance_msg_receive", ReceiveKind::DaqMessages, 2, -1},
      {"xsk_ring_cons__peek", ReceiveKind::XskRing, -1, -1},
      {"pcap_loop", ReceiveKind::PcapCallback, -1, 2},
      {"pcap_dispatch", ReceiveKind::PcapCallback, -1, 2},
  };
  return table;
}

StringRef source_name(const GlobalValue& value) {
  StringRef name = value.getName();
  if (!value.hasLocalLinkage()) return name;
  auto [stem, suffix] = name.rsplit('.');
  if (!suffix.empty() && all_of(suffix, isDigit)) name = stem;
  // C++ mangles static functions even within extern "C": _ZL16rte_eth_rx_burstttPP8rte_mbuft.
  StringRef mangled = name;
  unsigned length = 0;
  if (mangled.consume_front("_ZL") && !mangled.consumeInteger(10, length) && length <= mangled.size())
    return mangled.take_front(length);
  return name;
}

bool is_called(const Function& function, StringRef name) {
  if (source_name(function) == name || function.getName() == name) return true;
  std::string plain = demangle(function.getName());
  return StringRef(plain).split('(').first == name;
}

constexpr const char* declared_attribute = "heddle-declared";

StringRef declared_name(const Function& function) {
  return function.getFnAttribute(declared_attribute).getValueAsString();
}

void set_declared_name(Function& function, StringRef name) {
  function.addFnAttr(declared_attribute, name);
}

const ReceiveInterface* receive_interface(const Function& function) {
  StringRef name = source_name(function);
  for (const ReceiveInterface& entry : receive_interfaces()) {
    // A program's own function of the name of a libc call is no receive interface; DPDK's and AF_XDP's are all inline.
    bool defined = entry.kind == ReceiveKind::DpdkRxBurst || entry.kind == ReceiveKind::XskRing;
    if (entry.name == name && (defined || function.isDeclaration())) return &entry;
  }
  return nullptr;
}

static constexpr DatagramReceive datagram_receives[] = {
    {"recvfrom", ReceiveKind::Recvfrom, "heddle_recvfrom"},
    {"recvmsg", ReceiveKind::Recvmsg, "heddle_recvmsg"},
    {"recv", ReceiveKind::Recv, "heddle_recv"},
    {"pcap_next_ex", ReceiveKind::PcapNextEx, "heddle_pcap_next_ex"},
    {"pcap_next", ReceiveKind::PcapNext, "heddle_pcap_next"},
};

const DatagramReceive* datagram_receive(const CallBase& call) {
  const Function* function = call.getCalledFunction();
  if (!function || !function->isDeclaration()) return nullptr;
  for (const DatagramReceive& entry : datagram_receives)
    if (entry.name == function->getName()) return &entry;
  return nullptr;
}

bool is_capture(ReceiveKind kind) {
  return kind == ReceiveKind::PcapNextEx || kind == ReceiveKind::PcapNext;
}

bool receives_ahead(StringRef name) {
  return any_of(datagram_receives, [&](const DatagramReceive& entry) { return entry.stand_in == name; });
}

bool receives_datagrams(const Module& module) {
  return any_of(datagram_receives,
                [&](const DatagramReceive& entry) { return module.getFunction(entry.stand_in) != nullptr; });
}

bool waits_for_input(const CallBase& call) {
  static constexpr StringRef names[] = {"poll",
                                        "ppoll",
                                        "select",
                                        "pselect",
                                        "epoll_wait",
                                        "epoll_pwait",
                                        "epoll_pwait2",
                                        "recvmmsg",
                                        "accept",
                                        "accept4",
                                        "pcap_loop",
                                        "pcap_dispatch",
                                        "daq_instance_msg_receive",
                                        "daq_acquire",
                                        "daq_acquire_with_meta"};
  const Function* function = call.getCalledFunction();
  return function && function->isDeclaration() && is_contained(names, function->getName());
}

bool takes_verdicts(const Function& function) {
  static constexpr StringRef names[] = {"daq_acquire", "daq_acquire_with_meta"};
  return function.isDeclaration() && is_contained(names, function.getName());
}

ArrayRef<StringRef> modelled_inlines() {
  static const StringRef table[] = {
      "rte_eth_rx_burst",      "rte_eth_tx_burst",       "rte_eth_tx_buffer",      "rte_eth_tx_buffer_flush",
      "rte_pktmbuf_alloc",     "rte_pktmbuf_alloc_bulk", "rte_pktmbuf_free",       "rte_pktmbuf_free_seg",
      "rte_mempool_get",       "rte_mempool_get_bulk",   "rte_mempool_put",        "rte_mempool_put_bulk",
      "rte_mbuf_raw_alloc",    "rte_mbuf_raw_free",      "rte_ring_enqueue",       "rte_ring_enqueue_burst",
      "rte_ring_enqueue_bulk", "rte_ring_dequeue",       "rte_ring_dequeue_burst", "rte_ring_dequeue_bulk",
      "rte_rwlock_read_lock",  "rte_rwlock_read_unlock", "rte_rwlock_write_lock",  "rte_rwlock_write_unlock",
      "rte_spinlock_lock",     "rte_spinlock_unlock",
  };
  return table;
}

bool is_modelled_inline(StringRef name) {
  return is_contained(modelled_inlines(), name);
}

ArrayRef<const char*> pool_allocators() {
  static const char* const names[] = {
      "ngx_palloc",     "ngx_pnalloc",           "ngx_pcalloc",     "ngx_pmemalign",
      "ngx_slab_alloc", "ngx_slab_alloc_locked", "ngx_slab_calloc", "ngx_slab_calloc_locked",
      "apr_palloc",     "apr_pcalloc",           "mm_alloc",        "mm_calloc",
      "mp_alloc",       "talloc_size",           "pool_alloc",      "obstack_alloc",
  };
  return names;
}

} // namespace heddle
