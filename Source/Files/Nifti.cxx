// NIfTI-1 and NIfTI-2 (https://nifti.nimh.nih.gov), single files and pairs, and Analyze 7.5.

#include "BrickCCL/Files/Formats.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>

namespace brickccl::files
{

namespace fs = std::filesystem;

namespace
{

constexpr std::size_t SizeOfFirst = 348;
constexpr std::size_t SizeOfSecond = 540;

/** A header's bytes and how to read them. */
class HeaderBytes
{
public:
  explicit HeaderBytes(const unsigned char * bytes, std::size_t size)
    : m_Size(size)
  {
    std::memcpy(m_Bytes, bytes, std::min(size, sizeof(m_Bytes)));
    for (const bool swapped : { false, true })
    {
      m_Swapped = swapped;
      const auto length = At<std::int32_t>(0);
      m_IsSecond = length == static_cast<std::int32_t>(SizeOfSecond);
      if (m_IsSecond || length == static_cast<std::int32_t>(SizeOfFirst))
      {
        m_IsKnown = size >= (m_IsSecond ? SizeOfSecond : SizeOfFirst);
        return;
      }
    }
  }

  bool
  IsKnown() const
  {
    return m_IsKnown;
  }
  bool
  IsSecond() const
  {
    return m_IsSecond;
  }
  bool
  Swapped() const
  {
    return m_Swapped;
  }
  /** "n+1", "ni1", "n+2", "ni2", or nothing: Analyze. */
  std::string
  Magic() const
  {
    const char * const text = reinterpret_cast<const char *>(m_Bytes) + (m_IsSecond ? 4 : 344);
    const std::string  magic(text, 3);
    const bool         isKnown = text[3] == '\0' && (magic == "n+1" || magic == "ni1" || magic == "n+2" || magic == "ni2");
    return isKnown && (magic[2] == '2') == m_IsSecond ? magic : std::string();
  }

  template <typename T>
  T
  At(std::size_t place) const
  {
    unsigned char bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i)
    {
      bytes[i] = m_Bytes[place + (m_Swapped ? sizeof(T) - 1 - i : i)];
    }
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }
  /** A number that is a float in the first version and a double in the second. */
  double
  Real(std::size_t first, std::size_t second) const
  {
    return m_IsSecond ? At<double>(second) : double{ At<float>(first) };
  }
  std::int64_t
  Code(std::size_t first, std::size_t second) const
  {
    return m_IsSecond ? At<std::int32_t>(second) : At<std::int16_t>(first);
  }
  std::int64_t
  Size(int axis) const
  {
    const auto i = static_cast<std::size_t>(axis);
    return m_IsSecond ? At<std::int64_t>(16 + 8 * i) : At<std::int16_t>(40 + 2 * i);
  }
  double
  PixelSize(int axis) const
  {
    const auto i = static_cast<std::size_t>(axis);
    return Real(76 + 4 * i, 104 + 8 * i);
  }
  int
  Units() const
  {
    return m_IsSecond ? At<std::int32_t>(500) : m_Bytes[123];
  }

private:
  unsigned char m_Bytes[SizeOfSecond] = {};
  std::size_t   m_Size;
  bool          m_Swapped = false;
  bool          m_IsSecond = false;
  bool          m_IsKnown = false;
};

bool
IsGzipped(const FileBytes & file)
{
  return file.BeginsWith("\x1f\x8b", 2);
}

std::string
NameOfFile(const FileBytes & file)
{
  return "'" + fs::path(file.Path()).filename().string() + "'";
}

/** The first bytes of a file, decompressed where it is compressed. */
std::vector<unsigned char>
FirstBytes(const FileBytes & file, std::size_t count)
{
  std::vector<unsigned char> bytes(count);
  if (IsGzipped(file))
  {
    Inflater inflater(file.Data(), file.Size(), Wrapper::Gzip, NameOfFile(file));
    bytes.resize(inflater.ReadSome(bytes.data(), count));
  }
  else
  {
    bytes.resize(std::min(count, file.Size()));
    std::copy(file.Data(), file.Data() + bytes.size(), bytes.begin());
  }
  return bytes;
}

/** The path with another of the extensions of pairs: ".hdr" for ".img", with or without ".gz"; empty if neither is. */
std::string
Partner(const std::string & path, const std::string & extension)
{
  std::string stem = path;
  if (HasExtension(stem, ".gz"))
  {
    stem.resize(stem.size() - 3);
  }
  stem.resize(stem.size() - 4);
  // Names in capitals have partners in capitals.
  const bool  isUpper = path.find(".HDR", stem.size()) != std::string::npos || path.find(".IMG", stem.size()) != std::string::npos;
  std::string with = extension;
  for (char & letter : with)
  {
    letter = static_cast<char>(isUpper ? std::toupper(static_cast<unsigned char>(letter)) : letter);
  }
  for (const char * end : { "", ".gz" })
  {
    if (fs::exists(stem + with + end))
    {
      return stem + with + end;
    }
  }
  return {};
}

/** The spacing and the directions of a quaternion (method 2 of the standard), in its own system: right, anterior,
 *  superior. */
void
VectorsOfQuaternion(const HeaderBytes & header, double (&vectors)[3][4])
{
  const double b = header.Real(256, 352);
  const double c = header.Real(260, 360);
  const double d = header.Real(264, 368);
  const double squares = b * b + c * c + d * d;
  const double scale = squares > 1 ? 1 / std::sqrt(squares) : 1;
  const double x = b * scale;
  const double y = c * scale;
  const double z = d * scale;
  const double w = std::sqrt(std::max(0.0, 1 - (x * x + y * y + z * z)));
  const double rotation[3][3] = { { w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y) },
                                  { 2 * (x * y + w * z), w * w + y * y - x * x - z * z, 2 * (y * z - w * x) },
                                  { 2 * (x * z - w * y), 2 * (y * z + w * x), w * w + z * z - x * x - y * y } };
  const double factor = header.PixelSize(0) < 0 ? -1 : 1;
  for (int axis = 0; axis < 3; ++axis)
  {
    for (int row = 0; row < 3; ++row)
    {
      vectors[axis][row] = rotation[row][axis] * std::fabs(header.PixelSize(axis + 1)) * (axis == 2 ? factor : 1);
    }
    vectors[axis][3] = header.Real(268 + 4 * static_cast<std::size_t>(axis), 376 + 8 * static_cast<std::size_t>(axis));
  }
}

