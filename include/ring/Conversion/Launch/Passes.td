// SPDX-License-Identifier: Apache-2.0
// The passes that form launches, prove them and write them as programs of
// tt-mlir.

#ifndef RING_CONVERSION_LAUNCH_PASSES_TD
#define RING_CONVERSION_LAUNCH_PASSES_TD

include "mlir/Pass/PassBase.td"

def RingFormLaunches : Pass<"ring-form-launches", "::mlir::func::FuncOp"> {
  let summary = "Make a device program of each attention and its transfers";
  let description = [{
    Every attention of a schedule, from `ring.init` to `ring.finish`, goes into
    a `ring.launch` with the starts, waits and buffers that feed it, and with
    the slices and concatenations that pick rows of what arrives, or columns of
    a mask. Devices run it as one program of our own kernels, which follow it as
    it stands.

    Transfers that two attentions share go into both. Chunks that are not named
    are those that fit into L1 and are predicted to be fastest on the machine;
    all rows of cores but the last compute.
  }];
  let options = [
    Option<"machineName", "machine", "std::string", /*default=*/"\"\"",
           "the machine to choose for, by its name or as the path of a file; "
           "without, the one that has the mesh">,
    Option<"qChunk", "q-chunk", "int64_t", /*default=*/"0",
           "rows of a query chunk; 0 chooses">,
    Option<"kChunk", "k-chunk", "int64_t", /*default=*/"0",
           "rows of a key chunk; 0 chooses">,
    Option<"expApprox", "exp-approx", "bool", /*default=*/"false",
           "approximate exponentials">,
    Option<"fidelity", "fidelity", "std::string", /*default=*/"\"auto\"",
           "auto, lofi, hifi2, hifi3 or hifi4: passes over the mantissas; auto "
           "is hifi4, which takes in all of bf16">,
    Option<"grid", "grid", "std::string", /*default=*/"\"\"",
           "the cores that compute, columns x rows, such as 8x7">,
  ];
  let dependentDialects = ["::mlir::ring::RingDialect"];
}

def RingVerifyLaunches : Pass<"ring-verify-launches", "::mlir::ModuleOp"> {
  let summary = "Prove what the kernels of launches wait for";
  let description = [{
    Writes the device program of every `ring.launch` and proves its counts:
    packets, announcements, reads and credits. All counters only rise, so it is
    enough to hold back each reader, each send and each last packet in turn, let
    everybody else go as far as they can, and see that nobody has read too early
    or overwritten too early. What kernels cannot do, or what does not fit into
    L1, is an error. A remark says the cores, the chunks, and the L1 and DRAM
    that the launch takes.
  }];
}

def RingOutlineLaunches : Pass<"ring-outline-launches", "::mlir::ModuleOp"> {
  let summary = "Carry launches inside a model, as ttnn.generic";
  let description = [{
    Every `ring.launch` becomes a `ttcore.composite` named `ring_launch`, whose
    decomposition runs our kernels as one `ttnn.generic`, with their sources in
    its attribute and a program for every device. What is around stays as it is,
    so that `convert-ring-to-ttir` and tt-mlir's TTNN pipeline take it from
    there.

    * Keys and values have pages of one tile, as TTNN's tensors do. What
      transfers land in, and states that do not fit L1, are tensors besides.
      tt-mlir merges empty tensors of one type, so that each has a type of its
      own, by some rows more at its end; so do semaphores, by their cores.
    * Rows that are no whole tiles are filled up with zeros before, and cut off
      behind.
    * Log-sum-exps of rows without keys are -1e30, as in all that
      `convert-ring-to-ttir` writes.
    * tt-mlir's runtime hands connections to every kernel, which limits a kernel
      to `num-links` cores and takes semaphores from all of them: kernels are
      repeated for as many cores at a time.

    Refused, since that runtime stops there: rings that are not whole axes of
    the mesh, rings that need a link which closes them on a mesh with an axis of
    two devices, devices with more than two neighbours.
  }];
  let options = [
    Option<"numLinks", "num-links", "int64_t", /*default=*/"1",
           "ethernet links to a neighbour, and with them cores of a kernel">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::tt::ttcore::TTCoreDialect",
                           "::mlir::tt::ttir::TTIRDialect",
                           "::mlir::tt::ttnn::TTNNDialect"];
}

def ConvertRingToTTMetal : Pass<"convert-ring-to-ttmetal", "::mlir::ModuleOp"> {
  let summary = "Write functions of launches as TTMetal programs";
  let description = [{
    A function of `ring.shard`, `ring.launch` and `ring.unshard` alone becomes
    host commands of the `ttmetal` dialect: buffers, semaphores, and an
    `enqueue_program` for each launch, whose kernels are functions of C++ text.
    A TTMetal program is a whole one, so that any other op is refused.

    * Tensors come and go as rows of tiles: `tensor<1x4x256x64xbf16>` becomes
      `memref<1x4x8x2048xbf16>`, 8 rows of 2 tiles of 1024 numbers. Rows and
      columns are whole tiles, and shards are contiguous.
    * All devices and cores have the same arguments there. What differs from one
      to the other, tables above all, is a constant that `mesh_shard` deals out
      to the devices, into the L1 of every core, and that kernels read there.
    * Addresses are chosen here: in L1 from 128 KiB on, in DRAM from 1 MiB on,
      in rows of tiles that go round the banks. Semaphores are global ones, since
      a local one is made anew for each kernel that names it.
  }];
  let dependentDialects = ["::mlir::emitc::EmitCDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::tt::ttcore::TTCoreDialect",
                           "::mlir::tt::ttkernel::TTKernelDialect",
                           "::mlir::tt::ttmetal::TTMetalDialect"];
}

#endif // RING_CONVERSION_LAUNCH_PASSES_TD
