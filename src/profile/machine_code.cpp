// From the line table of a stamped program to each block's machine code.
//
// The problem: the code generator splits, merges, duplicates and moves blocks, so the place of an IR block in
// the final file is not a range that one could ask for. Alternatives: labels or pseudo-probes at the start of
// each block (change what the code generator may merge, so the code measured is not the code that runs);
// basic-block address maps (exact about machine blocks, but name them by machine block number, which has no
// stable relation to IR blocks once code is duplicated or folded). The choice: debug locations, which every
// pass of the code generator carries along and none decides by.
//
// What remains is code without a location. The line table says line 0 where the code generator put
// instructions that stem from no single block:
//   - inside straight code (copies, spills, stack adjustment): they run with what stands before them, and get
//     its block;
//   - at the start of a machine block: either the merged tail of several blocks (branch folding) or a block
//     made for one edge. They run after the machine blocks that branch or fall through to them, so they are
//     given to the blocks of all of those. A tail merged out of two blocks belongs to both then, as it
//     should.
// Entry blocks own the prologue: the subprogram's scope line is theirs.
//
// Sums are checked by tests: the bytes of all blocks of a function, shared ones counted once, are the
// function's size.
#include "profile/machine_code.h"

#include "profile/line_stamp.h"
#include "program/block_id.h"
#include "support/diagnostic.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/TargetSelect.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace heddle {

namespace {

using llvm::object::ELFObjectFileBase;
using llvm::object::ObjectFile;

constexpr BlockId no_block = ~BlockId{0};

struct Instruction {
  uint64_t address;
  uint32_t bytes;
  BlockId block;       // no_block: line 0, to be inferred
  bool leaves = false; // control does not fall through to the next one
  uint64_t target = 0; // of a direct branch within the function, 0 for none
};

struct CodeRange {
  uint64_t begin, end;
  llvm::ArrayRef<uint8_t> bytes; // from begin to the end of its section
};

class Disassembler {
public:
  static llvm::Expected<std::unique_ptr<Disassembler>> create(const ObjectFile& object) {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllDisassemblers();
    auto self = std::unique_ptr<Disassembler>(new Disassembler);
    llvm::Triple triple = object.makeTriple();
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple.str(), error);
    if (target) {
      llvm::MCTargetOptions options;
      self->registers_.reset(target->createMCRegInfo(triple.str()));
      self->asm_.reset(target->createMCAsmInfo(*self->registers_, triple.str(), options));
      self->instructions_.reset(target->createMCInstrInfo());
      self->subtarget_.reset(target->createMCSubtargetInfo(triple.str(), "", features(object)));
      self->context_ = std::make_unique<llvm::MCContext>(triple, self->asm_.get(), self->registers_.get(),
                                                         self->subtarget_.get());
      self->disassembler_.reset(target->createMCDisassembler(*self->subtarget_, *self->context_));
      self->analysis_.reset(target->createMCInstrAnalysis(self->instructions_.get()));
    }
    if (!self->disassembler_ || !self->analysis_)
      return diagnose("no disassembler for " + triple.str(), "profile on x86-64 or AArch64",
                      object.getFileName());
    return std::move(self);
  }

  // Appends the instructions of `range`. A byte that is no instruction (data in code) stands alone.
  void decode(const CodeRange& range, std::vector<Instruction>& out) const {
    for (uint64_t address = range.begin; address < range.end;) {
      llvm::MCInst inst;
      uint64_t size = 0;
      auto status = disassembler_->getInstruction(inst, size, range.bytes.slice(address - range.begin),
                                                  address, llvm::nulls());
      Instruction instruction{address, 1, no_block};
      if (status != llvm::MCDisassembler::Fail && size) {
        instruction.bytes = uint32_t(std::min(size, range.end - address));
        note_flow(inst, instruction);
      }
      out.push_back(instruction);
      address += instruction.bytes;
    }
  }

private:
  Disassembler() = default;

