// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

/** A choice that an algorithm leaves to its caller; no choice changes the labels. */
struct AlgorithmOption
{
  const char * name;
  const char * summary;
  /** The words for the values 0, 1, 2 ... Without words, a value is a number from `minimum` to `maximum`. */
  std::vector<const char *> words;
  std::int64_t              preset = 0;
  std::int64_t              minimum = 0;
  std::int64_t              maximum = 0;

  /** "first-scan=earlier|all" or "gather=1..65535" */
  std::string Syntax() const;
  /** The word or the number for a value. */
  std::string ValueText(std::int64_t value) const;
};

/** One value for each option of an algorithm, in their order. */
using OptionValues = std::vector<std::int64_t>;

/** An algorithm as callers name it, "Name" or "Name:option=value,option=value", in its two parts. */
struct AlgorithmText
{
  std::string name;
  std::string options;

  explicit AlgorithmText(const std::string & text);
};

/** Reads the values that "option=value,option=value" sets; the others are the presets.
 *  \throws InvalidArgument, which lists the options of the algorithm. */
OptionValues
ParseOptions(const std::string & algorithm, const std::vector<AlgorithmOption> & options, const std::string & text);

} // namespace brickccl
