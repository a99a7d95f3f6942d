// Problem: packets that a table has nothing for are looked up all the same. An access list of TCP ports is asked for each UDP packet.
//
// Choice (the paper's section IV-C5): where a part of the key has at most four values in all entries, a packet with another one there
// finds nothing, and a compare says so. What the program knows of the field by then makes the compare, or all of the lookup
// behind it, go away: that is LLVM's. A part is a word of eight bytes, or, where that has more values, each of its halves, and so
// on. Padding is such a part, too; programs clear it, so its compare folds. For a trie, only bytes that every prefix covers count: a key
// that differs there matches none, whatever its own length.
#include "specialize/inject_branch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

#include <cstring>

namespace heddle {

using namespace llvm;

namespace {

constexpr size_t most_values = 4;
constexpr uint32_t length_bytes = 4; // of a prefix, in front of its address

// How many bytes from the key's begin on are the same in all keys that match an entry.
uint32_t covered_bytes(const Table& table) {
  if (table.kind == TableKind::Exact) return table.key_bytes;
  uint32_t least = (table.key_bytes - length_bytes) * 8;
  for (const TableEntry& entry : table.entries) {
    uint32_t bits = 0;
    memcpy(&bits, entry.key.data(), length_bytes);
    least = std::min(least, bits);
  }
  return length_bytes + least / 8;
}

void find_narrow(const Table& table, uint32_t offset, uint32_t bytes, uint32_t end,
                 std::vector<NarrowField>& found) {
  if (offset >= end) return;
  bool fits = offset + bytes <= end;
  NarrowField field{offset, bytes, {}};
  for (const TableEntry& entry : table.entries) {
    if (!fits || field.values.size() > most_values) break;
    field.values.insert(entry.key.substr(offset, bytes));
  }
  if (fits && field.values.size() <= most_values) {
    found.push_back(std::move(field));
  } else if (bytes > 1) {
    find_narrow(table, offset, bytes / 2, end, found);
    find_narrow(table, offset + bytes / 2, bytes / 2, end, found);
  }
}

// The number that the program reads from these bytes.
ConstantInt* number(LLVMContext& context, StringRef bytes, bool little_endian) {
  uint64_t value = 0;
  for (size_t i = 0; i != bytes.size(); ++i) {
    size_t place = little_endian ? i : bytes.size() - 1 - i;
    value |= uint64_t(static_cast<unsigned char>(bytes[i])) << (8 * place);
  }
  return ConstantInt::get(IntegerType::get(context, bytes.size() * 8), value);
}

} // namespace

std::vector<NarrowField> narrow_fields(const Table& table) {
  std::vector<NarrowField> found;
  if (table.kind == TableKind::Array || !table.complete || table.entries.empty()) return found;
  uint32_t begin = table.kind == TableKind::Lpm ? length_bytes : 0, end = covered_bytes(table);
  for (uint32_t at = begin; at < end;) {
    uint32_t bytes = at % 8 == 0 ? 8 : length_bytes;
    find_narrow(table, at, bytes, end, found);
    at += bytes;
  }
  return found;
}

void inject_branch(CallInst& lookup, Value& key, ArrayRef<NarrowField> fields) {
  const DataLayout& layout = lookup.getModule()->getDataLayout();
  Align aligned = getOrEnforceKnownAlignment(&key, Align(8), layout, &lookup);
  IRBuilder<> builder(&lookup);
  Value* may_match = builder.getTrue();
  for (const NarrowField& field : fields) {
    Value* at = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), &key, field.offset);
    Value* read = builder.CreateFreeze(builder.CreateAlignedLoad(builder.getIntNTy(field.bytes * 8), at,
                                                                 std::min(aligned, Align(field.bytes))));
    Value* matches = builder.getFalse();
    for (const std::string& value : field.values)
      matches = builder.CreateOr(
          matches, builder.CreateICmpEQ(read, number(lookup.getContext(), value, layout.isLittleEndian())));
    may_match = builder.CreateAnd(may_match, matches);
  }
  BasicBlock* head = lookup.getParent();
  Instruction* then = SplitBlockAndInsertIfThen(may_match, &lookup, /*Unreachable=*/false);
  BasicBlock* tail = then->getSuccessor(0);
  lookup.moveBefore(then);
  auto* found = PHINode::Create(lookup.getType(), 2, "found", tail->begin());
  lookup.replaceAllUsesWith(found);
  found->addIncoming(&lookup, then->getParent());
  found->addIncoming(ConstantPointerNull::get(cast<PointerType>(lookup.getType())), head);
}

} // namespace heddle