/** The rows of the affine matrix (method 3), as vectors of axes and the origin. */
void
VectorsOfMatrix(const HeaderBytes & header, double (&vectors)[3][4])
{
  for (std::size_t row = 0; row < 3; ++row)
  {
    for (std::size_t column = 0; column < 4; ++column)
    {
      const double value = header.Real(280 + 16 * row + 4 * column, 400 + 32 * row + 8 * column);
      (column == 3 ? vectors[row][3] : vectors[column][row]) = value;
    }
  }
}

double
LengthOf(const double (&vector)[4])
{
  return std::sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
}

/** Millimetres of the header's unit of length, and a note for a code that the standard does not have. */
double
UnitOf(const HeaderBytes & header, LoadedImage & image)
{
  switch (header.Units() & 7)
  {
  case 0:
  case 2:
    return 1;
  case 1:
    return 1000;
  case 3:
    return 1e-3;
  default:
    image.notes.push_back("its unit of length has the code " + std::to_string(header.Units() & 7) +
                          ", which the standard does not know; it is taken for mm");
    return 1;
  }
}

void
SetGeometry(const HeaderBytes & header, const ReadOptions & options, LoadedImage & image)
{
  const int    dimension = image.extent.dimension;
  const double unit = UnitOf(header, image);
  double       quaternion[3][4] = {};
  double       matrix[3][4] = {};
  const bool   hasQuaternion = !header.Magic().empty() && header.Code(252, 344) > 0;
  const bool   hasMatrix = !header.Magic().empty() && header.Code(254, 348) > 0;
  VectorsOfQuaternion(header, quaternion);
  VectorsOfMatrix(header, matrix);
  double         plain[3][4] = {};
  const double(*vectors)[4] = plain;
  std::string what = "pixdim";
  for (int axis = 0; axis < 3; ++axis)
  {
    // Method 1: no place in space is known; x and y of the file are taken as right and anterior by the standard.
    const double size = axis < dimension ? header.PixelSize(axis + 1) : 1;
    plain[axis][axis] = header.Magic().empty() ? (axis < 2 ? -1 : 1) * std::fabs(size) : std::fabs(size);
  }
  if (header.Magic().empty())
  {
    image.notes.push_back("Analyze files hold no place in space; their axes are taken as x, y, z and the origin as 0");
  }
  else if (hasMatrix)
  {
    vectors = matrix;
    what = "sform";
    std::string unlike;
    for (int axis = 0; axis < std::min(dimension, 3); ++axis)
    {
      const double length = LengthOf(matrix[axis]);
      const double size = std::fabs(header.PixelSize(axis + 1));
      if (!(std::fabs(length - size) <= 1e-3 * size))
      {
        unlike = "its sform has voxels of " + Shortest(length) + " along axis " + std::to_string(axis + 1) +
                 " but its pixdim says " + Shortest(size) + " (unscaled)";
        break;
      }
    }
    if (!unlike.empty() && !options.acceptSheared)
    {
      throw Error(unlike + "; correct the header, or go on with the sform by --accept-sheared");
    }
    if (!unlike.empty())
    {
      image.notes.push_back(unlike + "; the sform is used");
    }
    double farthest = 0;
    for (int corner = 0; corner < 8 && hasQuaternion; ++corner)
    {
      for (int row = 0; row < 3; ++row)
      {
        double apart = matrix[row][3] - quaternion[row][3];
        for (int axis = 0; axis < 3; ++axis)
        {
          const auto place = (corner >> axis & 1) * static_cast<double>(image.extent.size[axis] - 1);
          apart += (matrix[axis][row] - quaternion[axis][row]) * place;
        }
        farthest = std::max(farthest, std::fabs(apart));
      }
    }
    if (farthest * unit > 1e-2 * LengthOf(matrix[0]) * unit)
    {
      image.notes.push_back("its sform and qform place it up to " + Shortest(std::round(farthest * unit * 1e3) / 1e3) +
                            " mm apart; the sform is used");
    }
  }
  else if (hasQuaternion)
  {
    vectors = quaternion;
    what = "qform";
  }
  double settled[MaximumDimension][MaximumDimension] = {};
  // Left and posterior count as positive here.
  constexpr double signs[3] = { -1, -1, 1 };
  const int        spatial = std::min(dimension, 3);
  for (int axis = 0; axis < spatial; ++axis)
  {
    for (int row = 0; row < spatial; ++row)
    {
      settled[axis][row] = vectors[axis][row] * signs[row] * unit + 0.0;
    }
    image.geometry.origin[axis] = vectors[axis][3] * signs[axis] * unit + 0.0;
  }
  if (dimension > 3)
  {
    const double step = std::fabs(header.PixelSize(4));
    settled[3][3] = step > 0 && std::isfinite(step) ? step : 1;
    const double offset = header.Real(136, 216);
    image.geometry.origin[3] = std::isfinite(offset) && !header.Magic().empty() ? offset : 0;
  }
  for (int axis = 0; axis < spatial; ++axis)
  {
    // A slice that lies at an angle keeps its spacing alone.
    double length = 0;
    for (int row = 0; row < 3; ++row)
    {
      length += vectors[axis][row] * vectors[axis][row];
    }
    double within = 0;
    for (int row = 0; row < spatial; ++row)
    {
      within += vectors[axis][row] * vectors[axis][row];
    }
    if (spatial < 3 && std::fabs(length - within) > 1e-8 * length)
    {
      image.notes.push_back("its slice lies at an angle in space; its place there is left out");
      for (int each = 0; each < spatial; ++each)
      {
        std::fill(settled[each], settled[each] + MaximumDimension, 0.0);
        settled[each][each] = LengthOf(vectors[each]) * unit;
      }
      break;
    }
  }
  SettleAxes(settled, what, options, image);
}

