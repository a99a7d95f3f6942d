// Where a program is attached, and how another one takes its place.
#pragma once

#include "specialize/bpf/running.h"

namespace heddle {

// One place: a network interface in one of XDP's modes, a link that somebody else made, or an element of an array of programs.
class Attachment {
public:
  // The one place where the program is attached; only where that is neither interface nor link, an element. Errors: none; several.
  static llvm::Expected<Attachment> find(const RunningProgram& program);

  // An element of an array of programs.
  static llvm::Expected<Attachment> element(uint32_t map, uint32_t key);

  // Puts `next` where `now` is, in one step: every packet meets one of the two. Fails, and changes nothing, where `now` is
  // no longer there. (Of an element that is looked at just before: the kernel does not do both at once.)
  llvm::Error replace(int now, int next) const;

  // Whether the program of that id is there.
  bool holds(uint32_t id) const;

  const std::string& where() const { return where_; }

private:
  Attachment() = default;

  Descriptor array_; // of an element
  uint32_t key_ = 0;
  uint32_t link_ = 0; // of a link, its id: a descriptor would keep it when its owner lets it go
  int interface_ = 0; // of an interface
  uint32_t mode_ = 0; // of an interface: XDP_FLAGS_*_MODE
  std::string where_; // for messages
};

} // namespace heddle
