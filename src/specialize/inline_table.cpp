// A table of a few entries becomes a tree of compares. Exact keys are cut into words of up to eight bytes; one `switch` per word
// splits the entries by their value there, and LLVM makes each into a balanced tree. Prefixes are tried from the longest to the
// shortest, which is what longest match means; as in the kernel, an entry matches only keys at least as long, and a key longer than the
// table's matches nothing. Bytes of a key that the program has never written are arbitrary, and frozen, so that a compare with them is
// arbitrary, too, and not undefined.
#include "specialize/inline_table.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Endian.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

namespace heddle {

using namespace llvm;

namespace {

struct FieldRead {
  LoadInst* load;
  uint64_t offset;
};

// Reads at a fixed offset behind the pointer.
std::vector<FieldRead> fixed_reads(const Value& pointer, uint64_t bytes) {
  const auto& layout = cast<Instruction>(pointer).getModule()->getDataLayout();
  std::vector<FieldRead> reads;
  SmallVector<std::pair<const Value*, uint64_t>, 8> todo{{&pointer, 0}};
  while (!todo.empty()) {
    auto [value, offset] = todo.pop_back_val();
    for (const User* user : value->users()) {
      if (const auto* step = dyn_cast<GetElementPtrInst>(user)) {
        APInt more(layout.getIndexTypeSizeInBits(step->getType()), 0);
        if (step->accumulateConstantOffset(layout, more) && !more.isNegative())
          todo.emplace_back(step, offset + more.getZExtValue());
      } else if (const auto* load = dyn_cast<LoadInst>(user)) {
        Type* type = load->getType();
        bool plain = load->isSimple() && (type->isIntegerTy() || type->isPointerTy());
        if (plain && offset + layout.getTypeStoreSize(type) <= bytes)
          reads.push_back({const_cast<LoadInst*>(load), offset});
      }
    }
  }
  return reads;
}

// The value that a read finds in the entry, or null.
Constant* value_of(const FieldRead& read, const TableEntry& entry) {
  LLVMContext& context = read.load->getContext();
  const DataLayout& layout = read.load->getModule()->getDataLayout();
  StringRef bytes = StringRef(entry.value).substr(read.offset, layout.getTypeStoreSize(read.load->getType()));
  Constant* stored = ConstantDataArray::getString(context, bytes, /*AddNull=*/false);
  return ConstantFoldLoadFromConst(stored, read.load->getType(), layout);
}

// The value that it finds in all of them, or null.
Constant* common_value(const FieldRead& read, const Table& table) {
  Constant* common = nullptr;
  for (const TableEntry& entry : table.entries) {
    Constant* value = value_of(read, entry);
    if (!value || (common && value != common)) return nullptr;
    common = value;
  }
  return common;
}

struct Word {
  uint64_t offset;
  unsigned bytes;
};

class Inliner {
public:
  Inliner(CallInst& lookup, Value& key, const Table& table, StringRef section)
      : lookup_(lookup), key_(key), table_(table), section_(section), module_(*lookup.getModule()),
        layout_(module_.getDataLayout()), builder_(module_.getContext()) {}

  void run() {
    uint64_t aligned = getOrEnforceKnownAlignment(&key_, Align(8), layout_, &lookup_).value();
    size_t begin = table_.kind == TableKind::Lpm ? 4 : 0;
    for (uint64_t at = begin; at < table_.key_bytes;) {
      uint64_t bytes = std::min<uint64_t>({8, aligned, bit_floor(table_.key_bytes - at)});
      if (at % bytes != 0) bytes = at & -at; // behind the length of a prefix
      words_.push_back({at, static_cast<unsigned>(bytes)});
      at += bytes;
    }
    BasicBlock* head = lookup_.getParent();
    tail_ = SplitBlock(head, &lookup_);
    head->getTerminator()->eraseFromParent();
    if (table_.kind == TableKind::Lpm) {
      longest_match(head, std::min<uint64_t>(aligned, 4));
    } else {
      std::vector<const TableEntry*> all;
      for (const TableEntry& entry : table_.entries)
        all.push_back(&entry);
      exact_match(head, all, 0);
    }
    finish();
  }

private:
  static uint64_t bit_floor(uint64_t n) { return uint64_t(1) << Log2_64(n); }

