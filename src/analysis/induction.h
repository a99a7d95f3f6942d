// Which element of an array is this packet's own.
//
// A batch arrives as an array, and iteration i reads element i. Different packets then read different
// elements, although points-to sees one array with one set of pointees. This holds when the index is the
// packet loop's induction variable: a slot of the body's frame (program.h) that is read and advanced by a
// constant at the start of the body and written nowhere else.
#pragma once

#include "analysis/effects.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace heddle {

class Induction {
public:
  // `body`: heddle.body.N of a loop (never of a callback).
  explicit Induction(const llvm::Function& body);

  // Loads that give the packet's number: the value of the induction variable before it is advanced.
  bool is_index(const llvm::Value* value) const { return indices_.contains(value); }

  // If `pointer` is base + index * stride + constant with a base that is the same for all packets:
  // (base, stride, constant).
  struct Element {
    const llvm::Value* base;
    int64_t stride, offset;
    int64_t end; // of several accesses: behind their last byte
  };
  std::optional<Element> element(const llvm::Value* pointer) const;

  // Is `value` the same for all packets of a batch: a constant, or read from a slot that no packet writes?
  bool is_invariant(const llvm::Value* value) const;

  // Does the body's own function store to an element of the object?
  bool element_written(ObjectId object, const Effects& effects) const;

  const llvm::Function& body() const { return body_; }

private:
  std::optional<int64_t> slot_of(const llvm::Value* pointer) const; // byte offset in the frame

  const llvm::Function& body_;
  llvm::DenseSet<const llvm::Value*> indices_;
  llvm::DenseMap<int64_t, unsigned> stores_; // slot -> number of stores in the body
  bool frame_escapes_ = false;               // then nothing is known of the slots
};

// Do all of these touch only the packet's own element of one array? No two packets then touch the same bytes by them.
bool touch_own_elements(const Induction& induction, llvm::ArrayRef<const llvm::Instruction*> accesses);

// Objects whose pointees each packet reads only at its own element (the receive array): what they point to
// is the packet's own. Proven when all of the body's accesses to the object are loads of one element.
ObjectSet own_element_arrays(const llvm::Function& body, const Effects& effects);

} // namespace heddle
