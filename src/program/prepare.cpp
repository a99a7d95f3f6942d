#include "program/captures.h"
#include "program/claims.h"
#include "program/datagrams.h"
#include "program/declared_output.h"
#include "program/expensive.h"
#include "program/merge.h"
#include "program/modelled.h"
#include "program/outline.h"
#include "program/own_objects.h"
#include "program/pipeline.h"
#include "program/program.h"
#include "program/receive.h"

#include "support/file.h"
#include "support/progress.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace heddle {
namespace {

// Part of the program's id: another way to prepare makes other blocks.
constexpr StringRef pipeline_version = "heddle-0.1.0-prepare-10";

std::string digest(const ProgramImage& image, const PrepareOptions& options) {
  SHA256 hash;
  hash.update(pipeline_version);
  hash.update(image.id);
  if (image.id.empty())
    for (const std::string& module : image.modules)
      hash.update(module);
  for (const std::string& body : options.bodies)
    hash.update("|" + body);
  for (const std::string& name : options.declarations.functions())
    hash.update("|call " + name);
  for (const Declaration& declaration : options.declarations.all) {
    if (declaration.kind == "output") hash.update("|output " + join(declaration.names, " "));
    if (!declaration.make.empty())
      hash.update("|own " + join(declaration.names, " ") + " " + declaration.make);
    if (declaration.kind != "keyed" || declaration.names.front() == annotated_key) continue;
    for (const auto* keys : {&declaration.names, &declaration.fresh})
      for (const std::string& key : *keys)
        hash.update((keys == &declaration.fresh ? "|fresh " : "|key ") + key);
    hash.update("|");
  }
  hash.update("|O" + std::to_string(options.opt_level));
  return toHex(hash.final(), true).substr(0, 32);
}

// Loops over datagrams only where there is no loop over a batch: datagrams.cpp.
std::vector<FoundBody> find_all_bodies(Module& module, std::vector<Remark>& remarks) {
  std::vector<FoundBody> found = find_bodies(module, remarks);
  if (found.empty()) return find_datagram_loops(module, remarks);
  std::vector<Remark> ignored;
  for (const FoundBody& other : find_datagram_loops(module, ignored)) {
    const SourceLocation at = location_of(*other.header->getTerminator());
    remarks.push_back({"packet-loop-candidate", at.str(),
                       "a loop over datagrams (" + receive_name(other.kind).str() + " at " +
                           location_of(*other.receive).str() + ")",
                       "to stage it instead: --body " + source_name(*other.header->getParent()).str() + ":" +
                           std::to_string(at.line)});
  }
  return found;
}

Expected<std::vector<FoundBody>> choose_bodies(Module& module, const PrepareOptions& options,
                                               std::vector<Remark>& remarks) {
  if (options.bodies.empty()) return find_all_bodies(module, remarks);
  std::vector<FoundBody> chosen;
  for (const std::string& name : options.bodies) {
    Expected<FoundBody> body = named_body(module, name);
    if (!body) return body.takeError();
    chosen.push_back(*body);
  }
  return chosen;
}

SourceLocation start_of(const FoundBody& found) {
  if (found.callback) {
    if (DISubprogram* subprogram = found.callback->getSubprogram())
      return {subprogram->getFilename().str(), subprogram->getLine()};
    return {};
  }
  return location_of(*found.header->getTerminator());
}

// Where the runtime could not receive ahead as the program would.
std::optional<Remark> refuse_receives(const FoundBody& found) {
  for (const CallBase* call : found.datagrams) {
    const DatagramReceive* entry = datagram_receive(*call);
    if (!entry) continue; // by way of another body
    const Module& module = *call->getModule();
    const std::string where = start_of(found).str();
    if (const Instruction* use = is_capture(entry->kind) ? uses_capture_file(module) : nullptr)
      return Remark{"capture-file-used", where,
                    "the program may look at the file that " + entry->name.str() + " reads ahead in (" +
                        location_of(*use).str() + ")",
                    "open the capture with pcap_open_offline, and ask libpcap for no file"};
    if (const Instruction* low_water = is_capture(entry->kind) ? nullptr : sets_low_water(module))
      return Remark{"receive-low-water", where,
                    "receives of this loop may have to wait for more than there is (SO_RCVLOWAT at " +
                        location_of(*low_water).str() + ")",
                    "a program that receives datagrams does not need the option"};
  }
  return std::nullopt;
}

// Outlines every body found; those that cannot be are remarks.
std::vector<PacketBody> outline_all(std::vector<FoundBody>& found, std::vector<Remark>& remarks) {
  std::vector<PacketBody> bodies;
  for (FoundBody& one : found) {
    PacketBody body;
    body.number = bodies.size();
    body.receive = one.kind;
    body.loop_at = start_of(one);
    body.receive_at = one.receive ? location_of(*one.receive) : body.loop_at;
    if (std::optional<Remark> refusal = refuse_receives(one)) {
      remarks.push_back(*refusal);
      continue;
    }
    Function& holder = one.callback ? *one.callback : *one.header->getParent();
    body.function = source_name(holder).str();
    Outlined outlined = one.callback ? outline_callback(*one.receive, *one.callback, body.number)
                                     : outline_loop(*one.header, body.number);
    if (!outlined.body) {
      remarks.push_back(outlined.refusal);
      continue;
    }
    for (CallBase* call : one.datagrams)
      if (datagram_receive(*call)) receive_through_runtime(*call); // else by way of another body
    body.body = outlined.body;
    body.run = outlined.run;
    bodies.push_back(body);
  }
  return bodies;
}

CallBase* call_that_runs(Function& body) {
  for (User* user : body.users())
    if (auto* call = dyn_cast<CallBase>(user))
      if (Function* callee = call->getCalledFunction(); callee && callee->getName().starts_with("heddle_"))
        return call;
  return nullptr;
}

MDNode* strings(LLVMContext& context, ArrayRef<std::string> texts) {
  SmallVector<Metadata*, 8> operands;
  for (const std::string& text : texts)
    operands.push_back(MDString::get(context, text));
  return MDNode::get(context, operands);
}

std::string string_of(const MDNode& node, unsigned index) {
  return cast<MDString>(node.getOperand(index))->getString().str();
}

unsigned number_of(const MDNode& node, unsigned index) {
  unsigned value = 0;
  StringRef(string_of(node, index)).getAsInteger(10, value);
  return value;
}

// !heddle.bodies and the like: what a Program is beyond its module.
void write_metadata(Program& program) {
  LLVMContext& context = *program.context;
  Module& module = *program.module;
  module.getOrInsertNamedMetadata("heddle.program")->addOperand(strings(context, {program.id}));
  NamedMDNode* bodies = module.getOrInsertNamedMetadata("heddle.bodies");
  for (const PacketBody& body : program.bodies) {
    MDNode* facts = strings(context, {std::to_string(body.number), std::to_string(unsigned(body.receive)),
                                      body.receive_at.file, std::to_string(body.receive_at.line),
                                      body.loop_at.file, std::to_string(body.loop_at.line), body.function});
    bodies->addOperand(MDNode::get(context, {ConstantAsMetadata::get(body.body), facts}));
  }
  NamedMDNode* remarks = module.getOrInsertNamedMetadata("heddle.remarks");
  for (const Remark& remark : program.remarks)
    remarks->addOperand(strings(context, {remark.code, remark.where, remark.what, remark.hint}));
}

void read_metadata(Program& program, const NamedMDNode& bodies) {
  Module& module = *program.module;
  if (NamedMDNode* id = module.getNamedMetadata("heddle.program"))
    program.id = string_of(*id->getOperand(0), 0);
  for (const MDNode* node : bodies.operands()) {
    auto* function = mdconst::dyn_extract_or_null<Function>(node->getOperand(0));
    if (!function) continue;
    auto& facts = *cast<MDNode>(node->getOperand(1));
    PacketBody body;
    body.number = number_of(facts, 0);
    body.receive = ReceiveKind(number_of(facts, 1));
    body.receive_at = {string_of(facts, 2), number_of(facts, 3)};
    body.loop_at = {string_of(facts, 4), number_of(facts, 5)};
    body.function = string_of(facts, 6);
    body.body = function;
    body.run = call_that_runs(*function);
    program.bodies.push_back(body);
  }
  if (NamedMDNode* remarks = module.getNamedMetadata("heddle.remarks"))
    for (const MDNode* node : remarks->operands())
      program.remarks.push_back(
          {string_of(*node, 0), string_of(*node, 1), string_of(*node, 2), string_of(*node, 3)});
}

Error check_module(Module& module, StringRef after) {
  std::string text;
  raw_string_ostream out(text);
  if (!verifyModule(module, &out)) return Error::success();
  return diagnose("the module is broken after " + after + ": " + StringRef(text).split('\n').first,
                  "this is an error in Heddle; please report it with the program");
}

// The optimiser may have removed a loop that can never run.
void drop_dead_bodies(Program& program, ArrayRef<std::string> names) {
  std::vector<PacketBody> alive;
  for (size_t i = 0; i < program.bodies.size(); ++i) {
    PacketBody& body = program.bodies[i];
    body.body = program.module->getFunction(names[i]);
    body.run = body.body ? call_that_runs(*body.body) : nullptr;
    if (body.run)
      alive.push_back(body);
    else
      program.remarks.push_back(
          {"body-never-runs", body.loop_at.str(),
           "the optimiser found that the packet loop of " + body.function + " is never reached",
           "nothing to do"});
  }
  program.bodies = std::move(alive);
}

// In the order of Declaration::lines.
std::vector<std::string> functions_named(const Declaration& declaration) {
  std::vector<std::string> names;
  if (declaration.names_functions() || declaration.kind == "output") {
    names = declaration.names;
    append_range(names, declaration.through_pointers);
  } else if (!declaration.make.empty()) {
    names.push_back(StringRef(declaration.make).split('(').first.str());
  } else if (declaration.kind == "keyed" && declaration.names.front() != annotated_key) {
    for (const auto* keys : {&declaration.names, &declaration.fresh})
      for (StringRef key : *keys)
        names.push_back(key.split('(').first.str());
  }
  return names; // else it names a location
}

// A function that is declared must be one that Heddle sees.
Error check_declared(const Module& module, const Declarations& declarations) {
  for (const Declaration& declaration : declarations.all) {
    const std::vector<std::string> names = functions_named(declaration);
    for (size_t i = 0; i != names.size(); ++i) {
      StringRef name = names[i], nearest;
      unsigned distance = 1 + unsigned(name.size()) / 3;
      bool defined = false, outside = false;
      for (const Function& function : module) {
        bool named = is_called(function, name);
        defined |= named && !function.isDeclaration();
        outside |= named;
        unsigned away = function.isDeclaration() ? UINT_MAX : name.edit_distance(source_name(function));
        if (away < distance) {
          distance = away;
          nearest = source_name(function);
        }
      }
      std::string where = declarations.place(declaration, i);
      if (!defined && outside)
        return diagnose("'" + name + "' is not part of the program",
                        "link its library statically, built with heddle cc", where);
      if (!defined)
        return diagnose("the program has no function '" + name + "'",
                        nearest.empty()
                            ? Twine("macros and functions that nothing calls are not in the program")
                            : "did you mean '" + nearest + "'?",
                        where);
    }
  }
  return Error::success();
}

Error no_body(const ProgramImage& image, ArrayRef<Remark> remarks) {
  std::string why;
  for (const Remark& remark : remarks)
    why += " (" + remark.where + ": " + remark.what + ": " + remark.code + ")";
  return diagnose("no packet body found" + why,
                  "name the function that holds the packet loop with --body FUNCTION[:loop]", image.path);
}

} // namespace