  BasicBlock* new_block(const Twine& name) {
    return BasicBlock::Create(module_.getContext(), table_.name + "." + name, lookup_.getFunction(), tail_);
  }

  IRBuilder<>& at_end(BasicBlock* block) {
    builder_.SetInsertPoint(block);
    builder_.SetCurrentDebugLocation(lookup_.getDebugLoc());
    return builder_;
  }

  Value* read_key(IRBuilder<>& builder, const Word& word) {
    Value* at = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), &key_, word.offset);
    Type* type = builder.getIntNTy(word.bytes * 8);
    return builder.CreateFreeze(builder.CreateAlignedLoad(type, at, Align(word.bytes)));
  }

  // The number that the program reads from these bytes.
  ConstantInt* number(StringRef bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i != bytes.size(); ++i) {
      size_t place = layout_.isLittleEndian() ? i : bytes.size() - 1 - i;
      value |= uint64_t(static_cast<unsigned char>(bytes[i])) << (8 * place);
    }
    return ConstantInt::get(IntegerType::get(module_.getContext(), bytes.size() * 8), value);
  }

  void hit(BasicBlock* block, const TableEntry& entry) {
    at_end(block).CreateBr(tail_);
    cases_.emplace_back(block, &entry);
  }

  void exact_match(BasicBlock* block, const std::vector<const TableEntry*>& entries, size_t depth) {
    if (depth == words_.size()) return hit(block, *entries.front());
    const Word& word = words_[depth];
    MapVector<ConstantInt*, std::vector<const TableEntry*>> groups;
    for (const TableEntry* entry : entries)
      groups[number(StringRef(entry->key).substr(word.offset, word.bytes))].push_back(entry);
    IRBuilder<>& builder = at_end(block);
    SwitchInst* choice = builder.CreateSwitch(read_key(builder, word), tail_, groups.size());
    cases_.emplace_back(block, nullptr);
    for (auto& [value, members] : groups) {
      BasicBlock* next = new_block(Twine(depth));
      choice->addCase(value, next);
      exact_match(next, members, depth + 1);
    }
  }

  void longest_match(BasicBlock* block, uint64_t aligned) {
    std::vector<std::pair<uint32_t, const TableEntry*>> prefixes;
    for (const TableEntry& entry : table_.entries)
      prefixes.emplace_back(number(StringRef(entry.key).take_front(4))->getZExtValue(), &entry);
    llvm::sort(prefixes, [](const auto& a, const auto& b) { return a.first > b.first; });

    IRBuilder<>& builder = at_end(block);
    Value* at = builder.CreateAlignedLoad(builder.getInt32Ty(), &key_, Align(aligned));
    Value* length = builder.CreateFreeze(at);
    std::vector<Value*> address;
    for (const Word& word : words_)
      address.push_back(read_key(builder, word));
    BasicBlock* next = new_block("prefix");
    builder.CreateCondBr(builder.CreateICmpULE(length, builder.getInt32((table_.key_bytes - 4) * 8)), next,
                         tail_);
    cases_.emplace_back(block, nullptr);
    for (const auto& [bits, entry] : prefixes) {
      block = next;
      next = new_block("prefix");
      BasicBlock* found = new_block("found");
      IRBuilder<>& compare = at_end(block);
      Value* matches = compare.CreateICmpUGE(length, compare.getInt32(bits));
      for (const auto& [word, value] : zip(words_, address)) {
        std::string mask = mask_of(bits, word);
        std::string wanted = entry->key.substr(word.offset, word.bytes);
        for (auto [byte, kept] : zip(wanted, mask))
          byte = static_cast<char>(byte & kept);
        if (mask.find_first_not_of('\0') == std::string::npos) continue;
        Value* masked = compare.CreateAnd(value, number(mask));
        matches = compare.CreateAnd(matches, compare.CreateICmpEQ(masked, number(wanted)));
      }
      compare.CreateCondBr(matches, found, next);
      hit(found, *entry);
    }
    at_end(next).CreateBr(tail_);
    cases_.emplace_back(next, nullptr);
  }

  // Which bits of the word belong to a prefix of so many bits, as bytes.
  static std::string mask_of(uint32_t bits, const Word& word) {
    std::string mask(word.bytes, '\0');
    for (unsigned i = 0; i != word.bytes * 8; ++i)
      if ((word.offset - 4) * 8 + i < bits) mask[i / 8] = static_cast<char>(mask[i / 8] | (0x80 >> (i % 8)));
    return mask;
  }

  Constant* stored_value(const TableEntry& entry) {
    Constant*& stored = stored_[&entry];
    if (stored) return stored;
    Constant* bytes = ConstantDataArray::getString(module_.getContext(), entry.value, /*AddNull=*/false);
    auto* variable = new GlobalVariable(module_, bytes->getType(), /*isConstant=*/true,
                                        GlobalValue::PrivateLinkage, bytes, "heddle." + table_.name);
    variable->setSection(section_);
    variable->setAlignment(Align(8));
    return stored = variable;
  }

  PHINode* merge(Type* type, function_ref<Constant*(const TableEntry*)> of_case) {
    auto* phi = PHINode::Create(type, cases_.size(), table_.name, tail_->begin());
    for (auto [block, entry] : cases_)
      phi->addIncoming(of_case(entry), block);
    return phi;
  }

  void finish() {
    for (const FieldRead& read : fixed_reads(lookup_, table_.value_bytes)) {
      Type* type = read.load->getType();
      bool known = all_of(table_.entries, [&](const TableEntry& entry) { return value_of(read, entry); });
      if (!known) continue;
      // Nothing reads behind null.
      PHINode* value = merge(type, [&](const TableEntry* entry) -> Constant* {
        return entry ? value_of(read, *entry) : PoisonValue::get(type);
      });
      read.load->replaceAllUsesWith(value);
      read.load->eraseFromParent();
    }
    auto* null = ConstantPointerNull::get(cast<PointerType>(lookup_.getType()));
    lookup_.replaceAllUsesWith(merge(lookup_.getType(), [&](const TableEntry* entry) -> Constant* {
      return entry ? stored_value(*entry) : null;
    }));
    lookup_.eraseFromParent();
  }

  CallInst& lookup_;
  Value& key_;
  const Table& table_;
  StringRef section_;
  Module& module_;
  const DataLayout& layout_;
  IRBuilder<> builder_;
  std::vector<Word> words_;
  BasicBlock* tail_ = nullptr;
  std::vector<std::pair<BasicBlock*, const TableEntry*>> cases_; // null: no entry
  MapVector<const TableEntry*, Constant*> stored_;
};