struct Stored
{
  ScalarType type;
  int        channels;
  bool       hasAlpha;
};

Stored
StoredOf(std::int64_t code)
{
  switch (code)
  {
  case 2:
    return { ScalarType::UInt8, 1, false };
  case 4:
    return { ScalarType::Int16, 1, false };
  case 8:
    return { ScalarType::Int32, 1, false };
  case 16:
    return { ScalarType::Float32, 1, false };
  case 64:
    return { ScalarType::Float64, 1, false };
  case 128:
    return { ScalarType::UInt8, 3, false };
  case 256:
    return { ScalarType::Int8, 1, false };
  case 512:
    return { ScalarType::UInt16, 1, false };
  case 768:
    return { ScalarType::UInt32, 1, false };
  case 1024:
    return { ScalarType::Int64, 1, false };
  case 1280:
    return { ScalarType::UInt64, 1, false };
  case 2304:
    return { ScalarType::UInt8, 4, true };
  case 32:
  case 1792:
  case 2048:
    throw Unsupported("complex voxels are not supported; give their magnitude instead");
  default:
    throw Unsupported("its voxels are of the type with the code " + std::to_string(code) +
                      "; integers of 8 to 64 bits, float, double and RGB are read");
  }
}

std::int64_t
CodeOf(ScalarType type)
{
  constexpr std::int64_t codes[] = { 2, 4, 8, 16, 64, 256, 512, 768, 1024, 1280 };
  return *std::find_if(
    std::begin(codes), std::end(codes), [&](std::int64_t code) { return StoredOf(code).type == type; });
}

