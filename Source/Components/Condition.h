#ifndef BRICKCCL_COMPONENTS_CONDITION_H
#define BRICKCCL_COMPONENTS_CONDITION_H

#include "BrickCCL/Components/ComponentTable.h"

#include <memory>
#include <string>
#include <vector>

namespace brickccl
{

/** A condition on the columns of a component, for example `volume_mm3 > 2 and sphericity < 0.6`.
 *
 *      condition  = conjunction { "or" conjunction }            also ||
 *      conjunction = negation { "and" negation }                also &&
 *      negation   = [ "not" ] comparison                        also !
 *      comparison = sum [ ( < | <= | > | >= | == | != ) sum ]
 *      sum        = product { ( + | - ) product }
 *      product    = factor { ( * | / ) factor }
 *      factor     = [ - ] ( number | column | function | "(" condition ")" )
 *      function   = ( abs | sqrt | min | max ) "(" sum { "," sum } ")"
 *
 *  Numbers are doubles; comparisons with what is not a number are false, but for !=. It is parsed and evaluated here;
 *  nothing of it is executed. */
class Condition
{
public:
  /** \throws InvalidArgument that shows the place of what is wrong. */
  explicit Condition(const std::string & text);
  ~Condition();
  Condition(Condition &&) noexcept;
  Condition & operator=(Condition &&) noexcept;

  /** The columns that it names, each once. */
  const std::vector<std::string> &
  ColumnNames() const
  {
    return m_Columns;
  }

  /** For each component of a table whether it holds. \throws InvalidArgument for a column that the table does not have.
   */
  std::vector<bool> Evaluate(const ComponentTable & table) const;

  /** A node of the parsed expression. */
  struct Node;

private:
  std::vector<std::string>    m_Columns;
  std::unique_ptr<const Node> m_Root;
};

} // namespace brickccl

#endif
