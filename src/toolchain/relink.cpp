// Repeating a program's link with other objects in place of its bitcode.
//
// The driver gets what it got then, in the same order; the first bitcode input is replaced by the new
// objects, the others are left out, and inputs without bitcode come from the copies that the program carries.
// lld links, because it does not mind the order of objects and archives (one merged object may need any of
// them at any place); where the program's own options are beyond it, the program's own linker is tried.
#include "toolchain/codegen.h"

#include "support/diagnostic.h"
#include "support/file.h"
#include "support/process.h"
#include "support/progress.h"
#include "toolchain/wrapper.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

namespace heddle {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using Kind = LinkInput::Kind;

namespace {

// Writes the carried files; the result maps their keys to paths.
Expected<llvm::StringMap<std::string>> unpack(const ProgramImage& image, const TemporaryFolder& folder) {
  llvm::StringMap<std::string> paths;
  for (const auto& [key, bytes] : image.carried) {
    std::string name = llvm::sys::path::filename(key).str();
    // Assembler sources are carried as the objects made of them.
    StringRef extension = llvm::sys::path::extension(name);
    if (extension == ".s" || extension == ".S" || extension == ".sx") name += ".o";
    std::string path = folder.file(std::to_string(paths.size()) + "-" + name);
    const std::string& content = bytes;
    if (Error error = write_file(path, [&](llvm::raw_ostream& out) { out << content; }))
      return std::move(error);
    paths[key] = path;
  }
  return paths;
}

Expected<std::vector<std::string>> link_arguments(const ProgramImage& image,
                                                  llvm::ArrayRef<std::string> objects,
                                                  const llvm::StringMap<std::string>& unpacked) {
  std::vector<std::string> arguments{"-Qunused-arguments"};
  bool placed = false;
  auto place_objects = [&] {
    if (!placed) arguments.insert(arguments.end(), objects.begin(), objects.end());
    placed = true;
  };
  for (const LinkInput& input : image.link.inputs) {
    std::string copy;
    if (!input.content.empty()) {
      auto found = unpacked.find(input.content);
      if (found == unpacked.end())
        return diagnose("the record of the link misses a copy of " + input.content, "link the program again",
                        image.path);
      copy = found->second;
    }
    switch (input.kind) {
    case Kind::Bitcode:
      place_objects();
      break;
    case Kind::Native:
      arguments.push_back(copy);
      break;
    case Kind::Archive:
      place_objects();
      if (!copy.empty()) arguments.push_back(copy);
      break;
    case Kind::Library:
      arguments.push_back(copy.empty() ? input.text : copy);
      break;
    case Kind::Argument: {
      std::string text = input.text;
      if (size_t at = copy.empty() ? std::string::npos : text.rfind('%'); at != std::string::npos)
        text.replace(at, 1, copy);
      arguments.push_back(text);
      break;
    }
    }
  }
  place_objects();
  return arguments;
}

// The linker's first complaint, for the message.
std::string first_error(StringRef path) {
  auto buffer = read_file(path);
  if (!buffer) {
    llvm::consumeError(buffer.takeError());
    return "it said nothing";
  }
  StringRef rest = (*buffer)->getBuffer(), first = rest.split('\n').first;
  for (StringRef line; !rest.empty();) {
    std::tie(line, rest) = rest.split('\n');
    auto [before, complaint] = line.split("error: ");
    if (!complaint.empty()) return complaint.str();
  }
  return first.empty() ? "it said nothing" : first.str();
}

// Too little space for the link's output, or for what it says when it fails.
bool is_full(StringRef folder) {
  auto space = llvm::sys::fs::disk_space(folder.empty() ? "." : folder);
  return space && space->available < (1 << 20);
}

Error link_failure(StringRef output, StringRef errors) {
  std::string complaint = first_error(errors);
  if (StringRef(complaint).contains("No space left") || is_full(llvm::sys::path::parent_path(output)) ||
      is_full(llvm::sys::path::parent_path(errors)))
    return diagnose("cannot link: no space left on the disk",
                    "free some space there and in TMPDIR, or choose another place for either", output);
  return diagnose(
      "the linker failed: " + complaint,
      "rebuild the program with heddle cc if libraries have moved since; `heddle inspect` names the "
      "objects without bitcode",
      output);
}

Expected<bool> run_link(const std::string& clang, std::vector<std::string> arguments,
                        const std::string& output, const std::string& errors) {
  arguments.insert(arguments.end(), {"-o", output});
  ProcessOptions options;
  options.stderr_path = errors;
  options.own_group = true; // the driver starts the linker, and does not end it when it is ended
  auto result = run_process(clang, arguments, options);
  if (!result) return result.takeError();
  return result->ok();
}

} // namespace

Error relink(const ProgramImage& image, llvm::ArrayRef<std::string> objects,
             llvm::ArrayRef<std::string> extra, StringRef output) {
  progress_at("linking");
  auto clang = find_clang(image.link.compiler == "clang++");
  if (!clang) return clang.takeError();
  auto folder = TemporaryFolder::create("heddle-link");
  if (!folder) return folder.takeError();
  auto unpacked = unpack(image, *folder);
  if (!unpacked) return unpacked.takeError();
  auto arguments = link_arguments(image, objects, *unpacked);
  if (!arguments) return arguments.takeError();
  arguments->insert(arguments->end(), extra.begin(), extra.end());

  // Beside the output, so that renaming it does not copy.
  std::string beside = path_beside(output);
  auto undo = UndoWhenInterrupted::remove(beside);
  std::vector<std::string> with_lld = *arguments;
  // In memory until it is whole: a mapped output makes lld crash on a full disk.
  with_lld.insert(with_lld.end(), {"-fuse-ld=lld", "-Wl,--no-mmap-output-file"});
  std::string errors = folder->file("lld.err"), own_errors = folder->file("ld.err");
  Expected<bool> linked = run_link(*clang, with_lld, beside, errors);
  if (linked && !*linked) linked = run_link(*clang, *arguments, beside, own_errors);
  if (!linked || !*linked) {
    (void)llvm::sys::fs::remove(beside);
    if (!linked) return linked.takeError();
    return link_failure(output, errors);
  }
  return rename_file(beside, output);
}

} // namespace heddle
