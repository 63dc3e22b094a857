// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/Formats/NiftiHeader.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace brickccl::files
{

using namespace nifti;

namespace
{

struct HeaderToWrite
{
  bool                       isSecond;
  std::vector<unsigned char> bytes = std::vector<unsigned char>(isSecond ? SizeOfSecond : SizeOfFirst, 0);

  template <typename T>
  void
  Put(std::size_t place, T value)
  {
    std::memcpy(bytes.data() + place, &value, sizeof(T));
  }
  void
  PutReal(std::size_t first, std::size_t second, double value)
  {
    isSecond ? Put(second, value) : Put(first, static_cast<float>(value));
  }
  void
  PutCode(std::size_t first, std::size_t second, std::int64_t value)
  {
    isSecond ? Put(second, static_cast<std::int32_t>(value)) : Put(first, static_cast<std::int16_t>(value));
  }
};

/** The quaternion of a rotation. It uses the formula with the largest divisor. */
void
QuaternionOf(const double (&r)[3][3], double (&quaternion)[3])
{
  const double trace = r[0][0] + r[1][1] + r[2][2];
  double       w;
  double       x;
  double       y;
  double       z;
  if (trace > 0)
  {
    w = std::sqrt(1 + trace) / 2;
    x = (r[2][1] - r[1][2]) / (4 * w);
    y = (r[0][2] - r[2][0]) / (4 * w);
    z = (r[1][0] - r[0][1]) / (4 * w);
  }
  else
  {
    const int    i = r[0][0] >= r[1][1] && r[0][0] >= r[2][2] ? 0 : r[1][1] >= r[2][2] ? 1 : 2;
    const int    j = (i + 1) % 3;
    const int    k = (i + 2) % 3;
    double       v[3];
    const double root = std::sqrt(std::max(0.0, 1 + r[i][i] - r[j][j] - r[k][k]));
    v[i] = root / 2;
    v[j] = (r[j][i] + r[i][j]) / (2 * root);
    v[k] = (r[k][i] + r[i][k]) / (2 * root);
    w = (r[k][j] - r[j][k]) / (2 * root);
    x = v[0];
    y = v[1];
    z = v[2];
  }
  const double sign = w < 0 ? -1 : 1;
  quaternion[0] = sign * x;
  quaternion[1] = sign * y;
  quaternion[2] = sign * z;
}

HeaderToWrite
HeaderOf(const ImageToWrite & image, bool isSecond, bool isPair)
{
  HeaderToWrite     header{ isSecond };
  const int         dimension = image.extent.dimension;
  const Geometry &  geometry = image.geometry;
  const std::size_t offset = isPair ? 0 : isSecond ? 544 : 352;
  const char        magic[4] = { 'n', isPair ? 'i' : '+', isSecond ? '2' : '1', 0 };
  header.Put(0, static_cast<std::int32_t>(isSecond ? SizeOfSecond : SizeOfFirst));
  std::memcpy(header.bytes.data() + (isSecond ? 4 : 344), magic, 4);
  if (isSecond)
  {
    const unsigned char check[4] = { 0x0d, 0x0a, 0x1a, 0x0a };
    std::memcpy(header.bytes.data() + 8, check, 4);
    header.Put(168, static_cast<std::int64_t>(offset));
    header.Put(500, std::int32_t{ 2 | 8 });
  }
  else
  {
    header.Put(38, 'r');
    header.Put(108, static_cast<float>(offset));
    header.Put(123, static_cast<unsigned char>(2 | 8));
  }
  header.Put(isSecond ? 12 : 70, static_cast<std::int16_t>(CodeOf(image.type)));
  header.Put(isSecond ? 14 : 72, static_cast<std::int16_t>(8 * SizeOf(image.type)));
  for (int axis = 0; axis < 8; ++axis)
  {
    const std::int64_t size = axis == 0 ? dimension : axis <= dimension ? image.extent.size[axis - 1] : 1;
    const auto         i = static_cast<std::size_t>(axis);
    isSecond ? header.Put(16 + 8 * i, size) : header.Put(40 + 2 * i, static_cast<std::int16_t>(size));
    header.PutReal(76 + 4 * i, 104 + 8 * i, axis >= 1 && axis <= dimension ? geometry.spacing[axis - 1] : 1);
  }
  header.PutReal(112, 176, 1);
  header.PutReal(136, 216, dimension > 3 ? geometry.origin[3] : 0);

  // Right and anterior are positive in the standard's own system.
  constexpr double signs[3] = { -1, -1, 1 };
  const int        spatial = std::min(dimension, 3);
  double           rotation[3][3] = { { -1, 0, 0 }, { 0, -1, 0 }, { 0, 0, 1 } };
  for (int row = 0; row < spatial; ++row)
  {
    for (int axis = 0; axis < spatial; ++axis)
    {
      rotation[row][axis] = geometry.direction[row][axis] * signs[row];
    }
  }
  for (int row = 0; row < 3; ++row)
  {
    for (int axis = 0; axis < 3; ++axis)
    {
      const double spacing = axis < spatial ? geometry.spacing[axis] : 1;
      header.PutReal(280 + 16 * static_cast<std::size_t>(row) + 4 * static_cast<std::size_t>(axis),
                     400 + 32 * static_cast<std::size_t>(row) + 8 * static_cast<std::size_t>(axis),
                     rotation[row][axis] * spacing + 0.0);
    }
    const double place = row < spatial ? geometry.origin[row] * signs[row] + 0.0 : 0;
    header.PutReal(292 + 16 * static_cast<std::size_t>(row), 424 + 32 * static_cast<std::size_t>(row), place);
    header.PutReal(268 + 4 * static_cast<std::size_t>(row), 376 + 8 * static_cast<std::size_t>(row), place);
  }
  const double determinant = rotation[0][0] * (rotation[1][1] * rotation[2][2] - rotation[1][2] * rotation[2][1]) -
                             rotation[0][1] * (rotation[1][0] * rotation[2][2] - rotation[1][2] * rotation[2][0]) +
                             rotation[0][2] * (rotation[1][0] * rotation[2][1] - rotation[1][1] * rotation[2][0]);
  for (int row = 0; row < 3 && determinant < 0; ++row)
  {
    rotation[row][2] = -rotation[row][2];
  }
  header.PutReal(76, 104, determinant < 0 ? -1 : 1);
  double quaternion[3];
  QuaternionOf(rotation, quaternion);
  for (std::size_t i = 0; i < 3; ++i)
  {
    header.PutReal(256 + 4 * i, 352 + 8 * i, quaternion[i]);
  }
  header.PutCode(252, 344, 1);
  header.PutCode(254, 348, 1);
  return header;
}

} // namespace

std::vector<std::string>
FilesBesideNifti(const std::string & path)
{
  if (!HasExtension(path, ".hdr .img .hdr.gz .img.gz"))
  {
    return {};
  }
  const bool        isGzipped = HasExtension(path, ".gz");
  const std::string stem = path.substr(0, path.size() - (isGzipped ? 7 : 4));
  return { stem + (HasExtension(path, ".hdr .hdr.gz") ? ".img" : ".hdr") + (isGzipped ? ".gz" : "") };
}

std::vector<std::string>
WriteNifti(const std::string & path, const ImageToWrite & image, const WriteOptions & options)
{
  std::vector<std::string> notes;
  // The first version counts voxels along an axis in 16 bits.
  const bool isSecond = *std::max_element(image.extent.size, image.extent.size + MaximumDimension) > 32767;
  if (isSecond)
  {
    notes.push_back("an axis has more than 32767 voxels, so it is a NIfTI-2 file, which some programs cannot read");
  }
  const bool isPair = HasExtension(path, ".hdr .img .hdr.gz .img.gz");
  const bool isGzipped = HasExtension(path, ".gz");
  const auto header = HeaderOf(image, isSecond, isPair).bytes;
  const auto wrapper = WrapperIf(isGzipped, Wrapper::Gzip);
  const auto writeHeader = [&](OutputFile & file) {
    // No extensions follow the header.
    const unsigned char none[4] = {};
    file.Write(header.data(), header.size());
    file.Write(none, isPair ? 0 : sizeof(none));
  };
  if (isPair)
  {
    const std::string stem = path.substr(0, path.size() - (isGzipped ? 7 : 4));
    const std::string end = isGzipped ? ".gz" : "";
    OutputFile        headerFile(stem + ".hdr" + end);
    if (isGzipped)
    {
      WriteCompressed(headerFile, header, Wrapper::Gzip);
    }
    else
    {
      writeHeader(headerFile);
    }
    headerFile.Close();
    OutputFile voxels(stem + ".img" + end);
    WriteVoxels(voxels, image, wrapper, options.context);
    voxels.Close();
    return notes;
  }
  OutputFile file(path);
  if (isGzipped)
  {
    // The header could legally be a member of its own, but some readers stop after the first member.
    auto first = header;
    first.resize(header.size() + 4, 0);
    WriteVoxels(file, image, wrapper, options.context, first);
  }
  else
  {
    writeHeader(file);
    WriteVoxels(file, image, wrapper, options.context);
  }
  file.Close();
  return notes;
}

} // namespace brickccl::files
