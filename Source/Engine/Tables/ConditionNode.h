// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/WideInteger.h"
#include "BrickCCL/Tables/Condition.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace brickccl
{

namespace condition
{

enum class Operation
{
  Number,
  Column,
  Negate,
  Not,
  Add,
  Subtract,
  Multiply,
  Divide,
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual,
  Equal,
  Unequal,
  And,
  Or,
  Abs,
  Sqrt,
  Min,
  Max
};

/** A number. Whole numbers are kept exactly as well, since a double may not hold them. */
struct Value
{
  double number = 0;
  bool   isWhole = false;
  Int128 whole = 0;

  Value() = default;
  explicit Value(double value)
    : number(value)
  {}
  explicit Value(Int128 value)
    : number(static_cast<double>(value))
    , isWhole(true)
    , whole(value)
  {}

  /** Whether sums and products of two such numbers fit into 128 bits. */
  bool
  IsSmallWhole() const
  {
    constexpr Int128 limit = (Int128{ 1 } << 63) - 1;
    return isWhole && whole <= limit && whole >= -limit;
  }
};

} // namespace condition

struct Condition::Node
{
  using Operation = condition::Operation;
  using Value = condition::Value;

  Operation operation = Operation::Number;
  /** For the operation Number. */
  Value number;
  /** For the operation Column: its index in Condition::ColumnNames. */
  std::size_t                        column = 0;
  std::vector<std::unique_ptr<Node>> operands;

  /** Whether it is true or false, rather than a number. */
  bool
  IsTruth() const
  {
    return operation == Operation::Not || (operation >= Operation::Less && operation <= Operation::Or);
  }

  /** The value for a component. \param columns  the values of Condition::ColumnNames. */
  Value Evaluate(const std::vector<Value> & columns) const;
};

/** The place of a text in a list, which gets it if it is new. */
inline std::size_t
PlaceIn(std::vector<std::string> & list, const std::string & text)
{
  const auto place = static_cast<std::size_t>(std::find(list.begin(), list.end(), text) - list.begin());
  if (place == list.size())
  {
    list.push_back(text);
  }
  return place;
}

/** Turns the text of a condition into nodes. \throws InvalidArgument that shows the place of what is wrong.
 *  \param columns  receives the names of its columns, each once
 *  \param names    receives the names in quotes, which are compared as their places in it */
std::unique_ptr<Condition::Node>
ParseCondition(const std::string & text, std::vector<std::string> & columns, std::vector<std::string> & names);

} // namespace brickccl