StringRef receive_name(ReceiveKind kind) {
  switch (kind) {
  case ReceiveKind::DpdkRxBurst:
    return "rte_eth_rx_burst";
  case ReceiveKind::EpollWait:
    return "epoll_wait";
  case ReceiveKind::Poll:
    return "poll";
  case ReceiveKind::Recvmmsg:
    return "recvmmsg";
  case ReceiveKind::PcapCallback:
    return "pcap_loop";
  case ReceiveKind::UserNamed:
    return "--body";
  case ReceiveKind::Recvfrom:
    return "recvfrom";
  case ReceiveKind::Recvmsg:
    return "recvmsg";
  case ReceiveKind::Recv:
    return "recv";
  case ReceiveKind::PcapNextEx:
    return "pcap_next_ex";
  case ReceiveKind::PcapNext:
    return "pcap_next";
  case ReceiveKind::XskRing:
    return "xsk_ring_cons__peek";
  case ReceiveKind::DaqMessages:
    return "daq_instance_msg_receive";
  }
  return "?";
}

std::string program_id(const ProgramImage& image, const PrepareOptions& options) {
  return digest(image, options);
}

// From many modules to the one that is fixed from here on.
Expected<Program> prepare(const ProgramImage& image, const PrepareOptions& options) {
  Program program;
  program.context = std::make_unique<LLVMContext>();
  progress_at("reading the program");
  // One module, as the linker saw it.
  Expected<std::unique_ptr<Module>> merged = merge_modules(image, *program.context);
  if (!merged) return merged.takeError();
  program.module = std::move(*merged);
  Module& module = *program.module;
  Expected<std::unique_ptr<TargetMachine>> machine = target_machine(module);
  if (!machine) return machine.takeError();
  if (Error error = check_declared(module, options.declarations)) return std::move(error);
  if (Error error = insert_own_objects(module, options.declarations)) return std::move(error);
  if (Error error = mark_declared_output(module, options.declarations)) return std::move(error);
  // Variables become values; loops and calls stay as in the source.
  make_readable(module, **machine, options.declarations.functions());
  join_branches(**machine, separate_captured(module));
  if (Error error = insert_claims(module, options.declarations)) return std::move(error);
  insert_expensive(module);
  progress_at("finding packet bodies");
  // Packet loops become functions.
  Expected<std::vector<FoundBody>> found = choose_bodies(module, options, program.remarks);
  if (!found) return found.takeError();
  program.bodies = outline_all(*found, program.remarks);
  if (program.bodies.empty()) return no_body(image, program.remarks);
  if (Error error = check_module(module, "outlining")) return error;
  // The mid-level optimiser, once; then the blocks are those of the final code.
  std::vector<std::string> names;
  for (const PacketBody& body : program.bodies)
    names.push_back(body.body->getName().str());
  progress_at("optimising");
  optimise(module, **machine, options.opt_level, names);
  split_after_calls(module);
  if (Error error = check_module(module, "optimisation")) return error;
  drop_dead_bodies(program, names);
  if (program.bodies.empty()) return no_body(image, program.remarks);
  program.id = digest(image, options);
  write_metadata(program);
  return program;
}

