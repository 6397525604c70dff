// SPDX-License-Identifier: Apache-2.0
// The functions of ring_compiler.h.

#include "Compiler.h"
#include "PlansText.h"
#include "SourceNames.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "ring-runtime/Session.h"
#include "ring/CommandLine/PassTexts.h"
#include "ring/CommandLine/ToolFiles.h"
#include "ring/Target/Cpp.h"
#include "ring/Target/Program.h"
#include "ring/Target/Python.h"
#include "ring/Tooling/Execution.h"
#include "ring/Tooling/ReportedPlans.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::ring;
namespace rt = ::ring::rt;

/// What the source calls the arguments of a function, "" standing for the only
/// one; none if it has no name for one of them.
static ArrayRef<std::string> namesOf(const ring_compiler &compiler,
                                     StringRef function) {
  auto found = function.empty() && compiler.argumentNames.size() == 1
                   ? compiler.argumentNames.begin()
                   : compiler.argumentNames.find(function);
  if (found == compiler.argumentNames.end() ||
      llvm::is_contained(found->second, ""))
    return {};
  return found->second;
}

extern "C" {

const char *ring_pipeline_options(void) {
  static const std::string names =
      llvm::join(optionNames(kAttentionPipeline), " ");
  return names.c_str();
}

ring_compiler *ring_compiler_create(void) { return new ring_compiler; }
void ring_compiler_destroy(ring_compiler *compiler) { delete compiler; }

const char *ring_compiler_error(const ring_compiler *compiler) {
  return compiler->error.c_str();
}

size_t ring_compiler_message_count(const ring_compiler *compiler) {
  return compiler->messages.size();
}

int ring_compiler_message(const ring_compiler *compiler, size_t number,
                          ring_message *message) {
  if (number >= compiler->messages.size())
    return 1;
  const ring_compiler::Message &said = compiler->messages[number];
  *message = {said.severity, said.place.c_str(), said.text.c_str()};
  return 0;
}

int ring_compiler_read(ring_compiler *compiler, const char *text, size_t size,
                       const char *name) {
  compiler->begin();
  compiler->module = nullptr;
  compiler->passesRan = false;
  compiler->planned.clear();
  compiler->argumentNames.clear();
  if (std::string problem = refuseProgram(name, StringRef(text, size));
      !problem.empty())
    return compiler->fail(problem);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(StringRef(text, size), name),
      llvm::SMLoc());
  compiler->module = parseSourceFile<ModuleOp>(sources, &compiler->context);
  if (compiler->module)
    compiler->argumentNames =
        argumentNamesOf(StringRef(text, size), name, *compiler->module);
  return compiler->end(bool(compiler->module));
}

int ring_compiler_set_mesh(ring_compiler *compiler, const char *mesh) {
  compiler->begin();
  if (!compiler->hasModule())
    return 1;
  if (failed(setMesh(*compiler->module, mesh)))
    return compiler->fail("expects a mesh like 2x4, but got '" +
                          std::string(mesh) + "'");
  return 0;
}

int ring_compiler_find_function(ring_compiler *compiler, const char *function) {
  compiler->begin();
  if (!compiler->hasModule())
    return 1;
  return compiler->end(
      succeeded(findFunctionToRun(*compiler->module, function)));
}

const char *ring_compiler_input_name(ring_compiler *compiler,
                                     const char *function, size_t input) {
  ArrayRef<std::string> names = namesOf(*compiler, function);
  return input < names.size() ? names[input].c_str() : nullptr;
}

int ring_compiler_run(ring_compiler *compiler, const char *text) {
  compiler->begin();
  if (!compiler->hasModule())
    return 1;
  if (std::string problem = checkPipeline(text); !problem.empty())
    return compiler->fail(problem);
  auto passes = PassManager::on<ModuleOp>(&compiler->context,
                                          PassManager::Nesting::Implicit);
  std::string reason;
  llvm::raw_string_ostream out(reason);
  if (failed(parsePassPipeline(text, passes, out)))
    return compiler->fail("expects passes, but got '" + std::string(text) +
                          "'" + (reason.empty() ? "" : "\n") + reason);
  compiler->planned.clear();
  passes.addInstrumentation(std::make_unique<PlanWatcher>(compiler->planned));
  compiler->passesRan = true;
  return compiler->end(succeeded(passes.run(*compiler->module)));
}

const char *ring_compiler_ir(ring_compiler *compiler) {
  compiler->begin();
  if (!compiler->hasModule())
    return nullptr;
  std::string text;
  llvm::raw_string_ostream out(text);
  compiler->module->print(out);
  return compiler->say(std::move(text));
}

const void *ring_compiler_program(ring_compiler *compiler, const char *function,
                                  size_t *size) {
  compiler->begin();
  if (!compiler->hasModule())
    return nullptr;
  FailureOr<std::vector<uint8_t>> file =
      translateToProgram(*compiler->module, function, /*fusedOps=*/false,
                         namesOf(*compiler, function));
  if (compiler->end(succeeded(file)))
    return nullptr;
  if (!compiler->passesRan)
    if (auto program = rt::Program::load(file->data(), file->size()))
      markShards(*compiler->module, *program);
  compiler->program = std::move(*file);
  *size = compiler->program.size();
  return compiler->program.data();
}

const char *ring_compiler_host_program(ring_compiler *compiler,
                                       const char *language) {
  compiler->begin();
  if (!compiler->hasModule())
    return nullptr;
  StringRef wanted = language;
  if (wanted != "python" && wanted != "cpp")
    return compiler->fail("expects python or cpp, but got '" + wanted.str() +
                          "'"),
           nullptr;
  std::string text;
  llvm::raw_string_ostream out(text);
  LogicalResult written = wanted == "python"
                              ? translateToPython(*compiler->module, out)
                              : translateToCpp(*compiler->module, out);
  if (compiler->end(succeeded(written)))
    return nullptr;
  return compiler->say(std::move(text));
}

const char *ring_compiler_plans(ring_compiler *compiler) {
  compiler->begin();
  return compiler->say(plansText(compiler->planned));
}

const char *ring_compiler_report(ring_compiler *compiler,
                                 const ring_session *session) {
  compiler->begin();
  rt::Result<rt::Report> report = rt::reportOf(*session);
  if (!report)
    return compiler->fail(report.message()), nullptr;
  if (auto example = largestOf(compiler->planned))
    addReportedPlans(*example, *report);
  return compiler->say(rt::reportPage(*report));
}

} // extern "C"
