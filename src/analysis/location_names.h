// What a shared location is called in an explanation: the program's own words for it, where it comes from,
// and which part of it is meant.
//
//     ndpi_thread_info[*].idle_flows[*]
//     ngx_cycle_t.free_connections (heap at src/core/ngx_cycle.c:70 in ngx_init_cycle)
//     ngx_pool_t.d.last (heap at src/os/unix/ngx_alloc.c:64 in ngx_memalign, called from ngx_create_pool)
//
// Heap memory has no declared type. Its type is that of the variable which takes the allocation, or else the
// one that most accesses name in their strict-aliasing tags (struct and offset within it).
#pragma once

#include "analysis/objects.h"
#include "program/declarations.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"

namespace heddle {

struct LocationName {
  std::string object; // the whole object, with its origin
  std::string part;   // "" for all of it: ".free_connections", "+8"
  std::string full;   // both in one
};

class LocationNames {
public:
  explicit LocationNames(const llvm::Module& module) : module_(module) {}

  // `accesses`: instructions that touch the place; they may tell the type.
  LocationName name(const MemoryObject& object, const Place& place,
                    llvm::ArrayRef<const llvm::Instruction*> accesses);

private:
  struct Origin { // of heap memory
    std::string text;
    const llvm::DIType* type = nullptr; // null: not known
  };
  const Origin& origin_of(const MemoryObject& object);
  void find_types();
  std::string field_accessed(llvm::ArrayRef<const llvm::Instruction*> accesses);

  const llvm::Module& module_;
  llvm::DenseMap<ObjectId, Origin> origins_;
  bool found_ = false;
  llvm::StringMap<const llvm::DICompositeType*> types_; // by tag name
  llvm::DenseMap<const llvm::DIType*, llvm::StringRef> typedefs_;
};

// Does a declaration ("declared", "scratch", "keyed") name this location, by `name` or as a part of `object`? Where the
// object comes from, "(heap at ...)", may be left out, and "[*]" is any element.
bool is_meant(const Declaration& declaration, llvm::StringRef name, llvm::StringRef object);

} // namespace heddle
