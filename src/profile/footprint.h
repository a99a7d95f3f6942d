// Where each block's instructions lie in the final code.
//
// The footprint build is the prepared module with each instruction's debug location replaced by the number
// of its block; the line table then maps every machine instruction of the linked file back to its block, as
// exactly as the code generator itself knows. Code does not depend on debug locations, so the addresses
// are those of the program Heddle would link without any site.
#pragma once

#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace heddle {

struct Program;
struct ProgramImage;

struct MachineRange {
  uint64_t address; // of the first instruction
  uint32_t bytes;
  uint32_t instructions;
};

struct BlockFootprint {
  std::vector<MachineRange> ranges; // by address; a block may be split or shared by the code generator
  uint32_t instructions() const;
  uint32_t bytes() const;
  uint32_t lines(unsigned line_size = 64) const; // distinct instruction-cache lines
};

// Indexed by BlockId.
using FootprintMap = std::vector<BlockFootprint>;
llvm::Expected<FootprintMap> map_footprint(const ProgramImage& image, const Program& program);

} // namespace heddle
