// One frame per packet: opened contexts become part of the packet body.
#pragma once

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace heddle {

// Says that `context` holds sites and is called from one place.
void mark_context(llvm::Function& context);

struct JoinedFrames {
  unsigned possible = 0;  // contexts that hold sites
  unsigned performed = 0; // those that are inlined now
};

// Inlines every marked function into its caller where the compiler can. After the sites are in.
JoinedFrames join_frames(llvm::Module& module);

} // namespace heddle
