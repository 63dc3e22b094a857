// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Job/Job.h"
#include "BrickCCL/Job/Value.h"

#include <string>
#include <variant>
#include <vector>

namespace brickccl::job
{

/** A member of a struct by which a parameter is read and set. */
template <typename T>
using MemberOf = std::variant<bool                            T::*,
                              int                             T::*,
                              std::uint64_t                   T::*,
                              double                          T::*,
                              std::string                     T::*,
                              Amount                          T::*,
                              std::vector<double>             T::*,
                              std::optional<Number>           T::*,
                              std::optional<Criterion::Range> T::*>;

template <typename T>
Slot
SlotOf(T & object, const MemberOf<T> & member)
{
  return std::visit([&](auto place) { return Slot(&(object.*place)); }, member);
}

/** The options (or OUTPUT, where a command can do without) or keys that a parameter needs, and those that exclude it,
 * with blanks between. A key may have a value: "part.method=pores"; with "==" this value needs the parameter in turn.
 */
struct Ties
{
  const char * needs = "";
  const char * excludes = "";
  /** Whether slabs (`--memory`) cannot do it, since it needs the whole volume. */
  bool needsWhole = false;
};

struct Parameter
{
  /** The option of commands, without dashes; empty if no command has it. */
  const char * option;
  /** The key of recipes with its table, "part.close_mm"; empty if recipes do not have it. */
  const char *  key;
  MemberOf<Job> member;
  Form          form;
  /** The placeholder of the value in help: "MM". One that may be left out is in brackets. */
  const char * value;
  const char * group;
  /** Help: one line, then details. */
  std::string help;
  Ties        ties = {};
  std::string more = {};
  /** Help of the key, if it differs. */
  std::string keyHelp = {};
};

/** All parameters. Those of a group are next to each other; recipes state keys in this order. */
const std::vector<Parameter> & Parameters();

/** The parameter of an option or a key; null if there is none. */
const Parameter * FindParameter(const std::string & name);

/** Whether a job has another value than the default. */
bool IsGiven(const Job & job, const Parameter & parameter);

std::vector<std::string> WordsOf(const std::string & text);

// Groups, by the names that help shows.
namespace group
{
inline constexpr const char * Labeled = "Foreground";
inline constexpr const char * Joined = "Connectivity";
inline constexpr const char * Kept = "Which components stay";
inline constexpr const char * Holes = "Holes";
inline constexpr const char * LabelMap = "The label map";
inline constexpr const char * Table = "The table";
inline constexpr const char * Reading = "Reading files";
inline constexpr const char * Running = "Running";
} // namespace group

} // namespace brickccl::job
