// SPDX-License-Identifier: Apache-2.0
//
// How block formats show to ops, and storage made once.

#include "Ops/OpRun.h"

#include "Data/BlockTensor.h"
#include "Ops/Op.h"
#include "Ops/PieceWriter.h"

namespace ring::rt {

ElementType heldElement(ElementType element) {
  return isBlockFormat(element) ? ElementType::BF16 : element;
}

ElementType computedElement(ElementType element) {
  return isBlockFormat(element) ? ElementType::F32 : element;
}

ElementType Op::outputElement(const ValueType &type) const {
  return access.moves ? heldElement(type.element)
                      : computedElement(type.element);
}

bool Op::needsUnpacked(const OpTypes &types, size_t i) const {
  const ValueType *type = types.input(i);
  return type && type->kind == ValueKind::Tensor &&
         isBlockFormat(type->element) && !access.shares && !exchanges() &&
         !(access.takesPacked && access.takesPacked(types, i));
}

ElementType OpRun::inputElement(size_t i) const {
  return heldElement(types.input(i)->element);
}

ElementType OpRun::outputElement(size_t i) const {
  return computedElement(types.output(i)->element);
}

int64_t OpRun::outputBytes(size_t i) const {
  const ValueType &type = *types.output(i);
  if (!isBlockFormat(type.element))
    return heldBytes(type);
  const Op &op = *opTable().find(types.instruction().op);
  return elementCount(type.shape) * heldElementBytes(op.outputElement(type));
}

StorageRef OpRun::allocateStorage(int64_t size) {
  Bytes bytes = allocate(size);
  return bytes ? std::make_shared<Storage>(std::move(bytes)) : nullptr;
}

Result<StorageRef> OpRun::unpack(const StorageRef &packed,
                                 const ValueType &type) {
  int64_t bytes =
      elementCount(type.shape) * heldElementBytes(heldElement(type.element));
  StorageRef storage = allocateStorage(bytes);
  if (!storage)
    return error("there is no memory for ", bytes, " bytes");
  BlockTensor blocks(type.element, type.shape);
  uint16_t *into = reinterpret_cast<uint16_t *>(storage->mutableData());
  if (Status status = parallelFor(blocks.strips(), blocks.grain(),
                                  [&](int64_t begin, int64_t end) {
                                    blocks.unpack(packed->data(), into, begin,
                                                  end);
                                  });
      !status)
    return status;
  return storage;
}

Result<StorageRef> OpRun::inOnePlace(const StorageRef &storage,
                                     const ValueType &type) {
  if (!storage || !storage->pieces())
    return storage;
  Status status = Status::success();
  StorageRef dense = storage->writtenDown(
      [&] { return help(); },
      [&]() -> StorageRef {
        StorageRef made = allocateStorage(heldBytes(type));
        writtenDownBytes += heldBytes(type);
        if (made)
          status = writePieces(*this, *storage->pieces(), type.element,
                               elementCount(type.shape), made->mutableData());
        return status ? made : nullptr;
      });
  if (!status)
    return status;
  if (!dense)
    return error("there is no memory for ", heldBytes(type), " bytes");
  return dense;
}

Result<StorageRef> OpRun::readPeer(int64_t source, size_t i) {
  const ValueType &type = *types.input(i);
  if (!isBlockFormat(type.element))
    return inOnePlace(peer(source, i), type);
  return unpack(peer(source, i), type);
}

Status OpRun::shareOnce(size_t i, const std::function<StorageRef()> &make) {
  StorageRef made = services.once(types.index(), make);
  if (!made)
    return error("there is no memory for ", heldBytes(*types.output(i)),
                 " bytes");
  shareOutput(i, std::move(made));
  return Status::success();
}

} // namespace ring::rt
