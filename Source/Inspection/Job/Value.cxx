// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Job/Value.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Core/LostNumber.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Segmenting/Threshold.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace brickccl::job
{

constexpr int MaximumAxes = 4;

static std::pair<std::string, std::string>
NumberAndUnit(const std::string & text)
{
  const std::size_t end = std::min(text.find_first_not_of("+-.0123456789eE"), text.size());
  const std::size_t unit = std::min(text.find_first_not_of(' ', end), text.size());
  return { text.substr(0, end), text.substr(unit) };
}

/** 3 for "cm3" and "cm^3", 2 for "cm2", 1 for "cm", which the name becomes. */
static int
TakePower(std::string & name)
{
  const int power = name.empty() || (name.back() != '3' && name.back() != '2') ? 1 : name.back() - '0';
  name.resize(name.size() - (power > 1 ? 1 : 0));
  name.resize(name.size() - (power > 1 && !name.empty() && name.back() == '^' ? 1 : 0));
  return power;
}

/** How many mm, mm2 or mm3 a unit is; nothing for one that does not measure the same. */
static std::optional<double>
SizeOfUnit(std::string name, const std::string & unit)
{
  const int    power = TakePower(name);
  const bool   isRight = power == 1 ? unit == "mm" : unit.find("mm" + std::to_string(power)) != std::string::npos;
  const double length = files::Millimeters(name);
  return length == 0 || !isRight ? std::nullopt
                                 : std::optional(length * (power > 1 ? length : 1) * (power > 2 ? length : 1));
}

static std::optional<Number>
NumberFor(const Form & form, const std::string & text)
{
  const auto [number, unit] = NumberAndUnit(text);
  if (form.unit.empty() || unit.empty() || number.empty())
  {
    return NumberOf(text);
  }
  const auto value = NumberOf(number);
  const auto size = SizeOfUnit(unit, form.unit);
  return value && size ? std::optional<Number>(value->Nearest() * *size) : std::nullopt;
}

static std::optional<std::uint64_t>
BytesOf(const std::string & text)
{
  const auto [number, given] = NumberAndUnit(text);
  const std::string unit = InSmallLetters(given);
  const std::string letters = "kmgt";
  const std::size_t power = unit.empty() ? std::string::npos : letters.find(unit[0]);
  const std::string rest = power == std::string::npos ? unit : unit.substr(1);
  const bool        isUnit =
    power == std::string::npos ? unit.empty() || unit == "b" : rest.empty() || rest == "b" || rest == "ib";
  const double bytes = power == std::string::npos ? 1 : std::pow(rest == "b" ? 1000 : 1024, power + 1);
  const auto   count = NumberOf(number);
  const double all = count && isUnit ? count->Nearest() * bytes : -1;
  // A part of a byte is not an amount; it would become 0, which may mean all memory.
  return (all >= 1 || (all == 0 && !std::signbit(all))) && all < 9e18
         ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(all))
         : std::nullopt;
}

/** The whole number of a text that has only digits: no sign, no 1e3, no 0x10. */
static std::optional<std::uint64_t>
CountOf(const std::string & text)
{
  std::uint64_t count = 0;
  const auto    parsed = std::from_chars(text.data(), text.data() + text.size(), count);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? std::optional(count) : std::nullopt;
}

static std::optional<std::uint64_t>
NeighborsOf(const std::string & text)
{
  static const std::vector<std::uint64_t> known = { 2, 4, 6, 8, 18, 26, 32, 64, 80 };
  const auto                              count = CountOf(text);
  return count && std::find(known.begin(), known.end(), *count) != known.end() ? count : std::nullopt;
}

template <typename T, typename TValue>
static void
PutInto(T & place, const TValue & value)
{
  if constexpr (std::is_same_v<T, std::string> && std::is_arithmetic_v<TValue>)
  {
    place = std::to_string(value);
  }
  else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<TValue, std::string>)
  {
    place = static_cast<T>(value);
  }
  else if constexpr (std::is_assignable_v<T &, TValue>)
  {
    place = value;
  }
}

template <typename TValue>
static void
Put(const TValue & value, Slot slot)
{
  std::visit([&](auto * place) { PutInto(*place, value); }, slot);
}

