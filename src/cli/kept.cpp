#include "cli/kept.h"

#include "program/source_files.h"
#include "report/path_file.h"
#include "support/file.h"

#include "llvm/Support/FileSystem.h"

namespace heddle {

llvm::Error keep_path(const Workspace& workspace, const Program& program, const Trace& trace,
                      const Decision& decision) {
  auto bodies = packet_paths(trace, decision.study, decision.plan);
  if (!bodies) return bodies.takeError();
  const std::vector<CacheGeometry> geometries = curve_geometries();
  auto misses = simulate(trace, decision.study, decision.plan, geometries);
  if (!misses) return misses.takeError();
  return write_path_file(
      {decision.plan, std::move(*bodies), geometries, std::move(*misses), source_files(program)},
      workspace.path_file());
}

static llvm::Error keep(const std::string& folder, llvm::StringRef name, const CommandLine& command,
                        llvm::function_ref<void(llvm::json::OStream&)> attributes) {
  if (!llvm::sys::fs::is_directory(folder)) return llvm::Error::success();
  return write_file(folder + "/" + name.str(), [&](llvm::raw_ostream& out) {
    llvm::json::OStream json(out, 2);
    json.object([&] {
      json.attributeArray("arguments", [&] {
        for (const std::string& argument : command.args)
          json.value(llvm::json::fixUTF8(argument));
      });
      attributes(json);
    });
    out << '\n';
  });
}

llvm::Error keep_verify(const std::string& folder, const CommandLine& command, const VerifyResult& result) {
  return keep(folder, "verify.json", command, [&](llvm::json::OStream& json) { write_verify(result, json); });
}

llvm::Error keep_sweep(const std::string& folder, const CommandLine& command, const Sweep& sweep) {
  return keep(folder, "sweep.json", command, [&](llvm::json::OStream& json) { write_sweep(sweep, json); });
}

llvm::Error keep_bench(const std::string& folder, const CommandLine& command, const BenchResult& result) {
  return keep(folder, "bench.json", command, [&](llvm::json::OStream& json) { write_bench(result, json); });
}

} // namespace heddle
