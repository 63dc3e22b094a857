#ifndef BRICKCCL_BATCH_RECIPEVALUES_H
#define BRICKCCL_BATCH_RECIPEVALUES_H

#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/RecipeSchema.h"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace brickccl::batch
{

/** The value of a key, as its kind says. Lengths are in mm, volumes in mm3. */
struct RecipeValue
{
  std::variant<bool, std::int64_t, double, std::string, std::vector<double>, std::vector<std::string>> value;

  bool
  operator==(const RecipeValue & other) const
  {
    return value == other.value;
  }
};

/** The keys of one table that are set. */
struct RecipeTableValues
{
  int                                line = 0;
  std::map<std::string, RecipeValue> values;
  /** The lines of all of its keys, also of those whose value does not fit. */
  std::map<std::string, int> lines;

  bool
  Has(const std::string & key) const
  {
    return values.count(key) == 1;
  }
  /** Whether it names a key, whatever its value is: nobody needs to be told that it is missing. */
  bool
  Names(const std::string & key) const
  {
    return lines.count(key) == 1;
  }
  bool
  IsRefused(const std::string & key) const
  {
    return Names(key) && !Has(key);
  }
  /** The line of a key, or that of the table. */
  int
  LineOf(const std::string & key) const
  {
    return Names(key) ? lines.at(key) : line;
  }
  /** The value of a key, or `standard` if it is not set. */
  template <typename T>
  T
  Get(const std::string & key, T standard) const
  {
    const auto found = values.find(key);
    return found == values.end() ? standard : std::get<T>(found->second.value);
  }
};

/** The values of a recipe. Those that do not fit the schema are missing. */
struct RecipeValues
{
  std::map<std::string, RecipeTableValues> tables;
  std::vector<RecipeTableValues>           acceptance;

  const RecipeTableValues & operator[](const std::string & table) const;
};

/** Reads TOML and checks it key by key against the schema. Adds what is wrong to `problems`. */
RecipeValues ReadRecipeValues(const std::string & text, std::vector<RecipeProblem> & problems);

} // namespace brickccl::batch

#endif
