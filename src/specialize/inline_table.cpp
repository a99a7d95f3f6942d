// A table of a few entries becomes a tree of compares. Exact keys are cut into words of up to eight bytes; one `switch` per word
// splits the entries by their value there, and LLVM makes each into a balanced tree. Prefixes are tried from the longest to the
// shortest, which is what longest match means; as in the kernel, an entry matches only keys at least as long, and a key longer than the
// table's matches nothing. Bytes of a key that the program has never written are arbitrary, and frozen, so that a compare with them is
// arbitrary, too, and not undefined.
//
// Of a large table, only the keys that are looked up most become code: exact compares of the whole key, whatever kind the table is, since
// it is known what each of them finds. The tree's shape follows how often each was met, and the lookup stays behind it.
#include "specialize/inline_table.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
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

// The value that a read finds in an entry's value, or null.
Constant* value_of(const FieldRead& read, StringRef entry) {
  LLVMContext& context = read.load->getContext();
  const DataLayout& layout = read.load->getModule()->getDataLayout();
  StringRef bytes = entry.substr(read.offset, layout.getTypeStoreSize(read.load->getType()));
  Constant* stored = ConstantDataArray::getString(context, bytes, /*AddNull=*/false);
  return ConstantFoldLoadFromConst(stored, read.load->getType(), layout);
}

// The value that it finds in all of them, or null.
Constant* common_value(const FieldRead& read, const Table& table) {
  const DataLayout& layout = read.load->getModule()->getDataLayout();
  if (table.is_written(read.offset, layout.getTypeStoreSize(read.load->getType()))) return nullptr;
  Constant* common = nullptr;
  for (const TableEntry& entry : table.entries) {
    Constant* value = value_of(read, entry.value);
    if (!value || (common && value != common)) return nullptr;
    common = value;
  }
  return common;
}

struct Word {
  uint64_t offset;
  unsigned bytes;
};

// A key, and what is found for it.
struct Match {
  const std::string* key;
  const std::string* value; // null: no entry
  uint64_t weight;
};

class Inliner {
public:
  Inliner(CallInst& lookup, Value& key, const Table& table, StringRef section)
      : lookup_(lookup), key_(key), table_(table), section_(section), module_(*lookup.getModule()),
        layout_(module_.getDataLayout()), builder_(module_.getContext()),
        aligned_(getOrEnforceKnownAlignment(&key_, Align(8), layout_, &lookup_).value()) {}

  void inline_all() {
    BasicBlock* head = split();
    if (table_.kind == TableKind::Lpm) {
      find_words(4);
      longest_match(head);
    } else {
      find_words(0);
      std::vector<Match> all;
      for (const TableEntry& entry : table_.entries)
        all.push_back({&entry.key, &entry.value, 0});
      exact_match(head, all, 0);
    }
    finish();
  }

  void inline_hot(const HotLookups& hot) {
    BasicBlock* head = split();
    rest_ = tail_;
    tail_ = SplitBlock(rest_, lookup_.getNextNode());
    find_words(0);
    std::vector<Match> known;
    for (const KnownLookup& lookup : hot.known)
      known.push_back({&lookup.key, lookup.value ? &*lookup.value : nullptr, lookup.count});
    exact_match(head, known, hot.others);
    finish();
  }

private:
  static uint64_t bit_floor(uint64_t n) { return uint64_t(1) << Log2_64(n); }

  // Cuts the block before the lookup. Returns the first part, which goes nowhere yet.
  BasicBlock* split() {
    BasicBlock* head = lookup_.getParent();
    tail_ = SplitBlock(head, &lookup_);
    head->getTerminator()->eraseFromParent();
    return head;
  }

  void find_words(size_t begin) {
    for (uint64_t at = begin; at < table_.key_bytes;) {
      uint64_t bytes = std::min<uint64_t>({8, aligned_, bit_floor(table_.key_bytes - at)});
      if (at % bytes != 0) bytes = at & -at; // behind the length of a prefix
      words_.push_back({at, static_cast<unsigned>(bytes)});
      at += bytes;
    }
  }

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

  void hit(BasicBlock* block, const std::string* value) {
    at_end(block).CreateBr(tail_);
    cases_.emplace_back(block, value);
  }

  void exact_match(BasicBlock* block, const std::vector<Match>& matches, uint64_t others, size_t depth = 0) {
    if (depth == words_.size()) return hit(block, matches.front().value);
    const Word& word = words_[depth];
    MapVector<ConstantInt*, std::vector<Match>> groups;
    for (const Match& match : matches)
      groups[number(StringRef(*match.key).substr(word.offset, word.bytes))].push_back(match);
    IRBuilder<>& builder = at_end(block);
    BasicBlock* otherwise = rest_ ? rest_ : tail_;
    SwitchInst* choice = builder.CreateSwitch(read_key(builder, word), otherwise, groups.size());
    if (!rest_) cases_.emplace_back(block, nullptr);
    SmallVector<uint32_t, 16> weights{weight_of(others)};
    for (auto& [value, members] : groups) {
      uint64_t weight = 0;
      for (const Match& match : members)
        weight += match.weight;
      weights.push_back(weight_of(weight));
      BasicBlock* next = new_block(Twine(depth));
      choice->addCase(value, next);
      exact_match(next, members, 0, depth + 1);
    }
    if (rest_)
      choice->setMetadata(LLVMContext::MD_prof, MDBuilder(module_.getContext()).createBranchWeights(weights));
  }

