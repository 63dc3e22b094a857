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
 *      comparison = sum [ ( < | <= | > | >= | == | != ) sum ]
 *      sum        = product { ( + | - ) product }
 *      product    = factor { ( * | / ) factor }
 *      factor     = [ - ] ( number | column | function | "(" condition ")" )
 *      function   = ( abs | sqrt ) "(" sum ")" | ( min | max ) "(" sum "," sum { "," sum } ")"
 *
 *  COLUMNS.md explains it with examples. There may be up to 200 levels of parentheses and signs and 2000 sums and
 * products; lists joined by one word may have any length.
 *
 *  Whole numbers (labels, counts, indices, and such numbers in the condition) are exact, as are sums,
 *  differences and products of those below 2^63, and their comparisons. All other numbers are doubles. Two of them are
 *  equal, for all six comparisons, if they differ by no more than the Tolerance: of 3 voxels of 0.1 x 0.1 x 0.1 mm
 *  `volume_mm3 == 0.003` and `volume_mm3 >= 0.003` are true and `volume_mm3 > 0.003` is not. Comparisons with what is
 *  not a number are false, but for !=. It is parsed and evaluated here; nothing of it is executed. */
class Condition
{
public:
  /** The relative tolerance, 8 last digits of a double: products of a few decimal fractions are off by no more. */
  static constexpr double Tolerance = 8 * std::numeric_limits<double>::epsilon();

  /** Whether a value keeps to a limit: it is not larger, or equal within the Tolerance. */
  static bool
  IsAtMost(double value, double limit)
  {
    const double larger = std::max(std::abs(value), std::abs(limit));
    return value <= limit || (std::isfinite(larger) && value - limit <= Tolerance * larger);
  }

  /** Parses a condition. \throws InvalidArgument that shows the place of what is wrong. */
  explicit Condition(const std::string & text);
  ~Condition();
  Condition(Condition &&) noexcept;
  Condition & operator=(Condition &&) noexcept;

  /** The columns that it names, each once. Lengths, areas and volumes may be named in um and cm as well
   *  (Tables/LengthUnits.h): `volume_um3`. */
  const std::vector<std::string> &
  ColumnNames() const
  {
    return m_Columns;
  }

  /** Says for each component of a table whether the condition holds. Runs on the calling thread.
   *  \throws InvalidArgument for a column that the table does not have. */
  std::vector<bool> Evaluate(const ComponentTable & table) const;
  /** The same. It asks the context whether to stop. \throws Cancelled */
  std::vector<bool> Evaluate(const ComponentTable & table, const HostContext & context) const;

  /** A node of the parsed expression. */
  struct Node;

private:
  std::vector<std::string>    m_Columns;
  std::unique_ptr<const Node> m_Root;
};

} // namespace brickccl

#endif