/** Where the voxels begin in their file. */
std::uint64_t
OffsetOf(const HeaderBytes & header, bool isSingle)
{
  const double offset =
    header.IsSecond() ? static_cast<double>(header.At<std::int64_t>(168)) : double{ header.At<float>(108) };
  if (!(offset >= 0) || offset > 4e15 || offset != std::floor(offset))
  {
    throw Error("its voxels begin at byte " + Shortest(offset) + " (vox_offset), which is no place in a file");
  }
  const double least = isSingle ? (header.IsSecond() ? 544.0 : 352.0) : 0.0;
  if (offset < least && offset != 0)
  {
    throw Error("its voxels begin at byte " + Shortest(offset) + " (vox_offset), within the header; " +
                Shortest(least) + " is the least");
  }
  return static_cast<std::uint64_t>(std::max(offset, least));
}

} // namespace

bool
IsNifti(const FileBytes & file)
{
  if (HasExtension(file.Path(), ".img .img.gz") && !Partner(file.Path(), ".hdr").empty())
  {
    return true;
  }
  // Other compressed files are not looked into: a NRRD's data, say.
  if (IsGzipped(file) && !HasExtension(file.Path(), ".nii.gz .hdr.gz .nii .hdr .gz"))
  {
    return false;
  }
  try
  {
    const auto        bytes = FirstBytes(file, SizeOfSecond);
    const HeaderBytes header(bytes.data(), bytes.size());
    return header.IsKnown() && (!header.Magic().empty() || HasExtension(file.Path(), ".hdr .hdr.gz"));
  }
  catch (const Error &)
  {
    // The reader tells what is wrong with the compressed data.
    return HasExtension(file.Path(), ".nii.gz .hdr.gz");
  }
}

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

LoadedImage
ReadNifti(const FileBytes & file, const ReadOptions & options)
{
  const HostContext context{ options.threads };
  const FileBytes   headerFile =
    HasExtension(file.Path(), ".img .img.gz") ? FileBytes::Map(Partner(file.Path(), ".hdr")) : file;
  const auto        bytes = FirstBytes(headerFile, SizeOfSecond);
  const HeaderBytes header(bytes.data(), bytes.size());
  const std::string magic = header.Magic();
  if (!header.IsKnown())
  {
    throw Error(bytes.size() < SizeOfFirst ? "its header is truncated" : "its header is none of NIfTI or Analyze");
  }
  const bool isSingle = !magic.empty() && magic[1] == '+';
  FileBytes  data = file;
  if (!isSingle)
  {
    const std::string path =
      HasExtension(file.Path(), ".img .img.gz") ? file.Path()
      : HasExtension(file.Path(), ".hdr .hdr.gz") ? Partner(file.Path(), ".img")
                                                  : std::string();
    if (path.empty())
    {
      throw Error("there is no file with its voxels beside the header: '" +
                  fs::path(file.Path()).stem().string() + ".img' or '.img.gz'");
    }
    data = FileBytes::Map(path);
  }
  LoadedImage  image;
  image.files = { headerFile.Path(), data.Path() };
  const auto   dimension = header.Size(0);
  const Stored stored = StoredOf(header.At<std::int16_t>(header.IsSecond() ? 12 : 70));
  if (dimension < 1 || dimension > 7)
  {
    throw Error("it has " + std::to_string(dimension) + " dimensions (dim[0]); 1 to 7 are possible");
  }
  std::vector<std::int64_t> sizes;
  for (int axis = 1; axis <= dimension; ++axis)
  {
    sizes.push_back(header.Size(axis));
  }
  image.type = stored.type;
  image.channels = stored.channels;
  // The fifth axis holds the numbers of a vector.
  const bool isVector = sizes.size() == 5 && sizes[4] > 1 && stored.channels == 1;
  if (isVector)
  {
    if (sizes[4] > 1000000)
    {
      throw Error("it has " + std::to_string(sizes[4]) + " channels (dim[5])");
    }
    image.channels = static_cast<int>(sizes[4]);
    sizes.pop_back();
  }
  image.extent = SettleExtent(sizes);
  SetGeometry(header, options, image);

  const std::uint64_t offset = OffsetOf(header, isSingle);
  const std::size_t   size = SizeOf(image.type);
  const bool          swapped = header.Swapped() && size > 1;
  if (IsGzipped(data))
  {
    std::byte * const output = MakeRoom(data.Size(), MostInflated(1), image);
    Inflater          inflater(data.Data(), data.Size(), Wrapper::Gzip, NameOfFile(data));
    std::vector<char> skipped(4096);
    for (std::uint64_t left = offset; left > 0;)
    {
      const auto part = std::min<std::uint64_t>(left, skipped.size());
      inflater.Read(skipped.data(), static_cast<std::size_t>(part));
      left -= part;
    }
    inflater.Read(output, image.ByteCount());
    inflater.Finish();
    if (swapped)
    {
      SwapBytes(output, size, image.ByteCount() / size, context);
    }
  }
  else
  {
    TakeStored(data, offset, swapped, context, image);
    const std::uint64_t end = offset + image.ByteCount();
    if (data.Size() > end)
    {
      image.notes.push_back("after the voxels come " + std::to_string(data.Size() - end) +
                            " bytes that its header does not tell of");
    }
  }
  if (isVector)
  {
    InterleaveChannels(image, context);
  }
  if (stored.hasAlpha)
  {
    DropAlpha(image, context);
  }
  // In Analyze files SPM keeps its factor in the same place.
  Scaling scaling{ header.Real(112, 176), magic.empty() ? 0 : header.Real(116, 184) };
  if (stored.channels == 1 && scaling.slope != 0 && !(std::isnan(scaling.slope) && std::isnan(scaling.intercept)))
  {
    RescaleImage(scaling, magic.empty() ? "SPM's factor" : "scl_slope and scl_inter", context, image);
  }
  return image;
}