  static std::string features(const ObjectFile& object) {
    llvm::Expected<llvm::SubtargetFeatures> features = object.getFeatures();
    if (features) return features->getString();
    llvm::consumeError(features.takeError());
    return {};
  }

  void note_flow(const llvm::MCInst& inst, Instruction& out) const {
    if (analysis_->isCall(inst)) return;
    out.leaves = analysis_->isUnconditionalBranch(inst) || analysis_->isIndirectBranch(inst) ||
                 analysis_->isReturn(inst);
    uint64_t target = 0;
    if (analysis_->isBranch(inst) && analysis_->evaluateBranch(inst, out.address, out.bytes, target))
      out.target = target;
  }

  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> asm_;
  std::unique_ptr<llvm::MCInstrInfo> instructions_;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis_;
};

// The rows of the stamped line tables, by address: block number from that address on; no_block for line 0 and
// for the end of a sequence.
struct Row {
  uint64_t address;
  BlockId block;
  bool end;
  size_t order; // in the table: of several rows for one address, the last one holds
};

std::vector<Row> stamped_rows(llvm::DWARFContext& dwarf, size_t blocks) {
  std::vector<Row> rows;
  for (const auto& unit : dwarf.compile_units()) {
    llvm::DWARFDie die = unit->getUnitDIE();
    if (llvm::dwarf::toStringRef(die.find(llvm::dwarf::DW_AT_producer)) != stamp_producer) continue;
    const llvm::DWARFDebugLine::LineTable* table = dwarf.getLineTableForUnit(unit.get());
    if (!table) continue;
    for (const auto& sequence : table->Sequences) {
      // The linker leaves sequences of sections that it dropped at address 0 or at the very end.
      if (sequence.LowPC == 0 || sequence.LowPC >= ~uint64_t{1}) continue;
      for (unsigned i = sequence.FirstRowIndex; i < sequence.LastRowIndex; ++i) {
        const auto& row = table->Rows[i];
        bool known = !row.EndSequence && row.Line != 0 && row.Line <= blocks;
        rows.push_back(
            {row.Address.Address, known ? row.Line - 1 : no_block, bool(row.EndSequence), rows.size()});
      }
    }
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tuple(a.address, !a.end, a.order) < std::tuple(b.address, !b.end, b.order);
  });
  return rows;
}

// Extents of the functions of the symbol table, without overlap (aliases share theirs).
std::vector<CodeRange> function_ranges(const ELFObjectFileBase& object) {
  std::map<uint64_t, CodeRange> ranges;
  for (const llvm::object::ELFSymbolRef symbol : object.symbols()) {
    if (symbol.getELFType() != llvm::ELF::STT_FUNC || symbol.getSize() == 0) continue;
    llvm::Expected<uint64_t> address = symbol.getAddress();
    llvm::Expected<llvm::object::section_iterator> section = symbol.getSection();
    if (!address || !section || *section == object.section_end() || !(*section)->isText()) {
      llvm::consumeError(address.takeError());
      llvm::consumeError(section.takeError());
      continue;
    }
    llvm::Expected<llvm::StringRef> contents = (*section)->getContents();
    if (!contents) {
      llvm::consumeError(contents.takeError());
      continue;
    }
    uint64_t offset = *address - (*section)->getAddress();
    if (offset + symbol.getSize() > contents->size()) continue;
    CodeRange& range = ranges[*address];
    range.begin = *address;
    range.end = std::max(range.end, *address + symbol.getSize());
    range.bytes = llvm::arrayRefFromStringRef(*contents).drop_front(offset);
  }
  std::vector<CodeRange> result;
  for (auto& [address, range] : ranges)
    if (result.empty() || address >= result.back().end) result.push_back(range);
  return result;
}