static ValueFault
SetNumbers(const Form & form, const std::vector<std::string> & texts, Slot slot)
{
  std::vector<Number> numbers;
  std::string         all;
  for (const std::string & text : texts)
  {
    const auto number = NumberFor(form, text);
    const bool isSize = form.kind == Kind::Range || (number && *number > 0 && std::isfinite(number->Nearest()));
    if (!number || std::isnan(number->Nearest()) || !isSize)
    {
      return { text, RightValue(form) + HintOnNumber(text) };
    }
    numbers.push_back(*number);
    all += (all.empty() ? "" : " ") + text;
  }
  if (form.kind == Kind::Range)
  {
    if (numbers.size() != 2 || numbers[0] > numbers[1])
    {
      return { all, RightValue(form) };
    }
    *std::get<std::optional<Criterion::Range> *>(slot) = Criterion::Range{ numbers[0], numbers[1] };
    return {};
  }
  if (numbers.empty() || numbers.size() > MaximumAxes)
  {
    return { all, RightValue(form) };
  }
  auto & spacing = *std::get<std::vector<double> *>(slot);
  spacing.clear();
  std::transform(numbers.begin(), numbers.end(), std::back_inserter(spacing), [](const Number & number) {
    return static_cast<double>(number);
  });
  return {};
}

/** The text with the first length behind a name in mm: "gaussian:500um" is "gaussian:0.5". */
static std::string
WithMillimeters(const std::string & text)
{
  const std::size_t begin = text.find(':') + 1;
  const std::size_t end = std::min(text.size(), text.find(':', begin));
  const std::string name = text.substr(0, begin);
  double            length = 0;
  const bool        hasLength =
    (name == "gaussian:" || name == "bilateral:" || name == "local:") &&
    !SetValue({ Kind::Above, -Finite, Finite, "mm" }, { text.substr(begin, end - begin) }, &length);
  return hasLength ? name + Shortest(length) + text.substr(end) : text;
}

static ValueFault
SetText(const Form & form, const std::string & text, Slot slot)
{
  std::string right;
  if (form.kind == Kind::Choice && std::find(form.choices.begin(), form.choices.end(), text) == form.choices.end())
  {
    right = RightValue(form) + DidYouMean(text, form.choices);
  }
  else if (form.check != nullptr)
  {
    right = form.check(text);
  }
  else if (form.kind == Kind::Threshold)
  {
    ThresholdMethod::FromText(WithMillimeters(text));
  }
  if (right.empty())
  {
    Put(form.kind == Kind::Threshold ? WithMillimeters(text) : text, slot);
  }
  return { text, right };
}

std::optional<Number>
NumberOf(const std::string & text)
{
  const std::optional<Number> value = Number::FromText(text);
  const bool                  isOther = text.find_first_of("xX( \t\n\v\f\r") != std::string::npos;
  return value && !isOther && !IsLostNumber(text) ? value : std::nullopt;
}

std::string
HintOnNumber(std::string text)
{
  if (const std::string number = NumberAndUnit(text).first; IsLostNumber(number))
  {
    return HintOnLostNumber(number);
  }
  const auto comma = text.find(',');
  if (comma == std::string::npos)
  {
    return {};
  }
  text[comma] = '.';
  return NumberOf(text) ? "; write " + text : std::string();
}

std::string
RightValue(const Form & form)
{
  const auto textOf = [&](double bound) {
    return form.kind == Kind::Whole ? std::to_string(static_cast<std::int64_t>(bound)) : Shortest(bound);
  };
  const std::string bounds = form.minimum <= -Finite ? ""
                           : form.maximum >= Finite  ? " of at least " + textOf(form.minimum)
                                                     : " from " + textOf(form.minimum) + " to " + textOf(form.maximum);
  const std::string unit = form.unit.substr(0, form.unit.find(' '));
  const std::string quantity =
    unit.empty() ? ""
                 : " (" + unit + ", or with a unit, such as \"" + (unit == "mm" ? "500 um" : "0.02 " + unit) + "\")";
  switch (form.kind)
  {
  case Kind::Flag:
    return "true or false, without quotes";
  case Kind::Whole:
    return form.minimum == form.maximum ? textOf(form.minimum) : "a whole number" + bounds + ", in digits";
  case Kind::Number:
    return "a number" + bounds + quantity;
  case Kind::Above:
    return "a number above 0" + quantity;
  case Kind::Range:
    return "two numbers with the lower one first (inf and -inf are numbers)";
  case Kind::Spacing:
    return "up to 4 numbers above 0: mm along x, y, z, or lengths such as \"500 um\"";
  case Kind::Choice:
    return "one of " + Joined(form.choices, ", ");
  case Kind::Threshold:
    return form.check != nullptr ? form.check("") : "a number, such as 1200, or a method that finds one, such as otsu";
  case Kind::Neighbors:
    return "a number of neighbors (4 or 8 in slices, 6, 18 or 26 in volumes, 8, 32, 64 or 80 in 4-D), faces or full";
  case Kind::Memory:
    return "an amount of memory, such as 4GiB, 500MB or 1.5G";
  case Kind::Columns:
    return "a list of names in quotes: [\"shape\", \"surface\"]";
  default:
    return "a text in quotes";
  }
}