Error save_program(const Program& program, StringRef path) {
  return write_file(path, [&](raw_ostream& out) { WriteBitcodeToFile(*program.module, out); });
}

Expected<Program> load_program(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> bytes = read_file(path);
  if (!bytes) return bytes.takeError();
  Program program;
  program.context = std::make_unique<LLVMContext>();
  Expected<std::unique_ptr<Module>> module = parseBitcodeFile((*bytes)->getMemBufferRef(), *program.context);
  NamedMDNode* bodies = module ? (*module)->getNamedMetadata("heddle.bodies") : nullptr;
  if (!bodies) {
    if (!module) consumeError(module.takeError());
    return diagnose("not a prepared program", "give the path of a program built with heddle cc", path);
  }
  program.module = std::move(*module);
  read_metadata(program, *bodies);
  return program;
}

BlockTable::BlockTable(const Module& module) {
  for (const Function& function : module)
    for (const BasicBlock& block : function) {
      ids_[&block] = blocks_.size();
      blocks_.push_back(&block);
    }
}

const CallBase* ending_call(const BasicBlock& block) {
  if (const auto* invoke = dyn_cast<InvokeInst>(block.getTerminator())) return invoke;
  const auto* call = dyn_cast_or_null<CallInst>(block.getTerminator()->getPrevNonDebugInstruction());
  return call != nullptr && !isa<IntrinsicInst>(call) ? call : nullptr;
}

CallBase* ending_call(BasicBlock& block) {
  return const_cast<CallBase*>(ending_call(static_cast<const BasicBlock&>(block)));
}

std::string SourceLocation::str() const {
  return line ? file + ":" + std::to_string(line) : "?";
}

std::string short_file_name(const DIScope& scope) {
  StringRef file = scope.getFilename();
  if (StringRef folder = scope.getDirectory(); !folder.empty() && file.consume_front(folder))
    file.consume_front("/");
  return file.str();
}

SourceLocation location_of(const Instruction& instruction) {
  const DebugLoc& location = instruction.getDebugLoc();
  if (location && location.getLine())
    return {short_file_name(*cast<DIScope>(location.getScope())), location.getLine()};
  if (const DISubprogram* subprogram = instruction.getFunction()->getSubprogram())
    return {subprogram->getFilename().str(), subprogram->getLine()};
  return {};
}

} // namespace heddle
