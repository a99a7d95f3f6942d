// Which places packets reach only after they have claimed a key (program/claims.h).
//
// Problem. A keyed location is safe in any order of packets with different keys, if no packet touches it before it
// has said which key it has.
// Choice: a forward analysis over the body's graph, in which a claim holds at a node if it was made on every way to it. Claims within
// closed calls are not counted on as made, but are places where the packet's key may change (claims()). A packet may claim one key more
// than once; the runtime takes it for one that has all keys if the values differ (src/runtime/keys.cpp). What a packet loop within a
// packet claims is left out: the declaration says that it does not touch what packets in flight have.
#pragma once

#include "analysis/body_graph.h"

namespace heddle {

class Keys {
public:
  Keys(const BodyGraph& graph, const Effects& effects, const RareBlocks& rare,
       llvm::ArrayRef<const llvm::Function*> bodies);

  // A bit for each key that a packet which comes to the node has claimed, on whatever way; `fresh`: as a record that is
  // filled at once.
  uint32_t claimed(uint32_t node) const { return before_[node].any; }
  bool claimed_fresh(uint32_t node, unsigned key) const { return before_[node].fresh >> key & 1; }

  // Nodes that claim the key, or may within a closed call: in common code, in rare code, and there as a fresh record. And the
  // values claimed, where they are known.
  enum class Claimed { InCommonCode, InRareCode, FreshInRareCode };
  std::vector<uint32_t> claims(unsigned key, Claimed where) const;
  std::vector<const llvm::Value*> values(unsigned key) const;

private:
  struct Set {
    uint32_t any = 0, fresh = 0;
    bool operator==(const Set&) const = default;
  };
  struct Made {
    uint32_t node;
    unsigned key;
    bool nobodys, rare;
    const llvm::Value* value;
  };

  void add_closed(const BodyGraph& graph, const PointsTo& points_to, const RareBlocks& rare,
                  llvm::ArrayRef<const llvm::Function*> bodies);

  std::vector<Made> made_;
  std::vector<Set> before_; // per node
};

// Functions whose calls have to be opened for the claims in them to count: those that claim, and those that get there by direct
// calls.
llvm::DenseSet<const llvm::Function*> functions_that_claim(const llvm::Module& module);

} // namespace heddle