ValueFault
SetValue(const Form & form, const std::vector<std::string> & texts, Slot slot)
{
  const std::string text = texts.empty() ? "" : texts.front();
  const auto        refused = [&] { return ValueFault{ text, RightValue(form) + HintOnNumber(text) }; };
  switch (form.kind)
  {
  case Kind::Flag:
    *std::get<bool *>(slot) = text == "true";
    return {};
  case Kind::Whole:
  case Kind::Memory:
  {
    const auto count = form.kind == Kind::Whole ? CountOf(text) : BytesOf(text);
    if (!count || static_cast<double>(*count) < form.minimum || static_cast<double>(*count) > form.maximum)
    {
      return refused();
    }
    Put(*count, slot);
    return {};
  }
  case Kind::Neighbors:
  {
    const auto count = NeighborsOf(text);
    if (!count && text != "faces" && text != "full")
    {
      return { text, RightValue(form) + DidYouMean(text, { "faces", "full" }) };
    }
    Put(count ? static_cast<int>(*count) : text == "full" ? FullNeighbors : FaceNeighbors, slot);
    return {};
  }
  case Kind::Number:
  case Kind::Above:
  {
    const auto number = NumberFor(form, text);
    const auto value = number ? static_cast<double>(*number) : std::nan("");
    const bool isAbove = form.kind != Kind::Above || value > 0;
    if (!(value >= form.minimum && value <= form.maximum && isAbove))
    {
      return refused();
    }
    if (auto ** const amount = std::get_if<Amount *>(&slot))
    {
      std::string unit = NumberAndUnit(text).second;
      const int   power = TakePower(unit);
      **amount = { value, power > 1 ? power : 0 };
    }
    Put(*number, slot);
    return {};
  }
  case Kind::Range:
  case Kind::Spacing:
    return SetNumbers(form, texts, slot);
  default:
    return SetText(form, text, slot);
  }
}

double
SizeFor(const Connectivity & connectivity, const Amount & amount, const std::string & parameter)
{
  int dimension = 0;
  for (int axis = 0; axis < connectivity.Dimension(); ++axis)
  {
    dimension += connectivity.Uses(axis) ? 1 : 0;
  }
  ThrowIf<InvalidArgument>(
    amount.power != 0 && amount.power != dimension,
    parameter + " is in mm" + std::to_string(amount.power) + ", but the components have " +
      Counted(dimension, "dimension") +
      (dimension == 2 || dimension == 3 ? "; give mm" + std::to_string(dimension) : "; give a number without a unit"));
  return amount.value;
}

std::vector<SmoothingMethod>
SmoothingOf(const std::string & text)
{
  std::vector<SmoothingMethod> methods;
  std::size_t                  begin = 0;
  for (std::size_t end = 0; end < text.size() || methods.empty(); begin = end + 1)
  {
    end = std::min(text.size(), text.find(',', begin));
    methods.push_back(SmoothingMethod::FromText(WithMillimeters(text.substr(begin, end - begin))));
  }
  ThrowIf<InvalidArgument>(methods.size() > 2,
                           Quoted(text) + " has " + std::to_string(methods.size()) + " filters; give one or two");
  return methods;
}

bool
AreSame(const Slot & a, const Slot & b)
{
  return std::visit(
    [&](auto * place) {
      const auto & first = *place;
      const auto & second = *std::get<decltype(place)>(b);
      if constexpr (std::is_same_v<decltype(place), std::optional<Criterion::Range> *>)
      {
        return first.has_value() == second.has_value() &&
               (!first || (first->low == second->low && first->high == second->high));
      }
      else
      {
        return first == second;
      }
    },
    a);
}

} // namespace brickccl::job
