// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Batch/Recipe.h"
#include "BrickCCL/Job/Language.h"
#include "BrickCCL/Job/Parameters.h"

#include <string>
#include <vector>

namespace brickccl::batch
{

class RuleJudge;

struct RuleKey
{
  const char *                  name;
  job::MemberOf<AcceptanceRule> member;
  job::Form                     form;
  /** Behind a semicolon is what differs from rule to rule. */
  std::string help;
};

/** The unit of a limit of a column. */
constexpr const char * UnitOfColumn = "unit of the column";

const std::vector<RuleKey> & RuleKeys();

/** A rule of acceptance. A file of Rules/ has one or several that are alike, and Rules.cxx lists them. */
struct Rule
{
  const char * name;
  /** Its keys, with blanks between: "[across]" may be left out, of "a|b" one is needed. */
  const char * keys;
  /** A column that it needs; empty if it needs none, or the one that the recipe names. */
  const char * column;
  void (*judge)(RuleJudge & judge);
  /** The condition as a sentence: "there are at most 3 defects". \param region  "part", "part's core" or "image" */
  std::string (*explain)(const AcceptanceRule & rule, const std::string & region, const job::Language & language);
  /** The words for a failure, in two forms (Language::Plural): {1} is the count, {2} the length in mm that the
   *  rule has, {3} the slice. Null: the value. */
  const char * found = nullptr;
  /** Whether it judges the part as a whole, whatever its defects are: it has no condition `where`. */
  bool isOfPart = false;
};

/** All rules, in the order of the pages. */
const std::vector<Rule> & Rules();

/** The rule of a name; null if there is none. */
const Rule * FindRule(const std::string & name);

// The rules of each file of Rules/.
std::vector<Rule> ExtremeRules();
std::vector<Rule> PorosityRules();
std::vector<Rule> NumberRules();
std::vector<Rule> WindowRules();
std::vector<Rule> ClusterRules();
std::vector<Rule> WallRules();

} // namespace brickccl::batch
