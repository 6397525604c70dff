// SPDX-License-Identifier: Apache-2.0
//
// How block formats show to ops, and storage made once.

#include "Ops/OpRun.h"

namespace ring::rt {

namespace {

bool isBlockFormat(ElementType element) {
  return element == ElementType::BFP8B || element == ElementType::BFP4B;
}

} // namespace

ElementType heldElement(ElementType element) {
  return isBlockFormat(element) ? ElementType::BF16 : element;
}

ElementType computedElement(ElementType element) {
  return isBlockFormat(element) ? ElementType::F32 : element;
}

ElementType OpRun::inputElement(size_t i) const {
  return heldElement(types.input(i)->element);
}

ElementType OpRun::outputElement(size_t i) const {
  return computedElement(types.output(i)->element);
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