bool decides(const LoadInst& load) {
  SmallVector<const Value*, 8> todo{&load};
  for (size_t steps = 0; !todo.empty() && steps != 32; ++steps)
    for (const User* user : todo.pop_back_val()->users()) {
      if (isa<ICmpInst, SwitchInst>(user)) return true;
      if (isa<BinaryOperator, CastInst, FreezeInst>(user)) todo.push_back(user);
    }
  return false;
}

} // namespace

void eliminate_lookup(CallInst& lookup) {
  lookup.replaceAllUsesWith(ConstantPointerNull::get(cast<PointerType>(lookup.getType())));
  lookup.eraseFromParent();
}

void inline_lookup(CallInst& lookup, Value& key, const Table& table, StringRef section) {
  Inliner(lookup, key, table, section).run();
}

unsigned fold_constant_fields(CallInst& lookup, const Table& table) {
  unsigned folded = 0;
  for (const FieldRead& read : fixed_reads(lookup, table.value_bytes))
    if (Constant* value = common_value(read, table)) {
      read.load->replaceAllUsesWith(value);
      read.load->eraseFromParent();
      ++folded;
    }
  return folded;
}

unsigned count_deciding_fields(const CallInst& lookup, const Table& table) {
  return count_if(fixed_reads(lookup, table.value_bytes),
                  [&](const FieldRead& read) { return decides(*read.load) && common_value(read, table); });
}

} // namespace heddle
