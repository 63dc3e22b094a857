#include "BrickCCL/Cli/NumberOptions.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/LostNumber.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

namespace brickccl::cli
{

namespace
{

/** The number that the whole of a text stands for: decimal digits, "inf", "-inf" or "nan". Nothing if the text is no
 *  number, or one too large or too small for its type. */
std::optional<Number>
NumberOf(const std::string & text)
{
  const std::optional<Number> value = Number::FromText(text);
  const bool                  isOther = text.find_first_of("xX( \t\n\v\f\r") != std::string::npos;
  return value && !isOther && !IsLostNumber(text) ? value : std::nullopt;
}

/** "; write 0.5" for a number with a comma, and what there is to say of one that no double stands for; else nothing. */
std::string
HintOn(std::string text)
{
  if (IsLostNumber(text))
  {
    return HintOnLostNumber(text);
  }
  const auto comma = text.find(',');
  if (comma == std::string::npos)
  {
    return {};
  }
  text[comma] = '.';
  return NumberOf(text) ? "; write " + text : std::string();
}

/** Accepts numbers, finite as doubles, for which `fits` is true. The message calls all others "no " + `what`. */
template <typename TFits>
CLI::Validator
NumberThat(TFits fits, const std::string & what)
{
  return CLI::Validator(
    [fits, what](std::string & text) {
      const std::optional<Number> value = NumberOf(text);
      const bool                  isGood = value && std::isfinite(static_cast<double>(*value)) && fits(*value);
      return isGood ? std::string() : Quoted(text) + " is no " + what + HintOn(text);
    },
    "");
}

/** The number that an amount of memory begins with. */
std::string
NumberOfAmount(const std::string & text)
{
  return text.substr(0, text.find_first_not_of("+-.0123456789eE"));
}

/** The bytes that a text stands for: "4GiB", "500 MB", "1.5G" (as GiB), "2000000". Nothing if it stands for none. */
std::optional<std::uint64_t>
BytesOf(const std::string & text)
{
  constexpr double kibi = 1024;
  static const struct
  {
    const char * name;
    double       bytes;
  } units[] = { { "", 1 },
                { "b", 1 },
                { "kib", kibi },
                { "k", kibi },
                { "kb", 1e3 },
                { "mib", kibi * kibi },
                { "m", kibi * kibi },
                { "mb", 1e6 },
                { "gib", kibi * kibi * kibi },
                { "g", kibi * kibi * kibi },
                { "gb", 1e9 },
                { "tib", kibi * kibi * kibi * kibi },
                { "t", kibi * kibi * kibi * kibi },
                { "tb", 1e12 } };
  double      number = 0;
  const auto  result = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit;
  for (const char * letter = result.ptr; letter != text.data() + text.size(); ++letter)
  {
    if (*letter != ' ')
    {
      unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*letter)));
    }
  }
  for (const auto & known : units)
  {
    // A part of a byte is no amount; it would become 0, which may mean all memory.
    const double bytes = number * known.bytes;
    if (result.ec == std::errc() && !IsLostNumber(NumberOfAmount(text)) && unit == known.name &&
        (bytes == 0 ? !std::signbit(bytes) : bytes >= 1) && bytes < 9e18)
    {
      return static_cast<std::uint64_t>(bytes);
    }
  }
  return std::nullopt;
}

} // namespace

CLI::Validator
MemorySize(std::uint64_t minimum)
{
  return CLI::Validator(
    [minimum](std::string & text) {
      const std::optional<std::uint64_t> bytes = BytesOf(text);
      if (bytes && *bytes >= minimum)
      {
        text = std::to_string(*bytes);
        return std::string();
      }
      return Quoted(text) + " is no amount of memory; 4GiB, 500MB and 1.5G are" +
             (minimum == 0 ? ", and 0 for no limit" : "") + HintOnLostNumber(NumberOfAmount(text));
    },
    "");
}

CLI::Validator
Count(std::uint64_t minimum, std::uint64_t maximum)
{
  return CLI::Validator(
    [minimum, maximum](std::string & text) {
      std::uint64_t count = 0;
      const char *  end = text.data() + text.size();
      const auto    parsed = std::from_chars(text.data(), end, count);
      if (parsed.ec == std::errc() && parsed.ptr == end && count >= minimum && count <= maximum)
      {
        // No zeros stand in front, since another parser may read them as the mark of an octal number.
        text = std::to_string(count);
        return std::string();
      }
      return Quoted(text) + " is no whole number from " + std::to_string(minimum) + " to " + std::to_string(maximum) +
             ", written in digits alone";
    },
    "");
}

CLI::Validator
NeighbourCount()
{
  return CLI::Validator(
    [](std::string & text) {
      if (text == "faces" || text == "full")
      {
        text = std::to_string(text == "faces" ? FaceNeighbours : FullNeighbours);
        return std::string();
      }
      const std::string fault = Count(1, 1000)(text);
      return fault.empty() ? fault : fault + "; nor is it faces or full" + DidYouMean(text, { "faces", "full" });
    },
    "");
}

CLI::Validator
AnyNumber()
{
  return CLI::Validator(
    [](std::string & text) {
      return NumberOf(text) ? std::string() : Quoted(text) + " is no number, as -0.5 is, inf or -inf" + HintOn(text);
    },
    "");
}

CLI::Validator
NumberFromZero()
{
  return NumberThat([](Number value) { return value >= 0; }, "number of at least 0, for example 2.5");
}

CLI::Validator
NumberAboveZero()
{
  return NumberThat([](Number value) { return value > 0; }, "number above 0, for example 2.5");
}

CLI::Validator
NumberUpToOne()
{
  return NumberThat([](Number value) { return value >= 0 && value <= 1; }, "number from 0 to 1, for example 0.5");
}

Number
ParseNumber(const std::string & text, const std::string & option)
{
  const std::optional<Number> value = NumberOf(text);
  if (!value)
  {
    throw InvalidArgument(Quoted(text) + " for " + option + " is no number; give one, for example -0.5, inf or -inf" +
                          HintOn(text));
  }
  return *value;
}

} // namespace brickccl::cli
