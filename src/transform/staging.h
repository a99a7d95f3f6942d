// The staging pass: a plan's cuts as sites in the program's code.
#pragma once

#include "plan/plan.h"
#include "program/program.h"
#include "transform/site.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace llvm {
class BasicBlock;
class Module;
} // namespace llvm

namespace heddle {

struct StagingResult {
  unsigned possible = 0; // edges the plan names
  unsigned sites = 0;    // sites inserted, one per edge
  unsigned cloned = 0;   // functions copied for an opened context
  unsigned in_place = 0; // opened contexts whose function has no other use
};

// Makes a site on the edge from one block to another, for a stage: insert_site (site.h), or what only notes it.
using SiteMaker = llvm::function_ref<void(llvm::BasicBlock& from, llvm::BasicBlock& to, unsigned stage,
                                          const SiteKeeps& keeps)>;

// Bodies that the plan interleaves get places to wait (interleave.h), or, for the checker, sites like any other.
enum class Interleaved { InOneFunction, AsStages };

// Applies a plan's deferred output, scratch variables, gates and bodies to `module`, a copy of the prepared module. Errors: as apply_plan().
llvm::Error stage_module(llvm::Module& module, const Plan& plan, SiteMaker make_site,
                         Interleaved interleaved);

// Applies one body's plan. `module` is a copy of the prepared module in which earlier bodies' plans may have
// been applied, and `blocks` its numbering from before the first. Errors: the plan names a context, block or
// edge that is not there, or an edge that cannot hold a site. After an error the module is of no further use.
// `only_waits`: sites of an interleaved body at which no packet steps aside are left out.
llvm::Expected<StagingResult> apply_plan(llvm::Module& module, const BodyPlan& plan, const BlockTable& blocks,
                                         SiteMaker make_site = insert_site, bool only_waits = false);

} // namespace heddle
