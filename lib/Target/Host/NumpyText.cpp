// SPDX-License-Identifier: Apache-2.0

#include "NumpyText.h"

namespace mlir::ring {

const char kNumpyFiles[] = R"cpp(/// Numbers in a shape, as files have them.
struct Array {
  std::vector<uint32_t> shape;
  std::vector<double> numbers;
};

std::string describe(const std::vector<uint32_t> &shape) {
  std::string text;
  for (uint32_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

/// The text behind `'name':` in the header of a NumPy file.
std::string headerField(const std::string &header, const std::string &name) {
  size_t at = header.find("'" + name + "':");
  if (at == std::string::npos)
    throw std::runtime_error("expects '" + name + "' in the header of a NumPy file");
  at = header.find_first_not_of(' ', at + name.size() + 3);
  size_t end = header[at] == '(' ? header.find(')', at) : header.find(',', at);
  return header.substr(at, end - at);
}

template <typename T>
void readNumbers(std::istream &file, std::vector<double> &numbers) {
  std::vector<T> read(numbers.size());
  file.read(reinterpret_cast<char *>(read.data()),
            static_cast<std::streamsize>(read.size() * sizeof(T)));
  std::copy(read.begin(), read.end(), numbers.begin());
}

Array readNpy(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  char magic[8] = {};
  file.read(magic, sizeof(magic));
  if (!file || std::string(magic, 6) != "\x93NUMPY")
    throw std::runtime_error("expects a NumPy file, but got '" + path + "'");
  uint32_t length = 0;
  file.read(reinterpret_cast<char *>(&length), magic[6] == 1 ? 2 : 4);
  std::string header(length, ' ');
  file.read(header.data(), length);
  if (headerField(header, "fortran_order") != "False")
    throw std::runtime_error("expects rows in order, but got columns in '" + path + "'");
  Array array;
  std::istringstream sizes(headerField(header, "shape").substr(1));
  size_t count = 1;
  for (std::string size; std::getline(sizes, size, ',');)
    if (size.find_first_not_of(' ') != std::string::npos) {
      array.shape.push_back(static_cast<uint32_t>(std::stoul(size)));
      count *= array.shape.back();
    }
  array.numbers.resize(count);
  std::string type = headerField(header, "descr");
  if (type == "'<f4'")
    readNumbers<float>(file, array.numbers);
  else if (type == "'<f8'")
    readNumbers<double>(file, array.numbers);
  else if (type == "'<i4'")
    readNumbers<int32_t>(file, array.numbers);
  else if (type == "'<u4'")
    readNumbers<uint32_t>(file, array.numbers);
  else if (type == "'<i8'")
    readNumbers<int64_t>(file, array.numbers);
  else
    throw std::runtime_error("expects numbers of 32 or 64 bits, but got " + type + " in '" + path + "'");
  if (!file)
    throw std::runtime_error("expects " + std::to_string(count) + " numbers in '" + path + "'");
  return array;
}

void writeNpy(const std::string &path, const Array &array) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (uint32_t size : array.shape)
    header += std::to_string(size) + ", ";
  header += "), }";
  header.resize((header.size() + 11 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  uint16_t length = static_cast<uint16_t>(header.size());
  file.write(reinterpret_cast<const char *>(&length), sizeof(length));
  file << header;
  std::vector<float> numbers(array.numbers.begin(), array.numbers.end());
  file.write(reinterpret_cast<const char *>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(float)));
  if (!file)
    throw std::runtime_error("cannot write '" + path + "'");
}
)cpp";

} // namespace mlir::ring
