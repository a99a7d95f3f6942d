#include "transform/build.h"

#include "program/expensive.h"
#include "program/pipeline.h"
#include "support/file.h"
#include "support/installed.h"
#include "toolchain/codegen.h"
#include "transform/fetch_along.h"
#include "transform/frames.h"
#include "transform/interleave.h"
#include "transform/restore.h"
#include "transform/site.h"
#include "transform/staging.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle {

Expected<std::string> runtime_library() {
  std::string path = installed_file("libheddle_rt.a");
  if (!sys::fs::exists(path))
    return diagnose("the runtime library is missing", "set HEDDLE_LIB to the folder of libheddle_rt.a", path);
  return path;
}

Error build_program(const ProgramImage& image, const Program& program, const Plan& plan, StringRef output) {
  if (!plan.program.empty() && plan.program != program.id)
    return diagnose("the plan was made for another build of the program",
                    "make it again with `heddle plan`, or build the program it was made for", image.path);
  auto runtime = runtime_library();
  if (!runtime) return runtime.takeError();

  std::unique_ptr<Module> module = CloneModule(*program.module);
  if (Error error = stage_module(*module, plan, insert_site, Interleaved::InOneFunction)) return error;
  join_frames(*module);
  if (Error error = fetch_along(*module)) return error;
  finish_expensive(*module);
  auto interleaved = interleave(*module, plan);
  if (!interleaved) return interleaved.takeError();
  auto machine = target_machine(*module);
  if (!machine) return machine.takeError();
  simplify(**machine, *interleaved, /*loops=*/true);
  simplify(**machine, restore_loops(*module, plan), /*loops=*/true);
  define_default_batch(*module, plan.batch);

  auto folder = TemporaryFolder::create("heddle-build");
  if (!folder) return folder.takeError();
  const std::string object = folder->file("program.o");
  if (Error error = emit_object(*module, object)) return error;
  return relink(image, {object}, {*runtime}, output);
}

} // namespace heddle