namespace
{

/** A header in the making. */
class HeaderToWrite
{
public:
  explicit HeaderToWrite(bool isSecond)
    : m_Bytes(isSecond ? SizeOfSecond : SizeOfFirst, 0)
    , m_IsSecond(isSecond)
  {}

  template <typename T>
  void
  Put(std::size_t place, T value)
  {
    std::memcpy(m_Bytes.data() + place, &value, sizeof(T));
  }
  void
  PutReal(std::size_t first, std::size_t second, double value)
  {
    m_IsSecond ? Put(second, value) : Put(first, static_cast<float>(value));
  }
  void
  PutCode(std::size_t first, std::size_t second, std::int64_t value)
  {
    m_IsSecond ? Put(second, static_cast<std::int32_t>(value)) : Put(first, static_cast<std::int16_t>(value));
  }
  const std::vector<unsigned char> &
  Bytes() const
  {
    return m_Bytes;
  }

private:
  std::vector<unsigned char> m_Bytes;
  bool                       m_IsSecond;
};

/** The quaternion of a rotation: of the four ways to find it, the one with the largest divisor. */
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
  HeaderToWrite     header(isSecond);
  const int         dimension = image.extent.dimension;
  const Geometry &  geometry = image.geometry;
  const std::size_t offset = isPair ? 0 : isSecond ? 544 : 352;
  const char        magic[4] = { 'n', isPair ? 'i' : '+', isSecond ? '2' : '1', 0 };
  header.Put(0, static_cast<std::int32_t>(isSecond ? SizeOfSecond : SizeOfFirst));
  std::memcpy(const_cast<unsigned char *>(header.Bytes().data()) + (isSecond ? 4 : 344), magic, 4);
  if (isSecond)
  {
    const unsigned char check[4] = { 0x0d, 0x0a, 0x1a, 0x0a };
    std::memcpy(const_cast<unsigned char *>(header.Bytes().data()) + 8, check, 4);
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

  // In its own system right and anterior count as positive.
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
WriteNifti(const std::string &  path,
           const ImageToWrite & image,
           const WriteOptions & options)
{
  std::vector<std::string> notes;
  // The first version counts voxels along an axis in 16 bits.
  const bool isSecond = *std::max_element(image.extent.size, image.extent.size + MaximumDimension) > 32767;
  if (isSecond)
  {
    notes.push_back("it has more than 32767 voxels along an axis and is a NIfTI-2 file, which not every reader knows");
  }
  const bool isPair = HasExtension(path, ".hdr .img .hdr.gz .img.gz");
  const bool isGzipped = HasExtension(path, ".gz");
  const auto header = HeaderOf(image, isSecond, isPair).Bytes();
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
    // A member of its own for the header would be legal, but some readers stop after the first.
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
