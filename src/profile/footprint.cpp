#include "profile/footprint.h"

#include "profile/collect.h"
#include "profile/line_stamp.h"
#include "profile/machine_code.h"
#include "program/claims.h"
#include "program/expensive.h"
#include "program/own_objects.h"
#include "support/file.h"
#include "toolchain/codegen.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <algorithm>

namespace heddle {

namespace {

// The same link, but for options that would drop the symbols and the line table. None of them moves code.
ProgramImage without_stripping(const ProgramImage& image) {
  static constexpr llvm::StringRef strips[] = {
      "-s", "-S", "-Wl,-s", "-Wl,-S", "-Wl,--strip-all", "-Wl,--strip-debug", "--strip-all", "--strip-debug"};
  ProgramImage copy = image;
  std::erase_if(copy.link.inputs, [](const LinkInput& input) {
    return input.kind == LinkInput::Kind::Argument && llvm::is_contained(strips, input.text);
  });
  return copy;
}

} // namespace

uint32_t BlockFootprint::instructions() const {
  uint32_t sum = 0;
  for (const MachineRange& range : ranges)
    sum += range.instructions;
  return sum;
}

uint32_t BlockFootprint::bytes() const {
  uint32_t sum = 0;
  for (const MachineRange& range : ranges)
    sum += range.bytes;
  return sum;
}

uint32_t BlockFootprint::lines(unsigned line_size) const {
  uint32_t count = 0;
  uint64_t next = 0; // first line that is not counted yet; ranges come by address
  for (const MachineRange& range : ranges) {
    if (range.bytes == 0) continue;
    uint64_t first = std::max(range.address / line_size, next);
    uint64_t end = (range.address + range.bytes - 1) / line_size + 1;
    if (end <= first) continue;
    count += uint32_t(end - first);
    next = end;
  }
  return count;
}

llvm::Expected<FootprintMap> map_footprint(const ProgramImage& image, const Program& program) {
  llvm::Expected<std::string> runtime = profile_runtime();
  if (!runtime) return runtime.takeError();
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create("heddle-footprint");
  if (!folder) return folder.takeError();
  size_t blocks = BlockTable(*program.module).size();
  std::unique_ptr<llvm::Module> stamped = llvm::CloneModule(*program.module);
  drop_claims(*stamped, {});
  drop_own_objects(*stamped);
  finish_expensive(*stamped);
  stamp_blocks(*stamped);

  std::string object = folder->file("program.o"), linked = folder->file("program");
  if (llvm::Error error = emit_object(*stamped, object)) return std::move(error);
  // The outlined loops need someone to drive them; archives come last, so it moves none of the program's
  // code.
  if (llvm::Error error = relink(without_stripping(image), {object}, {*runtime}, linked))
    return std::move(error);
  return read_footprint(linked, blocks);
}

} // namespace heddle
