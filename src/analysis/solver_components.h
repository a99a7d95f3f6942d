// Strongly connected components of a graph with numbered nodes.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace heddle {

// Tarjan's algorithm without recursion over nodes 0..count-1. Components come out with all their successors
// before them.
class Components {
public:
  Components(size_t count, std::function<void(uint32_t, llvm::SmallVectorImpl<uint32_t>&)> successors,
             std::function<void(llvm::ArrayRef<uint32_t>)> found)
      : successors_(std::move(successors)), found_(std::move(found)), number_(count), low_(count),
        on_stack_(count) {}

  void visit(uint32_t root) {
    if (number_[root]) return;
    enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.next < frame.successors.size()) {
        uint32_t next = frame.successors[frame.next++];
        if (!number_[next])
          enter(next);
        else if (on_stack_[next])
          low_[frame.node] = std::min(low_[frame.node], number_[next]);
        continue;
      }
      uint32_t node = frame.node;
      frames_.pop_back();
      if (!frames_.empty()) low_[frames_.back().node] = std::min(low_[frames_.back().node], low_[node]);
      if (low_[node] == number_[node]) leave(node);
    }
  }

private:
  struct Frame {
    uint32_t node;
    size_t next = 0;
    llvm::SmallVector<uint32_t, 8> successors;
  };

  void enter(uint32_t node) {
    number_[node] = low_[node] = ++counter_;
    on_stack_[node] = true;
    stack_.push_back(node);
    frames_.push_back({node, 0, {}});
    successors_(node, frames_.back().successors);
  }

  void leave(uint32_t node) {
    size_t first = stack_.size();
    do
      on_stack_[stack_[--first]] = false;
    while (stack_[first] != node);
    found_(llvm::ArrayRef(stack_).drop_front(first));
    stack_.resize(first);
  }

  std::function<void(uint32_t, llvm::SmallVectorImpl<uint32_t>&)> successors_;
  std::function<void(llvm::ArrayRef<uint32_t>)> found_;
  std::vector<uint32_t> number_, low_;
  std::vector<bool> on_stack_;
  std::vector<uint32_t> stack_;
  std::vector<Frame> frames_;
  uint32_t counter_ = 0;
};

} // namespace heddle
