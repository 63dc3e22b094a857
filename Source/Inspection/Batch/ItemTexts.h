// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Batch/Acceptance.h"
#include "BrickCCL/Batch/Recipe.h"
#include "BrickCCL/Job/Language.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <nlohmann/json.hpp>

#include <string>

namespace brickccl::batch
{

/** A rule with what it found, as the summary of an item has it. */
nlohmann::ordered_json DescribeRule(const AcceptanceRule & rule, const RuleResult & result);

/** A message if some defects have no number in the column of a rule; else empty. */
std::string NoteOnRule(const AcceptanceRule & rule, const RuleResult & result);

/** The value of a rule (DescribeRule) and its limit, for people: "1.595 mm", "1.5 mm". */
std::string ValueText(const nlohmann::ordered_json & result, const Recipe & recipe, const job::Language & language);
std::string LimitText(const nlohmann::ordered_json & result, const Recipe & recipe, const job::Language & language);

/** A rule that failed: "Largest pore 1.595 mm, limit 1.5 mm" */
std::string DescribeFailure(const nlohmann::ordered_json & result,
                            const AcceptanceRule &         rule,
                            const Recipe &                 recipe,
                            const job::Language &          language);

/** The table of an item as CSV, with the slice that shows each defect. */
std::string TextOfTable(const ComponentTable & table);

/** The text of StateFile. \param summaryFile  is there already */
std::string TextOfState(const nlohmann::ordered_json & seconds,
                        const nlohmann::ordered_json & stamps,
                        const nlohmann::ordered_json & summary,
                        const std::string &            summaryFile);

} // namespace brickccl::batch
