// Which objects can bodies of different packets both reach?
//
// An object made in the body (stack, heap) or delivered by the receive interface (packet) stands for one
// run-time object per packet. It is private as long as no shared object may hold a pointer to it: then only
// this packet's own values lead there. Shared are globals, what is made outside the body, what outside code
// may hold, and everything they point to.
//
// Publication. A packet's buffer usually ends in a shared place (a transmit queue, a session that keeps it),
// and plain reachability would make every access to every packet shared. With published twins
// (PointsToOptions::twin) what is loaded back from a shared place is another object, the twin. Then
//   - accesses through the packet's own pointer, before it is published, concern nobody else: another packet
//     can only come by through the shared place, whose own window orders publication before that read;
//   - accesses through the twin, and through the own pointer after a publication, may meet: they are
//     accesses to one shared location.
#pragma once

#include "analysis/effects.h"

#include "llvm/ADT/DenseSet.h"

namespace heddle {

class Sharing {
public:
  // `own_arrays`: objects whose pointees are each packet's own (own_element_arrays()).
  Sharing(const llvm::Function& body, const Effects& effects, const ObjectSet& own_arrays);

  bool is_shared(ObjectId object) const { return shared_.test(object); }
  bool is_private(ObjectId object) const { return !shared_.test(object); }
  // Does what the receive interface delivers for one packet point straight to it?
  bool is_element(ObjectId object) const { return elements_.test(object); }

  // Instructions of the body after which `object`'s address lies in shared memory or with outside code.
  // Empty for objects that are never published.
  llvm::DenseSet<const llvm::Instruction*> publications(ObjectId object) const;
  // The twins of private objects: twin -> original.
  const llvm::DenseMap<ObjectId, ObjectId>& twins() const { return twins_; }

private:
  bool leads_to_shared(const llvm::Value* pointer) const;
  bool copy_publishes(const llvm::Value* to, const llvm::Value* from, ObjectId object) const;
  bool call_publishes(const llvm::CallBase& call, ObjectId object) const;
  bool publishes(const llvm::Instruction& instruction, ObjectId object) const;

  const llvm::Function& body_;
  const Effects& effects_;
  mutable ObjectSet shared_, elements_; // their test() caches
  llvm::DenseMap<ObjectId, ObjectId> twins_;
};

// Made for each packet: by an instruction of the body, or a received packet.
bool made_per_packet(const MemoryObject& object, const llvm::DenseSet<const llvm::Function*>& body_functions);

} // namespace heddle
