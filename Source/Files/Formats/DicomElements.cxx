// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/DicomElements.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats/DicomScanner.h"
#include "BrickCCL/Files/HeaderText.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace brickccl::files::dicom
{

static bool
IsPixelTag(std::uint32_t tag)
{
  return tag == tags::Pixels.number || tag == tags::FloatPixels.number || tag == tags::DoublePixels.number;
}

const std::string Blanks(" \t\r\n\0", 5);

static double
ParseNumber(const std::string & value, const Tag & tag)
{
  const std::string text = Trimmed(value, Blanks);
  const char *      begin = text.data() + (text.size() > 1 && text[0] == '+' ? 1 : 0);
  double            number = 0;
  const auto        result = std::from_chars(begin, text.data() + text.size(), number);
  ThrowIf(result.ec != std::errc() || result.ptr != text.data() + text.size(),
          std::string(tag.keyword) + " is " + Quoted(text.substr(0, 40)) + ", which is not a number");
  return number;
}

DataSet::DataSet(const unsigned char * begin, const unsigned char * end, bool hasRepresentations, int depth)
  : m_HasRepresentations(hasRepresentations)
  , m_Depth(depth)
{
  Scanner scanner(begin, end, hasRepresentations);
  while (scanner.Left() > 0)
  {
    if (depth == 0 && std::all_of(scanner.At(), scanner.At() + std::min<std::size_t>(scanner.Left(), 8), [](auto byte) {
          return byte == 0;
        }))
    {
      break; // zeros that fill a block up
    }
    const ElementHeader header = scanner.Header();
    Element             element;
    element.tag = header.tag;
    std::memcpy(element.representation, header.representation, 2);
    element.undefinedLength = header.length == UndefinedLength;
    element.data = scanner.At();
    element.declaredSize = header.length;
    if (depth == 0 && IsPixelTag(header.tag))
    {
      element.size = element.undefinedLength ? scanner.Left() : std::min<std::size_t>(header.length, scanner.Left());
      m_Elements.push_back(element);
      break;
    }
    scanner.SkipValue(header, depth);
    element.size = static_cast<std::size_t>(scanner.At() - element.data);
    m_Elements.push_back(element);
  }
  const auto before = [](const Element & a, const Element & b) { return a.tag < b.tag; };
  if (!std::is_sorted(m_Elements.begin(), m_Elements.end(), before))
  {
    std::stable_sort(m_Elements.begin(), m_Elements.end(), before);
  }
}

const Element *
DataSet::Find(const Tag & tag) const
{
  const auto found =
    std::lower_bound(m_Elements.begin(),
                     m_Elements.end(),
                     tag.number,
                     [](const Element & element, std::uint32_t number) { return element.tag < number; });
  const bool isThere = found != m_Elements.end() && found->tag == tag.number;
  return isThere && (found->size > 0 || IsPixelTag(tag.number)) ? &*found : nullptr;
}

std::string
DataSet::Text(const Tag & tag) const
{
  const Element * const element = Find(tag);
  return element == nullptr
         ? ""
         : Trimmed(std::string(reinterpret_cast<const char *>(element->data), element->size), Blanks);
}

std::vector<double>
DataSet::Numbers(const Tag & tag) const
{
  std::vector<double>   numbers;
  const Element * const element = Find(tag);
  if (element == nullptr)
  {
    return numbers;
  }
  const bool        unknown = element->representation[0] == 0 || std::memcmp(element->representation, "UN", 2) == 0;
  const std::string representation = unknown ? tag.representation : std::string(element->representation, 2);
  const auto        values = [&](auto one) {
    using T = decltype(one);
    ThrowIf(element->size % sizeof(T) != 0,
            "the header is damaged: " + std::string(tag.keyword) + " has " + std::to_string(element->size) +
              " bytes, which is not a multiple of " + std::to_string(sizeof(T)));
    for (std::size_t i = 0; i < element->size; i += sizeof(T))
    {
      numbers.push_back(static_cast<double>(Load<T>(element->data + i)));
    }
  };
  if (representation == "DS" || representation == "IS")
  {
    const std::string text = Text(tag);
    for (std::size_t begin = 0, end = 0; end != std::string::npos && !text.empty(); begin = end + 1)
    {
      end = text.find('\\', begin);
      numbers.push_back(ParseNumber(text.substr(begin, end - begin), tag));
    }
  }
  else if (std::string("US SS UL SL FL FD").find(representation) == std::string::npos)
  {
    throw Error("the header is damaged: " + std::string(tag.keyword) + " has the value representation " +
                representation + ", which holds no numbers");
  }
  else
  {
    representation == "SS"   ? values(std::int16_t{})
    : representation == "UL" ? values(std::uint32_t{})
    : representation == "SL" ? values(std::int32_t{})
    : representation == "FL" ? values(float{})
    : representation == "FD" ? values(double{})
                             : values(std::uint16_t{});
  }
  return numbers;
}

bool
DataSet::FixedNumbers(const Tag & tag, std::size_t count, double * numbers) const
{
  const std::vector<double> found = Numbers(tag);
  if (found.empty())
  {
    return false;
  }
  const bool finite = std::all_of(found.begin(), found.end(), [](double number) { return std::isfinite(number); });
  ThrowIf(found.size() != count || !finite,
          std::string(tag.keyword) + " has " + Counted(found.size(), "value") +
            (finite ? "" : ", one of which is not finite") + "; it must have " + std::to_string(count));
  std::copy(found.begin(), found.end(), numbers);
  return true;
}

std::optional<double>
DataSet::Number(const Tag & tag) const
{
  const std::vector<double> numbers = Numbers(tag);
  if (numbers.empty())
  {
    return std::nullopt;
  }
  ThrowIf(std::adjacent_find(numbers.begin(), numbers.end(), std::not_equal_to<>()) != numbers.end(),
          std::string(tag.keyword) + " has " + std::to_string(numbers.size()) + " different values; it must have 1");
  ThrowIf(!std::isfinite(numbers[0]),
          std::string(tag.keyword) + " is " + Shortest(numbers[0]) + "; it must be a finite number");
  return numbers[0];
}

std::optional<std::int64_t>
DataSet::Whole(const Tag & tag) const
{
  const std::optional<double> number = Number(tag);
  if (!number)
  {
    return std::nullopt;
  }
  ThrowIf(*number != std::floor(*number) || std::fabs(*number) > 4294967295.0,
          std::string(tag.keyword) + " is " + Shortest(*number) + "; it must be a whole number of 32 bits");
  return static_cast<std::int64_t>(*number);
}

std::vector<DataSet>
DataSet::Items(const Tag & tag) const
{
  std::vector<DataSet>  items;
  const Element * const element = Find(tag);
  if (element == nullptr)
  {
    return items;
  }
  const bool hasRepresentations = m_HasRepresentations && std::memcmp(element->representation, "UN", 2) != 0;
  Scanner    scanner(element->data, element->data + element->size, hasRepresentations);
  while (scanner.Left() > 0)
  {
    const unsigned char * const begin = scanner.NextItem(m_Depth);
    if (begin == nullptr)
    {
      break;
    }
    items.emplace_back(begin, scanner.ItemEnd(), hasRepresentations, m_Depth + 1);
  }
  return items;
}

bool
HasPreamble(const FileBytes & file)
{
  return file.Size() >= 132 && std::memcmp(file.Data() + 128, "DICM", 4) == 0;
}

bool
BeginsLikeDataSet(const FileBytes & file)
{
  if (file.Size() < 16)
  {
    return false;
  }
  const unsigned char * const at = file.Data();
  const auto                  group = Load<std::uint16_t>(at);
  const auto                  element = Load<std::uint16_t>(at + 2);
  if (!(group == 2 && element <= 1) && !(group == 8 && element <= 0x18))
  {
    return false;
  }
  if (IsCapital(at[4]) && IsCapital(at[5]))
  {
    return HasShortLength(reinterpret_cast<const char *>(at + 4)) || std::memcmp(at + 4, "OB", 2) == 0;
  }
  // There is no value representation: the length must suit an element of this group.
  const auto length = Load<std::uint32_t>(at + 4);
  return group == 8 && length <= 64 && length % 2 == 0;
}

File::File(const FileBytes & mapped)
  : bytes(mapped)
{
  const unsigned char *       at = bytes.Data() + (HasPreamble(bytes) ? 132 : 0);
  const unsigned char * const end = bytes.Data() + bytes.Size();
  // Group 0002 is always in explicit little endian.
  const unsigned char * const meta = at;
  Scanner                     scanner(at, end, true);
  while (scanner.Left() >= 8 && Load<std::uint16_t>(scanner.At()) == 2)
  {
    const ElementHeader header = scanner.Header();
    scanner.SkipValue(header, 0);
    at = scanner.At();
  }
  transferSyntax = DataSet(meta, at, true, 1).Text(tags::TransferSyntax);
  const bool letters = end - at >= 8 && IsCapital(at[4]) && IsCapital(at[5]);
  if (transferSyntax == "1.2.840.10008.1.2")
  {
    hasRepresentations = false;
  }
  else if (transferSyntax == "1.2.840.10008.1.2.2" || transferSyntax == "1.2.840.10008.1.2.1.99")
  {
    throw Unsupported("it is big-endian or deflated as a whole (transfer syntax " + transferSyntax +
                      "), which is not supported; convert it, for example with 'dcmconv +te'");
  }
  else if (transferSyntax == "1.2.840.10008.1.2.4.95")
  {
    throw Unsupported("its pixels are stored elsewhere (transfer syntax " + transferSyntax +
                      ": it names a JPIP server); save it with its pixels");
  }
  else if (transferSyntax.empty())
  {
    hasRepresentations = letters;
    transferSyntax = letters ? "1.2.840.10008.1.2.1" : "1.2.840.10008.1.2";
  }
  data = DataSet(at, end, hasRepresentations);
  for (const Tag & tag : { tags::Pixels, tags::FloatPixels, tags::DoublePixels })
  {
    pixels = pixels == nullptr ? data.Find(tag) : pixels;
  }
}

} // namespace brickccl::files::dicom
