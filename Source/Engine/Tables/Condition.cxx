// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Tables/Condition.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Tables/ConditionNode.h"
#include "BrickCCL/Tables/LengthUnits.h"

#include <optional>
#include <type_traits>
#include <utility>

namespace brickccl
{

namespace
{

using condition::Value;

enum class Order
{
  Less,
  Equal,
  Greater,
  /** One of the two is not a number. */
  None
};

Order
Compare(const Value & a, const Value & b)
{
  if (a.isWhole && b.isWhole)
  {
    return a.whole < b.whole ? Order::Less : a.whole > b.whole ? Order::Greater : Order::Equal;
  }
  if (std::isnan(a.number) || std::isnan(b.number))
  {
    return Order::None;
  }
  const double larger = std::max(std::abs(a.number), std::abs(b.number));
  if (a.number == b.number || (std::isfinite(larger) && std::abs(a.number - b.number) <= Condition::Tolerance * larger))
  {
    return Order::Equal;
  }
  return a.number < b.number ? Order::Less : Order::Greater;
}

Value
TruthOf(bool truth)
{
  return Value(Int128{ truth ? 1 : 0 });
}

/** Combines two numbers: as whole numbers if both are whole and the result is sure to fit, else as doubles. */
template <typename TFunction>
Value
Combine(const Value & a, const Value & b, TFunction function)
{
  return a.IsSmallWhole() && b.IsSmallWhole() ? Value(function(a.whole, b.whole)) : Value(function(a.number, b.number));
}

/** A column of the places of components' names among others. \throws InvalidArgument if components have no names */
ComponentColumn
PlacesOfNames(const ComponentTable & table, const std::vector<std::string> & names)
{
  const auto isIt = [](const ComponentColumn & column) { return column.name == "name"; };
  const auto found = std::find_if(table.texts.begin(), table.texts.end(), isIt);
  ThrowIf<InvalidArgument>(found == table.texts.end(),
                           "the condition compares the names of segments, but no segment of the label map has a name");
  ComponentColumn places = *found;
  places.value = [texts = found->texts, names](const ComponentTable &, const ComponentMeasures & component) {
    return static_cast<std::uint64_t>(std::find(names.begin(), names.end(), (*texts)[component.place]) - names.begin());
  };
  return places;
}

} // namespace

condition::Value
Condition::Node::Evaluate(const std::vector<Value> & columns) const
{
  const auto value = [&](std::size_t i) { return operands[i]->Evaluate(columns); };
  const auto holds = [&](std::size_t i) { return value(i).number != 0; };
  const auto isOneOf = [&](Order first, Order second) {
    const Order order = Compare(value(0), value(1));
    return TruthOf(order == first || order == second);
  };
  switch (operation)
  {
  case Operation::Number:
    return number;
  case Operation::Column:
    return columns[column];
  case Operation::Negate:
    return Combine(Value(Int128{ 0 }), value(0), [](auto a, auto b) { return a - b; });
  case Operation::Not:
    return TruthOf(!holds(0));
  case Operation::Add:
    return Combine(value(0), value(1), [](auto a, auto b) { return a + b; });
  case Operation::Subtract:
    return Combine(value(0), value(1), [](auto a, auto b) { return a - b; });
  case Operation::Multiply:
    return Combine(value(0), value(1), [](auto a, auto b) { return a * b; });
  case Operation::Divide:
    return Value(value(0).number / value(1).number);
  case Operation::Less:
    return isOneOf(Order::Less, Order::Less);
  case Operation::LessOrEqual:
    return isOneOf(Order::Less, Order::Equal);
  case Operation::Greater:
    return isOneOf(Order::Greater, Order::Greater);
  case Operation::GreaterOrEqual:
    return isOneOf(Order::Greater, Order::Equal);
  case Operation::Equal:
    return isOneOf(Order::Equal, Order::Equal);
  case Operation::Unequal:
    return TruthOf(Compare(value(0), value(1)) != Order::Equal);
  case Operation::And:
  case Operation::Or:
  {
    // The first operand that decides ends it.
    const bool decisive = operation == Operation::Or;
    for (std::size_t i = 0; i < operands.size(); ++i)
    {
      if (holds(i) == decisive)
      {
        return TruthOf(decisive);
      }
    }
    return TruthOf(!decisive);
  }
  case Operation::Abs:
  {
    const Value own = value(0);
    return own.isWhole ? Value(own.whole < 0 ? -own.whole : own.whole) : Value(std::abs(own.number));
  }
  case Operation::Sqrt:
    return Value(std::sqrt(value(0).number));
  default:
    Value result = value(0);
    for (std::size_t i = 1; i < operands.size(); ++i)
    {
      const Value other = value(i);
      const bool  isLower = result.isWhole && other.isWhole ? other.whole < result.whole : other.number < result.number;
      const bool isHigher = result.isWhole && other.isWhole ? other.whole > result.whole : other.number > result.number;
      result = (operation == Operation::Min ? isLower : isHigher) ? other : result;
    }
    return result;
  }
}

Condition::Condition(const std::string & text)
  : m_Root(ParseCondition(text, m_Columns, m_Names))
{}

Condition::~Condition() = default;
Condition::Condition(Condition &&) noexcept = default;
Condition & Condition::operator=(Condition &&) noexcept = default;

std::vector<bool>
Condition::Evaluate(const ComponentTable & table) const
{
  return Evaluate(table, HostContext());
}

std::vector<bool>
Condition::Evaluate(const ComponentTable & table, const HostContext & context) const
{
  const std::vector<ComponentColumn> all = ColumnsOf(table);
  std::vector<ComponentColumn>       columns;
  for (const std::string & name : m_Columns)
  {
    std::optional<ComponentColumn> found = name == "name" ? PlacesOfNames(table, m_Names) : ColumnInAnyUnit(all, name);
    ThrowIf<InvalidArgument>(!found,
                             "the condition uses the column '" + name + "', which the table lacks" +
                               DidYouMean(name, NameList(all)));
    columns.push_back(*std::move(found));
  }
  std::vector<bool>  holds;
  std::vector<Value> values(columns.size());
  StopPoint          stop(context);
  for (const ComponentMeasures & component : table.components)
  {
    stop.AskAt(holds.size());
    for (std::size_t i = 0; i < columns.size(); ++i)
    {
      values[i] = std::visit(
        [](auto value) {
          using Kind = std::conditional_t<std::is_integral_v<decltype(value)>, Int128, double>;
          return Value(static_cast<Kind>(value));
        },
        columns[i].value(table, component));
    }
    holds.push_back(m_Root->Evaluate(values).number != 0);
  }
  return holds;
}

} // namespace brickccl