// Gives each instruction of the function the block of its row. False when no row covers the function: it is
// not ours.
bool apply_rows(std::vector<Instruction>& code, llvm::ArrayRef<Row> rows) {
  auto row = llvm::upper_bound(rows, code.front().address,
                               [](uint64_t address, const Row& r) { return address < r.address; });
  if (row == rows.begin() || (row - 1)->end) return false;
  --row;
  for (Instruction& instruction : code) {
    while (row + 1 != rows.end() && (row + 1)->address <= instruction.address)
      ++row;
    instruction.block = row->block;
  }
  return true;
}

// Blocks of every instruction of one function; most have one, merged tails several.
using Owners = llvm::SmallVector<BlockId, 1>;

bool add(Owners& owners, llvm::ArrayRef<BlockId> more) {
  bool grown = false;
  for (BlockId block : more)
    if (!llvm::is_contained(owners, block)) {
      owners.push_back(block);
      grown = true;
    }
  return grown;
}

// Infers the owners of instructions with line 0: from the instruction before, unless they start a machine
// block, then from everything that reaches them. Iterates because one such block may lead to another.
std::vector<Owners> infer_owners(llvm::ArrayRef<Instruction> code) {
  std::vector<Owners> owners(code.size());
  auto index_of = [&](uint64_t address) {
    return size_t(
        llvm::lower_bound(code, address, [](const Instruction& i, uint64_t a) { return i.address < a; }) -
        code.begin());
  };
  std::vector<std::vector<size_t>> branches_to(code.size());
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i].block != no_block) owners[i] = {code[i].block};
    size_t target = code[i].target ? index_of(code[i].target) : code.size();
    if (target < code.size() && code[target].address == code[i].target) branches_to[target].push_back(i);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < code.size(); ++i) {
      if (code[i].block != no_block) continue;
      if (i > 0 && !code[i - 1].leaves) changed |= add(owners[i], Owners(owners[i - 1]));
      for (size_t from : branches_to[i])
        changed |= add(owners[i], Owners(owners[from]));
    }
  }
  // Reached only through a jump table or an exception: the block before it in the file.
  for (size_t i = 1; i < code.size(); ++i)
    if (owners[i].empty()) owners[i] = owners[i - 1];
  return owners;
}

void add_instruction(BlockFootprint& footprint, const Instruction& instruction) {
  if (!footprint.ranges.empty()) {
    MachineRange& last = footprint.ranges.back();
    if (last.address + last.bytes == instruction.address) {
      last.bytes += instruction.bytes;
      ++last.instructions;
      return;
    }
  }
  footprint.ranges.push_back({instruction.address, instruction.bytes, 1});
}

} // namespace

llvm::Expected<FootprintMap> read_footprint(llvm::StringRef path, size_t blocks) {
  auto binary = ObjectFile::createObjectFile(path);
  if (!binary) {
    llvm::consumeError(binary.takeError());
    return diagnose("not an object or executable file", "build it with heddle cc", path);
  }
  const auto* object = llvm::dyn_cast<ELFObjectFileBase>(binary->getBinary());
  if (!object) return diagnose("not an ELF file", "profile a Linux program", path);
  auto disassembler = Disassembler::create(*object);
  if (!disassembler) return disassembler.takeError();

  auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  std::unique_ptr<llvm::DWARFContext> dwarf = llvm::DWARFContext::create(
      *object, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "", ignore, ignore);
  std::vector<Row> rows = stamped_rows(*dwarf, blocks);
  if (rows.empty())
    return diagnose("the footprint build has no block numbers in its line table",
                    "link without options that drop debug information (-s, -Wl,--strip-debug)", path);

  FootprintMap footprint(blocks);
  std::vector<Instruction> code;
  for (const CodeRange& range : function_ranges(*object)) {
    code.clear();
    (*disassembler)->decode(range, code);
    if (!apply_rows(code, rows)) continue;
    std::vector<Owners> owners = infer_owners(code);
    for (size_t i = 0; i < code.size(); ++i)
      for (BlockId block : owners[i])
        add_instruction(footprint[block], code[i]);
  }
  return footprint;
}

} // namespace heddle
