// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TABLES_CONDITION_H
#define BRICKCCL_TABLES_CONDITION_H

#include "BrickCCL/Tables/ComponentTable.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace brickccl
{

struct HostContext;

/** A condition on the columns of a component, for example `volume_mm3 > 2 and sphericity < 0.6`.
 *
 *      condition  = conjunction { "or" conjunction }            also ||
 *      conjunction = negation { "and" negation }                also &&
 *      negation   = [ "not" ] comparison                        also !
 *      comparison = sum [ ( < | <= | > | >= | == | != ) sum ] | ( label | name ) ( == | != ) "'" text "'"
 *      sum        = product { ( + | - ) product }
 *      product    = factor { ( * | / ) factor }
 *      factor     = [ - ] ( number | column | function | "(" condition ")" )
 *      function   = ( abs | sqrt ) "(" sum ")" | ( min | max ) "(" sum "," sum { "," sum } ")"
 *
 *  COLUMNS.md explains it with examples. The limits are 200 levels of parentheses and signs and 2000 sums and
 *  products; lists joined by one word may have any length.
 *
 *  Whole numbers (labels, counts, indices, and such numbers in the condition) are exact, as are their sums,
 *  differences and products below 2^63, and their comparisons. All other numbers are doubles. Two of them are equal,
 *  for all six comparisons, if they differ by at most the Tolerance: for 3 voxels of 0.1 x 0.1 x 0.1 mm `volume_mm3
 *  == 0.003` and `volume_mm3 >= 0.003` are true and `volume_mm3 > 0.003` is false. Comparisons with NaN are false,
 *  except with !=. It is parsed and evaluated here, never executed as code. */
class Condition
{
public:
  /** The relative tolerance, 8 last digits of a double: the largest error of products of a few decimal fractions. */
  static constexpr double Tolerance = 8 * std::numeric_limits<double>::epsilon();

  /** Whether a value is at most a limit, or equal within the Tolerance. */
  static bool
  IsAtMost(double value, double limit)
  {
    const double larger = std::max(std::abs(value), std::abs(limit));
    return value <= limit || (std::isfinite(larger) && value - limit <= Tolerance * larger);
  }

  /** The bound for values that are below a limit by more than its last digits. */
  static double
  SurelyBelow(double limit)
  {
    return limit * (1 - Tolerance);
  }

  /** Parses a condition. \throws InvalidArgument that shows the place of the fault. */
  explicit Condition(const std::string & text);
  ~Condition();
  Condition(Condition &&) noexcept;
  Condition & operator=(Condition &&) noexcept;

  /** Its columns, each once. Lengths, areas and volumes may also be in um and cm (Tables/LengthUnits.h):
   *  `volume_um3`. */
  const std::vector<std::string> &
  ColumnNames() const
  {
    return m_Columns;
  }

  /** The names of segments that labels are compared with: `label == 'liver'`. */
  const std::vector<std::string> &
  Names() const
  {
    return m_Names;
  }

  /** Returns for each component of a table whether the condition holds. Runs on the calling thread. \throws
   *  InvalidArgument for a column that the table lacks. */
  std::vector<bool> Evaluate(const ComponentTable & table) const;
  /** As above, with canceling by the context. \throws Canceled */
  std::vector<bool> Evaluate(const ComponentTable & table, const HostContext & context) const;

  /** A node of the parsed expression. */
  struct Node;

private:
  std::vector<std::string>    m_Columns;
  std::vector<std::string>    m_Names;
  std::unique_ptr<const Node> m_Root;
};

} // namespace brickccl

#endif
