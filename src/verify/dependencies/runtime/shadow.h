// Who last touched each byte within one batch.
//
// Problem. Packet q, in stage s, touches a byte. Was it touched by an earlier packet of the batch in a higher stage?
// Packets run one after the other, so "earlier" is "recorded before, by another packet".
//
// Alternatives. A two-level table over all addresses with an entry per byte is fast, but an entry has to tell apart
// reads, writes and updates of several kinds, which makes it some thirty times the program's memory. Kept lists of
// all accesses are exact and unbounded. The choice: a hash table of granules of eight bytes, for the current batch
// alone, each with a short list of records (bytes, kind of access, stage, packet, place). A record says which access
// of its kind touched these bytes in the highest stage.
//
// Why the highest stage is enough. A pair is reversed when the later access has the lower stage, so whatever a lower
// record would be reversed with, the highest one is, too. A packet's own stage never falls; so its own record, where
// it has taken the place of another packet's with a stage at most as high, hides nothing: the packet's later accesses
// have that stage or a higher one. With keys, which pairs are in order depends on what both packets have claimed; so accesses of
// packets with other keys are of another kind. Accesses in stage 0 are reversed with nothing and are not recorded.
//
// Memory: what the packets of one batch touched in stages above 0, up to `most_records`; what does not fit is
// counted. Emptied by changing the number of the batch.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace heddle::dependencies {

// The kind of an access. Two accesses conflict when one writes.
struct Kind {
  // Bit 0: writes. 1 to 4: operation of an update (0: none), 5 to 7 and 8 to 12: its first byte in the granule, and
  // its size.
  uint32_t bits = 0;
  uint32_t regions = 0; // that it is made in (format.h)
  uint32_t keys = 0;    // a hash of what the packet has claimed
  bool writes() const { return bits & 1; }
  bool updates() const { return bits & 0x1e; }
  bool same_update(Kind other) const { return updates() && ((bits ^ other.bits) & 0x1ffe) == 0; }
  bool operator==(const Kind&) const = default;
};

struct Record {
  Kind kind;
  uint32_t stage, place, packet; // packet: counted within the batch
  uint32_t next;                 // 0: the last one
  uint8_t bytes;                 // a bit per byte of the granule; 0: free for another use
};

class Shadow {
public:
  // Forgets all records.
  void empty();
  // Gives the memory back.
  void release();
  bool is_empty() const { return records_used_ == 1; }

  // The first record of a granule (address / 8), or 0.
  uint32_t find(uint64_t granule) const;
  Record& record(uint32_t number) const { return records_[number]; }

  // Notes an access to the bytes of a granule. False when there is no room.
  bool note(uint64_t granule, Record access);

  // The bytes are new memory: no record speaks of them.
  void forget(uint64_t begin, uint64_t end);

  // Calls visit(granule, bytes) for every granule with records in [begin, end).
  template <typename Visit> void each(uint64_t begin, uint64_t end, Visit visit) const {
    if (is_empty() || begin >= end) return;
    const uint64_t first = begin / 8, last = (end - 1) / 8;
    if (last - first < slot_count_) {
      for (uint64_t granule = first; granule <= last; ++granule)
        visit(granule, bytes_of(granule, begin, end));
      return;
    }
    for (size_t i = 0; i < slot_count_; ++i)
      if (slots_[i].batch == batch_ && slots_[i].granule >= first && slots_[i].granule <= last)
        visit(slots_[i].granule, bytes_of(slots_[i].granule, begin, end));
  }

  // Which bytes of the granule lie in [begin, end).
  static uint8_t bytes_of(uint64_t granule, uint64_t begin, uint64_t end) {
    const uint64_t low = granule * 8;
    unsigned bytes = 0xff;
    if (begin > low) bytes &= 0xffu << (begin - low);
    if (end < low + 8) bytes &= 0xffu >> (low + 8 - end);
    return uint8_t(bytes);
  }

private:
  struct Slot {
    uint64_t granule;
    uint32_t batch; // of another batch: free
    uint32_t first;
  };

  Slot& slot(uint64_t granule) const;
  bool grow_slots();
  bool grow_records();

  Slot* slots_ = nullptr;
  Record* records_ = nullptr;
  size_t slot_count_ = 0, slots_used_ = 0;
  uint32_t records_used_ = 1, record_count_ = 0;
  uint32_t batch_ = 1;
};

} // namespace heddle::dependencies
