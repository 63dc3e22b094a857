// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Criteria/Criterion.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace brickccl::job
{

/** One result of a command: a member of its summary as JSON, words of its summary as text, or both. */
struct Finding
{
  /** The member's name, after the names of the members that contain it: "pores/part_voxels". Empty: text only. */
  std::string            key;
  nlohmann::ordered_json value;
  /** The line of the text, from 1 on; 0: JSON only. */
  int line = 0;
  /** Its words; # is replaced by the value with its unit. */
  std::string label = "#";
  /** "mm", "mm2", "mm3", "%", "s", or the noun that is counted: "pore". */
  std::string unit = {};
};

using Findings = std::vector<Finding>;

inline constexpr int LastLine = 1000;

/** Members in the order of the findings, with full precision. */
nlohmann::ordered_json AsJson(const Findings & findings);

/** Sentences for people: lines in their order, findings without a value left out. */
std::string AsText(const Findings & findings);

/** A measure with four digits, in a unit that fits it or another size: "8337 cm3" for 8336800 mm3. */
std::string Readable(double value, const std::string & unit, double size = 0);

/** A number that somebody chose, such as a threshold: "450", "729.7". Whole numbers keep all digits. */
std::string Readable(const Number & value);

} // namespace brickccl::job
