// SPDX-License-Identifier: Apache-2.0
//
// NumPy's file format, version 1 to 3: a magic string, a header that is a
// Python dictionary, and the numbers.

#include "ring-runtime/Tensor.h"

#include "Data/Numbers.h"

#include <cstdio>
#include <cstring>
#include <limits>

namespace ring::rt {

namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicSize = 6;

/// The text behind `'key':` in a header, or nullptr.
const char *valueOf(const std::string &header, const char *key) {
  std::string quoted = std::string("'") + key + "'";
  size_t at = header.find(quoted);
  if (at == std::string::npos)
    return nullptr;
  at = header.find(':', at);
  if (at == std::string::npos)
    return nullptr;
  at = header.find_first_not_of(" :", at);
  return at == std::string::npos ? nullptr : header.c_str() + at;
}

/// Stored types by NumPy's name.
struct StoredType {
  const char *name;
  ElementType element;
  bool isDouble;
};

constexpr StoredType kTypes[] = {
    {"<f4", ElementType::F32, false}, {"<f8", ElementType::F32, true},
    {"<i4", ElementType::I32, false}, {"<i8", ElementType::I64, false},
    {"<u4", ElementType::U32, false}, {"<u2", ElementType::U16, false},
    {"|u1", ElementType::U8, false},  {"|b1", ElementType::Bool, false}};

const StoredType *findType(const char *text) {
  for (const StoredType &type : kTypes)
    if (std::strncmp(text + 1, type.name, 3) == 0 &&
        (text[4] == '\'' || text[4] == '"'))
      return &type;
  return nullptr;
}

Result<Shape> parseShape(const char *text) {
  Shape shape;
  if (*text != '(')
    return error("expects a shape in its header");
  ++text;
  constexpr int64_t kMost = int64_t(1) << 44;
  int64_t count = 1;
  while (*text && *text != ')') {
    if (*text == ' ' || *text == ',') {
      ++text;
      continue;
    }
    int64_t size = 0;
    if (*text < '0' || *text > '9')
      return error("expects a shape of numbers in its header");
    for (; *text >= '0' && *text <= '9'; ++text) {
      size = size * 10 + (*text - '0');
      if (size > kMost)
        return error("expects at most 2^44 numbers");
    }
    if (size < 1 || size > kMost / count)
      return error("expects a shape of 1 to 2^44 numbers");
    count *= size;
    shape.push_back(size);
  }
  return shape;
}

Result<Tensor> parse(const std::vector<uint8_t> &file, ElementType element) {
  if (file.size() < 12 || std::memcmp(file.data(), kMagic, kMagicSize) != 0)
    return error("is no NumPy file");
  bool longHeader = file[6] > 1;
  size_t start = longHeader ? 12 : 10;
  size_t size = file[8] | (file[9] << 8);
  if (longHeader)
    size |= (size_t(file[10]) << 16) | (size_t(file[11]) << 24);
  if (start + size > file.size())
    return error("is truncated");
  std::string header(file.begin() + start, file.begin() + start + size);
  const char *descr = valueOf(header, "descr");
  const char *order = valueOf(header, "fortran_order");
  const char *shapeText = valueOf(header, "shape");
  if (!descr || !order || !shapeText || std::strlen(descr) < 6)
    return error("has a header without descr, fortran_order and shape");
  const StoredType *type = findType(descr);
  if (!type)
    return error("holds numbers of type ", std::string(descr, 5),
                 ", but f4, f8, i4, i8, u1, u2, u4 or b1 is expected");
  if (std::strncmp(order, "False", 5) != 0)
    return error("is in Fortran order, but C order is expected");
  Result<Shape> shape = parseShape(shapeText);
  if (!shape)
    return shape.status();
  int64_t count = elementCount(*shape);
  int64_t bytes =
      count * (type->isDouble ? 8 : heldElementBytes(type->element));
  size_t begin = start + size;
  if (static_cast<int64_t>(file.size() - begin) < bytes)
    return error("is truncated: it holds ", file.size() - begin, " of ", bytes,
                 " bytes");
  std::vector<uint8_t> aligned(file.begin() + begin,
                               file.begin() + begin + bytes);
  ElementType stored = type->element;
  // NumPy has no bf16: its bits travel as u2.
  if (stored == ElementType::U16 && isFloat(element))
    stored = ElementType::BF16;
  std::vector<double> numbers(count);
  if (type->isDouble)
    std::memcpy(numbers.data(), aligned.data(), bytes);
  else
    loadNumbers(aligned.data(), stored, 0, 1, numbers.data(), count);
  return Tensor::fromNumbers(element, *shape, numbers);
}

} // namespace

Result<Tensor> readNpy(const std::string &path, ElementType element) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return error("cannot open '", path, "'");
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> chunk(1 << 20);
  while (size_t count = std::fread(chunk.data(), 1, chunk.size(), file))
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + count);
  std::fclose(file);
  Result<Tensor> tensor = parse(bytes, element);
  if (!tensor)
    return error("'", path, "' ", tensor.message());
  return tensor;
}

Status writeNpy(const std::string &path, const Tensor &tensor) {
  ElementType stored = tensor.element();
  bool widened = isFloat(stored) && stored != ElementType::F32;
  if (widened)
    stored = ElementType::F32;
  const char *name = "<f4";
  for (const StoredType &type : kTypes)
    if (type.element == stored && !type.isDouble)
      name = type.name;
  std::string header = std::string("{'descr': '") + name +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.shape())
    header += std::to_string(size) + ", ";
  header += "), }";
  // Magic, version, length and header together fill a multiple of 64 bytes.
  size_t preamble = kMagicSize + 4;
  header.append(63 - (preamble + header.size()) % 64, ' ');
  header += '\n';

  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    return error("cannot write '", path, "'");
  const uint8_t version[] = {1, 0, static_cast<uint8_t>(header.size() & 255),
                             static_cast<uint8_t>(header.size() >> 8)};
  bool written =
      std::fwrite(kMagic, 1, kMagicSize, file) == kMagicSize &&
      std::fwrite(version, 1, 4, file) == 4 &&
      std::fwrite(header.data(), 1, header.size(), file) == header.size();
  if (widened) {
    std::vector<double> exact = tensor.numbers();
    std::vector<float> numbers(exact.begin(), exact.end());
    written &=
        std::fwrite(numbers.data(), 4, numbers.size(), file) == numbers.size();
  } else {
    size_t bytes = static_cast<size_t>(tensor.bytes());
    written &= std::fwrite(tensor.data(), 1, bytes, file) == bytes;
  }
  written &= std::fclose(file) == 0;
  if (!written)
    return error("cannot write '", path, "'");
  return Status::success();
}

} // namespace ring::rt
