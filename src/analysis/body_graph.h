// The packet body as one graph over its functions: a tree of contexts.
//
// A cut must be crossed at most once on every path, and a site in a function that is called from two places
// would be met twice. So the interprocedural graph is not the usual one, in which all callers of a function
// share its blocks (and returns go to callers that did not call): every call that is worth it is *opened*,
// which gives its callee's blocks a context of their own, as if the call were inlined. The transformation
// makes that true by cloning the callee for the contexts that hold sites.
//
// A call stays *closed*, and all its callees' work belongs to the block that makes it, when
//   - it lies in a cycle of its function's control flow (no cut lies inside a cycle),
//   - its callee is not known directly, is a declaration, is recursive, or calls setjmp,
//   - it is an invoke (the way into the landing pad would start somewhere inside the callee),
//   - no packet of the sample came by, or the call is in rare code: not worth a clone.
// Closed calls lose precision, never soundness.
#pragma once

#include "analysis/effects.h"
#include "program/program.h"

#include <functional>

namespace heddle {

struct BodyContext {
  const llvm::Function* function;
  uint32_t parent = 0;                  // of context 0: itself
  const llvm::CallBase* call = nullptr; // in the parent's function; null for context 0
};

struct BodyNode {
  uint32_t context;
  const llvm::BasicBlock* block;
  std::vector<const llvm::CallBase*> closed_calls; // all calls of the block but the opened one and intrinsics
  bool rare = false;                               // OpenOptions::rare
};

struct BodyEdge {
  uint32_t from, to;
  bool site_possible;
  uint32_t site_context = 0;
  const llvm::BasicBlock *site_from = nullptr, *site_to = nullptr;
};

struct BodyGraph {
  std::vector<BodyContext> contexts;
  std::vector<BodyNode> nodes;
  std::vector<BodyEdge> edges;
  uint32_t entry = 0;
  std::vector<uint32_t> exits; // nodes that return from the body
  // Nodes of the body's own function that go straight to its return with a code other than 0: the packet
  // leaves the packet loop. Their way to the return is no edge of the graph, so no site can stand there: a
  // packet that leaves must not be suspended, or the next one would start.
  std::vector<uint32_t> leaving;
  bool truncated = false; // max_nodes was reached: some hot calls stayed closed
};

struct OpenOptions {
  std::function<bool(const llvm::BasicBlock*)> hot;  // did a packet of the sample come by?
  std::function<bool(const llvm::Function&)> opaque; // described by a model: never opened
  RareBlocks rare;                                   // null: none
  // Must a packet not be suspended between these two blocks? Null: it may.
  std::function<bool(const llvm::BasicBlock&, const llvm::BasicBlock&)> joined;
  size_t max_nodes = 300000;
};

BodyGraph build_body_graph(const llvm::Function& body, const OpenOptions& options);

} // namespace heddle