  static uint32_t weight_of(uint64_t samples) { return std::clamp<uint64_t>(samples, 1, 1 << 30); }

  void longest_match(BasicBlock* block) {
    std::vector<std::pair<uint32_t, const TableEntry*>> prefixes;
    for (const TableEntry& entry : table_.entries)
      prefixes.emplace_back(number(StringRef(entry.key).take_front(4))->getZExtValue(), &entry);
    llvm::sort(prefixes, [](const auto& a, const auto& b) { return a.first > b.first; });

    IRBuilder<>& builder = at_end(block);
    Value* at =
        builder.CreateAlignedLoad(builder.getInt32Ty(), &key_, Align(std::min<uint64_t>(aligned_, 4)));
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
      hit(found, &entry->value);
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

  Constant* stored_value(const std::string* value) {
    Constant*& stored = stored_[value];
    if (stored) return stored;
    Constant* bytes = ConstantDataArray::getString(module_.getContext(), *value, /*AddNull=*/false);
    auto* variable = new GlobalVariable(module_, bytes->getType(), /*isConstant=*/true,
                                        GlobalValue::PrivateLinkage, bytes, "heddle." + table_.name);
    variable->setSection(section_);
    variable->setAlignment(Align(8));
    return stored = variable;
  }

  // What `of_case` gives for the case that was met, and `otherwise` behind the lookup itself.
  PHINode* merge(Type* type, function_ref<Constant*(const std::string*)> of_case, Value* otherwise) {
    auto* phi = PHINode::Create(type, cases_.size() + 1, table_.name, tail_->begin());
    for (auto [block, value] : cases_)
      phi->addIncoming(of_case(value), block);
    if (rest_) phi->addIncoming(otherwise, rest_);
    return phi;
  }

  void finish() {
    PHINode* is_hot = nullptr;
    if (rest_)
      is_hot = merge(builder_.getInt1Ty(), [&](auto) { return builder_.getTrue(); }, builder_.getFalse());
    for (const FieldRead& read : fixed_reads(lookup_, table_.value_bytes)) {
      Type* type = read.load->getType();
      bool known = all_of(cases_, [&](const auto& c) { return !c.second || value_of(read, *c.second); });
      if (!known) continue;
      Constant* unread = PoisonValue::get(type); // nothing reads behind null
      PHINode* value = merge(
          type, [&](const std::string* found) { return found ? value_of(read, *found) : unread; }, unread);
      if (is_hot) value = read_if_not(*is_hot, *value, *read.load);
      read.load->replaceUsesWithIf(value, [&](const Use& use) { return use.getUser() != value; });
      if (!is_hot) read.load->eraseFromParent();
    }
    auto* null = ConstantPointerNull::get(cast<PointerType>(lookup_.getType()));
    PHINode* found = merge(
        lookup_.getType(), [&](const std::string* value) { return value ? stored_value(value) : null; },
        &lookup_);
    lookup_.replaceUsesWithIf(found, [&](const Use& use) { return use.getUser() != found; });
    if (!rest_) lookup_.eraseFromParent();
  }

  // The load where `known` does not hold, else `value`.
  PHINode* read_if_not(Value& known, Value& value, LoadInst& load) {
    IRBuilder<> builder(&load);
    Instruction* before = SplitBlockAndInsertIfThen(builder.CreateNot(&known), &load, /*Unreachable=*/false);
    BasicBlock* head = before->getParent()->getSinglePredecessor();
    load.moveBefore(before);
    auto* phi = PHINode::Create(load.getType(), 2, "read", before->getSuccessor(0)->begin());
    phi->addIncoming(&value, head);
    phi->addIncoming(&load, before->getParent());
    return phi;
  }

  CallInst& lookup_;
  Value& key_;
  const Table& table_;
  StringRef section_;
  Module& module_;
  const DataLayout& layout_;
  IRBuilder<> builder_;
  uint64_t aligned_; // of the key
  std::vector<Word> words_;
  BasicBlock* rest_ = nullptr; // the lookup itself, where keys remain for it
  BasicBlock* tail_ = nullptr;
  std::vector<std::pair<BasicBlock*, const std::string*>> cases_; // null: no entry
  MapVector<const std::string*, Constant*> stored_;
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
  Inliner(lookup, key, table, section).inline_all();
}

void add_hot_keys(CallInst& lookup, Value& key, const Table& table, const HotLookups& hot,
                  StringRef section) {
  Inliner(lookup, key, table, section).inline_hot(hot);
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
