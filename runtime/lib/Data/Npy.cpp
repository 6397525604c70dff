// SPDX-License-Identifier: Apache-2.0
//
// NumPy's file format, version 1 to 3: a magic string, a header that is a
// Python dictionary, and the numbers.

#include "ring-runtime/Tensor.h"

#include "Data/Files.h"
#include "Data/Numbers.h"

#include <cmath>
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

/// Stored types by NumPy's name. Of two floating-point types a program knows
/// nothing: their width is said here.
struct StoredType {
  const char *name;
  ElementType element;
  enum Width { Own, Half, Double } width = Own;

  int64_t bytes() const {
    return width == Half ? 2 : width == Double ? 8 : heldElementBytes(element);
  }
};

constexpr StoredType kTypes[] = {{"<f4", ElementType::F32},
                                 {"<f8", ElementType::F32, StoredType::Double},
                                 {"<f2", ElementType::F32, StoredType::Half},
                                 {"<i4", ElementType::I32},
                                 {"<i8", ElementType::I64},
                                 {"<u4", ElementType::U32},
                                 {"<u2", ElementType::U16},
                                 {"|u1", ElementType::U8},
                                 {"|b1", ElementType::Bool}};

/// The type that a header names, between quotes.
Result<StoredType> findType(const char *text) {
  std::string name;
  if (*text == '\'' || *text == '"')
    for (const char *at = text + 1; *at && *at != *text; ++at)
      name += *at;
  for (const StoredType &type : kTypes)
    if (name == type.name)
      return type;
  if (name.empty())
    return error("expects numbers of one type, but got records");
  return error("expects little-endian numbers of f2, f4, f8, i4, i8, u1, u2, "
               "u4 or b1, but got ",
               name);
}

/// An IEEE half: 1 bit of sign, 5 of exponent, 10 of mantissa. 0x3C00 is 1,
/// 0x0001 is 2^-24, 0x7C00 is infinity.
double halfNumber(uint16_t bits) {
  int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  double size = exponent == 31
                    ? (mantissa == 0 ? std::numeric_limits<double>::infinity()
                                     : std::numeric_limits<double>::quiet_NaN())
                : exponent == 0 ? std::ldexp(mantissa, -24)
                                : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

/// Numbers whose first index runs fastest, in C order. Worked example, 2 x 3:
/// a d b e c f becomes a b c d e f.
std::vector<double> inCOrder(const std::vector<double> &numbers,
                             const Shape &shape) {
  std::vector<double> ordered(numbers.size());
  Shape strides(shape.size(), 1), index(shape.size(), 0);
  for (size_t d = 1; d < shape.size(); ++d)
    strides[d] = strides[d - 1] * shape[d - 1];
  int64_t from = 0;
  for (double &number : ordered) {
    number = numbers[from];
    for (size_t d = shape.size(); d-- > 0;) {
      from += strides[d];
      if (++index[d] < shape[d])
        break;
      from -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return ordered;
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
    return error("expects a NumPy file, but got something else");
  bool longHeader = file[6] > 1;
  size_t start = longHeader ? 12 : 10;
  size_t size = file[8] | (file[9] << 8);
  if (longHeader)
    size |= (size_t(file[10]) << 16) | (size_t(file[11]) << 24);
  if (start + size > file.size())
    return error("the file is truncated: expects a header of ", size,
                 " bytes, but got ", file.size() - start);
  std::string header(file.begin() + start, file.begin() + start + size);
  const char *descr = valueOf(header, "descr");
  const char *order = valueOf(header, "fortran_order");
  const char *shapeText = valueOf(header, "shape");
  if (!descr || !order || !shapeText)
    return error("expects a header with descr, fortran_order and shape");
  Result<StoredType> type = findType(descr);
  if (!type)
    return type.status();
  Result<Shape> shape = parseShape(shapeText);
  if (!shape)
    return shape.status();
  int64_t count = elementCount(*shape);
  int64_t bytes = count * type->bytes();
  size_t begin = start + size;
  if (static_cast<int64_t>(file.size() - begin) < bytes)
    return error("the file is truncated: expects ", bytes,
                 " bytes of numbers, but got ", file.size() - begin);
  std::vector<uint8_t> aligned(file.begin() + begin,
                               file.begin() + begin + bytes);
  ElementType stored = type->element;
  // NumPy has no bf16: its bits travel as u2.
  if (stored == ElementType::U16 && isFloat(element))
    stored = ElementType::BF16;
  std::vector<double> numbers(count);
  if (type->width == StoredType::Double) {
    std::memcpy(numbers.data(), aligned.data(), bytes);
  } else if (type->width == StoredType::Half) {
    for (int64_t i = 0; i < count; ++i)
      numbers[i] = halfNumber(aligned[2 * i] | aligned[2 * i + 1] << 8);
  } else {
    loadNumbers(aligned.data(), stored, 0, 1, numbers.data(), count);
  }
  if (std::strncmp(order, "True", 4) == 0)
    numbers = inCOrder(numbers, *shape);
  return Tensor::fromNumbers(element, *shape, numbers);
}

std::string_view bytesOf(const void *data, size_t size) {
  return {static_cast<const char *>(data), size};
}

} // namespace

Result<Tensor> readNpy(const std::string &path, ElementType element) {
  Result<std::vector<uint8_t>> bytes = readFile(path);
  if (!bytes)
    return bytes.status();
  Result<Tensor> tensor = parse(*bytes, element);
  if (!tensor)
    return error("'", path, "': ", tensor.message());
  return tensor;
}

Status writeNpy(const std::string &path, const Tensor &tensor) {
  ElementType stored = tensor.element();
  bool widened = isFloat(stored) && stored != ElementType::F32;
  if (widened)
    stored = ElementType::F32;
  const char *name = "<f4";
  for (const StoredType &type : kTypes)
    if (type.element == stored && type.width == StoredType::Own)
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

  const char version[] = {1, 0, static_cast<char>(header.size() & 255),
                          static_cast<char>(header.size() >> 8)};
  std::vector<std::string_view> parts = {
      {kMagic, kMagicSize}, {version, sizeof(version)}, header};
  std::vector<float> numbers;
  if (widened) {
    std::vector<double> exact = tensor.numbers();
    numbers.assign(exact.begin(), exact.end());
    parts.push_back(bytesOf(numbers.data(), numbers.size() * sizeof(float)));
  } else {
    parts.push_back(
        bytesOf(tensor.data(), static_cast<size_t>(tensor.bytes())));
  }
  return writeFile(path, parts);
}

} // namespace ring::rt
