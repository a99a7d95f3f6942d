// Keys that nobody declares: pointers through which alone packets reach a location.
//
// Problem. Per-flow records tie the whole path together unless packets with different records are known not to meet. A declared key
// is the user's word. Often the program shows it: `session = find(...)`, and every access to session->bytes in the body is
// made through that pointer.
//
// Choice. Let all accesses of the body to a range of bytes of an object be loads, stores or copies of known size at constant
// offsets from some values of the body, its *roots*: results of loads, calls, phis, address computations. Let the bytes so touched lie
// within one record: the points-to analysis says that every root leads to x = o (mod s) of the object, for one o and s, and the accesses span no more
// than s bytes (or, of objects of which there are many, each root leads to one place in one of them). Then two packets meet in the location only if their
// roots had the same value. So if each root is claimed as soon as it is known (program/claims.h), the location is keyed, without a word
// of the user's: the runtime keeps packets with the same value in order, and one with two values counts as having any.
//
// An argument of a function is followed to the calls, as far as they are in the body. Not followed: memory (what is stored and loaded again is
// a new root), integers, and functions whose address is taken. What is reached by other means has no such key.
#pragma once

#include "analysis/access_table.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace heddle {

class InferredKeys {
public:
  InferredKeys(const llvm::Function& body, llvm::ArrayRef<const llvm::Function*> bodies,
               const Effects& effects);

  using Roots = std::vector<const llvm::Instruction*>;
  // Of all accesses of the body that may touch a byte that `write` may; in the order of the code. Empty: there is no such key.
  Roots roots_of(const AccessKey& write) const;

private:
  struct Found {
    const llvm::Instruction* root;
    int64_t offset; // of the access, from it
  };
  struct Followed; // arguments

  bool follow(const llvm::Value& pointer, int64_t offset, std::vector<Found>& found,
              Followed& arguments) const;

  const Effects& effects_;
  llvm::DenseSet<const llvm::Function*> bodies_;
  bool nested_ = false;                                           // another packet loop runs within a packet
  llvm::DenseMap<ObjectId, std::vector<const Access*>> accesses_; // the effects' own
  llvm::DenseSet<ObjectId> reached_broadly_; // by an instruction that touches many objects
  llvm::DenseMap<const llvm::Function*, std::vector<const llvm::CallBase*>> callers_;
  llvm::DenseMap<const llvm::Instruction*, uint32_t> order_; // of possible roots
};

// The number of the key that the roots are claimed as, each right behind its definition; none: not all are, or not as one.
std::optional<unsigned> claimed_as(const InferredKeys::Roots& roots);

} // namespace heddle
