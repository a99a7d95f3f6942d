// Abstract memory: the objects that the points-to analysis tells apart, and ranges of bytes within them.
//
// An object stands for all run-time objects of one allocation site (a global, an alloca, a call that
// allocates). Addresses are kept as a *range*: an exact byte offset, or the offsets of one field in all
// elements of an array ("k, k+stride, ... within [low, high)"). "Anywhere in the object" is stride 1 without
// bounds.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

using ObjectId = uint32_t;

enum class ObjectKind : uint8_t {
  Unknown,  // memory of the outside world: what unknown external functions own
  Global,   // global or thread-local variable
  Stack,    // alloca, by-value argument, or the variable arguments of a function
  Heap,     // allocation site, or call site of an allocation wrapper
  Function, // code
  Packet,   // what a receive interface delivers: mbuf, packet header, packet data, callback frame
  System,   // state behind the system's interface: see SystemLocation
};

// State that no pointer of the program reaches and that external functions read and write.
enum class SystemLocation : uint8_t {
  StdioChannel,   // FILE streams
  FileDescriptor, // files, sockets, epoll sets: everything behind a descriptor
  TransmitPort,   // rte_eth_tx_*
  ReceivePort,    // rte_eth_rx_*, pcap handles
  Syslog,
  DeclaredOutput, // what functions that the user named put out (program/declared_output.h)
  Errno,
  Allocator, // malloc, mempools: which addresses come back
  Time,
  Random,
  ProcessExit,  // exit, _exit: normal ends
  Jump,         // longjmp: maybe out of the packet loop
  AbnormalExit, // abort, failed assertions
  Lock,
  Environment, // environment variables, locale, working folder
  Thread,      // thread creation, signals' disposition
  Exception,   // C++ exception in flight
  DpdkState,   // configuration of the EAL, ports and timers
  External,    // what an unknown external function or inline assembly keeps for itself
  Untraced,    // what is reached through pointers to which nothing is known to be assigned
};
constexpr unsigned system_location_count = unsigned(SystemLocation::Untraced) + 1;

// Places in the StdioChannel object, one for each stream that is told apart: the standard ones, those opened by
// one call, and, below 0, those whose bytes go to memory of the program's.
constexpr int64_t stream_size = 4096; // more than a FILE
// Standard output and error count as one: they often end in one file, where their order shows.
enum class StandardStream : uint8_t { In, Out };
constexpr int64_t first_opened_stream = 2 * stream_size;
// Places in the FileDescriptor object: descriptors that may belong to a stream, and those that do not.
constexpr int64_t streams_descriptor = 0, own_descriptor = 1;

llvm::StringRef system_location_name(SystemLocation location); // "standard I/O channel", "errno", ...

// Byte offsets at which something starts: {offset} when stride is 0, else every x = offset (mod stride)
// with low <= x < high.
struct Place {
  static constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  static constexpr int64_t highest = std::numeric_limits<int64_t>::max();

  int64_t offset = 0;
  uint64_t stride = 0;
  int64_t low = lowest, high = highest;

  static Place at(int64_t offset) { return {offset, 0, lowest, highest}; }
  static Place anywhere() { return {0, 1, lowest, highest}; }
  bool exact() const { return stride == 0; }
  bool is_anywhere() const { return stride == 1 && low == lowest && high == highest; }
  bool operator==(const Place&) const = default;

  Place moved(int64_t by) const; // the place `by` bytes on
};

constexpr uint64_t unknown_size = std::numeric_limits<uint64_t>::max();

// Can `size_a` bytes that start at `a` share a byte with `size_b` bytes that start at `b`?
bool may_overlap(const Place& a, uint64_t size_a, const Place& b, uint64_t size_b);

struct MemoryObject {
  ObjectId id = 0;
  ObjectKind kind = ObjectKind::Unknown;
  SystemLocation system = SystemLocation::External; // when kind is System
  const llvm::Value* site =
      nullptr;                  // GlobalVariable, AllocaInst, Argument, CallBase or Function; may be null
  std::optional<uint64_t> size; // bytes, where known
  uint64_t alignment = 1;       // of the object's start, in bytes
  llvm::Type* type = nullptr;   // declared type, where known
  bool no_pointers = false;     // constant and without addresses in it: offsets are not told apart
  bool constant = false;        // never written (constant globals, functions)
  bool thread_local_ = false;
  std::string label;               // what tells objects of one site apart: "packet data", "mbuf", ...
  std::optional<ObjectId> twin_of; // published twin of that object (PointsToOptions::twins)
};

// For people: "ngx_cycle", "stack variable buf of handle", "heap at session.c:210 in create_session",
// "packet data (main.c:88)", "errno".
std::string name_of(const MemoryObject& object);

// `place` of `object` with field names from the debug information where there is any:
// "ngx_cycle->connection_n", "table[*].hits", else the name and "+offset".
std::string describe(const MemoryObject& object, const Place& place);

// "file:line" of the instruction (innermost inlined frame), of a global's or function's definition, or "?".
std::string source_of(const llvm::Value* value);

} // namespace heddle
