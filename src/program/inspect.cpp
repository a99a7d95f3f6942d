#include "program/inspect.h"

#include "program/modelled.h"
#include "support/file.h"
#include "support/remark_json.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace heddle {
namespace {

BodyReport report_body(const PacketBody& body, const InspectSources& sources) {
  BodyReport report;
  report.number = body.number;
  report.receive = receive_name(body.receive).str();
  report.function = body.function;
  report.receive_at = body.receive_at;
  report.loop_at = body.loop_at;
  SetVector<const Function*> reached;
  reached.insert(body.body);
  for (size_t i = 0; i < reached.size(); ++i) {
    const Function& function = *reached[i];
    if (function.isDeclaration()) continue;
    ++report.functions;
    report.instructions += function.getInstructionCount();
    if (sources.code_bytes) report.code_bytes += sources.code_bytes(function);
    for (const Instruction& instruction : instructions(function)) {
      auto* call = dyn_cast<CallBase>(&instruction);
      if (!call || isa<IntrinsicInst>(call) || call->isInlineAsm()) continue;
      if (auto* callee = dyn_cast<Function>(call->getCalledOperand()->stripPointerCastsAndAliases())) {
        reached.insert(callee);
        continue;
      }
      std::vector<const Function*> targets;
      if (sources.targets) targets = sources.targets(*call);
      reached.insert(targets.begin(), targets.end());
      report.indirect_calls.push_back(
          {location_of(*call), source_name(function).str(), static_cast<unsigned>(targets.size())});
    }
  }
  return report;
}

json::Object place(const SourceLocation& at) {
  return json::Object{{"file", at.file}, {"line", at.line}};
}

} // namespace

Inspection inspect(const Program& program, const InspectSources& sources) {
  Inspection inspection;
  for (const PacketBody& body : program.bodies)
    inspection.bodies.push_back(report_body(body, sources));
  inspection.remarks = program.remarks;
  return inspection;
}

Expected<std::function<uint64_t(const Function&)>> code_bytes_of(StringRef object_path) {
  Expected<object::OwningBinary<object::ObjectFile>> object =
      object::ObjectFile::createObjectFile(object_path);
  if (!object)
    return diagnose("not an object file: " + toString(object.takeError()),
                    "give the object of the prepared program", object_path);
  auto sizes = std::make_shared<StringMap<uint64_t>>();
  if (auto* elf = dyn_cast<object::ELFObjectFileBase>(object->getBinary()))
    for (const object::ELFSymbolRef& symbol : elf->symbols()) {
      Expected<StringRef> name = symbol.getName();
      if (name)
        (*sizes)[*name] += symbol.getSize();
      else
        consumeError(name.takeError());
    }
  return [sizes](const Function& function) { return sizes->lookup(function.getName()); };
}

void print_text(const Inspection& inspection, raw_ostream& out) {
  for (const BodyReport& body : inspection.bodies) {
    out << "packet body " << body.number << ": " << body.receive << " at " << body.receive_at.str() << "\n"
        << (body.receive == "pcap_loop" ? "  callback   " : "  loop       ") << body.function << " at "
        << body.loop_at.str() << "\n"
        << "  reachable  " << body.functions << " functions, " << body.instructions << " instructions";
    if (body.code_bytes) out << ", " << body.code_bytes << " bytes of code";
    out << "\n  indirect   " << body.indirect_calls.size() << " calls\n";
    for (const IndirectCall& call : body.indirect_calls)
      out << format("    %4u targets  ", call.targets) << call.at.str() << " in " << call.function << "\n";
  }
  for (const Remark& remark : inspection.remarks)
    out << "remark [" << remark.code << "] " << remark.where << ": " << remark.what
        << "\n  hint: " << remark.hint << "\n";
}

void print_json(const Inspection& inspection, raw_ostream& out) {
  json::Array bodies, remarks;
  for (const BodyReport& body : inspection.bodies) {
    json::Array calls;
    for (const IndirectCall& call : body.indirect_calls)
      calls.push_back(
          json::Object{{"at", place(call.at)}, {"function", call.function}, {"targets", call.targets}});
    bodies.push_back(json::Object{{"number", body.number},
                                  {"receive", body.receive},
                                  {"receive_at", place(body.receive_at)},
                                  {"function", body.function},
                                  {"loop_at", place(body.loop_at)},
                                  {"functions", static_cast<int64_t>(body.functions)},
                                  {"instructions", static_cast<int64_t>(body.instructions)},
                                  {"code_bytes", static_cast<int64_t>(body.code_bytes)},
                                  {"indirect_calls", std::move(calls)}});
  }
  for (const Remark& remark : inspection.remarks)
    remarks.push_back(as_json(remark));
  out << formatv("{0:2}\n",
                 json::Value(json::Object{{"bodies", std::move(bodies)}, {"remarks", std::move(remarks)}}));
}

} // namespace heddle
