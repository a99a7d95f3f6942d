#include "specialize/bpf/sampling_code.h"

#include "specialize/bpf/own_map.h"
#include "support/diagnostic.h"
#include "support/installed.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle {

using namespace llvm;

Expected<SamplingCode> SamplingCode::link(Function& function, const Sampler& sampler) {
  std::string path = installed_file("heddle-sample.bpf.bc");
  auto broken = [&](const Twine& why) {
    return diagnose("cannot be read: " + why, "build Heddle again, or set HEDDLE_LIB to where its libraries are",
                    path);
  };
  auto file = MemoryBuffer::getFile(path);
  if (!file) return broken(file.getError().message());
  Module& module = *function.getParent();
  auto linked = parseBitcodeFile(**file, module.getContext());
  if (!linked) return broken(toString(linked.takeError()));
  (*linked)->setTargetTriple(module.getTargetTriple());
  (*linked)->setDataLayout(module.getDataLayout());
  if (Linker::linkModules(module, std::move(*linked))) return broken("it does not fit the program's module");

  SamplingCode code;
  code.sample_ = module.getFunction("heddle_sample");
  code.record_ = module.getFunction("heddle_record");
  for (Function* part : {code.sample_, code.record_}) {
    part->setLinkage(GlobalValue::InternalLinkage);
    part->setAttributes(part->getAttributes().removeFnAttributes(module.getContext()));
    part->addFnAttr(Attribute::AlwaysInline);
  }
  IRBuilder<> entry(&*function.getEntryBlock().begin());
  code.sampled_ = entry.CreateAlloca(entry.getInt1Ty(), nullptr, "sampled");
  code.gaps_ = sampler.gaps();
  code.mean_ = sampler.mean();
  return code;
}

void SamplingCode::record(CallInst& lookup, const Sampler::Site& site) {
  IRBuilder<> builder(&lookup);
  Value* sampled = builder.CreateLoad(builder.getInt1Ty(), sampled_);
  builder.SetInsertPoint(SplitBlockAndInsertIfThen(sampled, &lookup, /*Unreachable=*/false));
  builder.CreateCall(record_, {own_map(builder, site.sketch.get()), lookup.getArgOperand(1)});
}

Value* SamplingCode::wanted(IRBuilder<>& builder) const {
  Value* sampled = builder.CreateCall(sample_, {own_map(builder, gaps_), own_map(builder, mean_)});
  return builder.CreateIsNotNull(sampled);
}

} // namespace heddle
