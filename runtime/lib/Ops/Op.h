// SPDX-License-Identifier: Apache-2.0
//
// The op table: one entry says everything the runtime knows about an op. A new
// op is one registration in the file of its notion, one reference loop, and one
// line in docs/ProgramFormat.md.

#ifndef RING_RUNTIME_OPS_OP_H
#define RING_RUNTIME_OPS_OP_H

#include "Memory/TensorPieces.h"
#include "Ops/OpTypes.h"
#include "Ops/OpWork.h"

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

namespace ring::rt {

class OpRun;

/// The kinds of attributes, in the order of the Attribute variant.
enum class AttributeKind { Int, Float, String, Ints, Floats, Bools };

/// An attribute that an op knows.
struct AttributeSpec {
  const char *name;
  AttributeKind kind;
  bool required = false;
};

/// What integers an operand may hold: 0 to `limit` - 1.
struct IndexRange {
  int64_t limit = 0;
  bool distinct = false; ///< each at most once, as pages of a cache
};

/// Any number of operands.
constexpr int kVariadic = 1 << 20;

/// What a program must say for an instruction to be one of this op.
struct OpSignature {
  struct Count {
    int fewest = 1;
    int most = 1;
  };
  Count inputs;
  Count outputs;
  std::vector<AttributeSpec> attributes;
  /// Operands and results may differ in placement.
  bool crossesPlacement = false;
  /// Checks shapes and attributes; kinds of attributes and the numbers of
  /// operands have been checked.
  std::function<Status(const OpTypes &)> verify;
  /// For operands that are indices or positions: those that there are.
  std::function<std::optional<IndexRange>(const OpTypes &, size_t i)> indices;
};

/// How `Op::run` takes its operands and leaves its results.
struct OpAccess {
  /// It sets the results by sharing storage, so none is allocated for it.
  bool shares = false;
  /// It moves elements as they are read, without computing on them.
  bool moves = false;
  /// Elements of the results are those of operands, in another order.
  bool rearranges = false;
  /// The operand whose storage result 0 may take over when it dies, if both
  /// have as many elements of one type; -1: none.
  int inPlaceInput = -1;
  /// It writes all of result 0, and each element after it has read that of the
  /// operand: one that does not die is not copied first.
  bool overwrites = false;
  /// Operands of a block format that it takes from `inputStorage` as they are
  /// packed; the executor unpacks the others.
  std::function<bool(const OpTypes &, size_t i)> takesPacked;
  /// Operands that it takes in pieces; the executor has the others written
  /// down. Ops that share storage take all of them.
  std::function<bool(const OpTypes &, size_t i, const TensorPieces &)>
      takesPieces;
  /// For an op that only moves elements: where those of result 0 lie. Nothing
  /// if that cannot be said; then `run` writes them. Asked only where operands
  /// and result are of one element type and no block format.
  std::function<std::optional<TensorPieces>(const OpRun &)> pieces;
  /// Devices that get the same result in pieces share it: it is written down
  /// and packed once. The number of the group that a device is in; none: each
  /// has its own.
  std::function<int64_t(const OpTypes &, int64_t device)> sharedBy;
};

/// For an exchange: what comes from whom, and how.
struct OpExchange {
  using Arrivals = void(const OpTypes &, int64_t stream,
                        std::vector<Arrival> &);

  /// The devices whose operands `stream` reads, in order.
  std::function<void(const OpTypes &, int64_t stream, std::vector<int64_t> &)>
      sources;
  /// Between devices: what comes from each of the sources.
  std::function<Arrivals> arrivals;
  Carriage carriage = Carriage::Direct;

  OpExchange() = default;
  /// An exchange of what `from` says.
  OpExchange(Arrivals *from, Carriage how = Carriage::Direct);
};

/// What an op is charged for on a device.
struct OpCosts {
  /// The operands that are keys and values.
  std::vector<size_t> keysAndValues;
  /// Memory the CPU's kernels use while they run, for so many threads. It is
  /// none of a device's, whose kernels are others.
  std::function<int64_t(const OpTypes &, int threads)> scratchBytes;
  /// Of these the packed form of queries, which saves the next instructions
  /// time.
  std::function<int64_t(const OpTypes &)> packedBytes;
  /// Useful floating-point operations.
  std::function<double(const OpTypes &, int64_t device)> flops;
  /// The shape of an attention, and of a product of matrices, by which the
  /// simulator knows their times.
  std::function<AttentionWork(const OpTypes &, int64_t device)> attention;
  std::function<ProductWork(const OpTypes &)> product;
};

/// Everything the runtime knows about an op.
struct Op {
  /// How the executor treats the op.
  enum class Role {
    Compute, ///< reads its own operands; exchanges if it has sources
    Buffer,  ///< makes a buffer
    Start,   ///< posts its operands; the wait runs it
    Wait     ///< finishes a Start
  };

  std::string name;
  Role role = Role::Compute;
  OpSignature signature;
  /// Computes on a device or the host.
  std::function<Status(OpRun &)> run;
  OpAccess access;
  OpExchange exchange;
  OpCosts costs;

  bool exchanges() const { return static_cast<bool>(exchange.sources); }
  /// Whether results are other numbers than operands have.
  bool computes() const {
    return !access.moves && !access.shares && !access.rearranges;
  }
  /// How `run` writes the elements of a result of that type.
  ElementType outputElement(const ValueType &type) const;
  /// Whether operand `i`, in pieces, is to be written down before `run`.
  bool needsOnePlace(const OpTypes &types, size_t i,
                     const TensorPieces &pieces) const {
    return !access.shares &&
           !(access.takesPieces && access.takesPieces(types, i, pieces));
  }
  /// Whether operand `i` is to be unpacked before `run`.
  bool needsUnpacked(const OpTypes &types, size_t i) const;
};

/// All ops by name. Immutable once made.
class OpTable {
public:
  OpTable();
  const Op *find(const std::string &name) const;
  void add(Op op);
  /// The names in alphabetical order.
  std::vector<std::string> names() const;

private:
  std::unordered_map<std::string, Op> ops;
};

/// The one table.
const OpTable &opTable();

/// Bytes that an op reads and writes on a device.
int64_t bytesTouched(const OpTypes &types);

/// The attributes of an axis.
std::vector<AttributeSpec> axisAttributes(bool required = true);
/// The attributes of an axis and further ones.
std::vector<AttributeSpec> withAxis(std::vector<AttributeSpec> more);

// One function per notion, each in its own file.
void registerElementwiseOps(OpTable &table);
void registerCreationOps(OpTable &table);
void registerShapeOps(OpTable &table);
void registerReductionOps(OpTable &table);
void registerMatmulOps(OpTable &table);
void registerNormalizationOps(OpTable &table);
void registerAttentionOps(OpTable &table);
void registerCacheAttentionOps(OpTable &table);
void registerCacheWriteOps(OpTable &table);
void registerFusedRingOps(OpTable &table);
void registerBlockOps(OpTable &table);
void registerBackwardOps(OpTable &table);
void registerTransferOps(OpTable &table);
void registerCollectiveOps(OpTable &table);
void registerShardingOps(OpTable &table);
void registerScheduleOps(OpTable &table);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_OP_H
