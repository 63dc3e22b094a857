// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/View/LiveLabeling.h"

#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Job/Parameters.h"

#include <algorithm>
#include <iterator>
#include <regex>

namespace brickccl::view
{

constexpr const char * OptionsOfPage = "pores threshold below range box smooth close connectivity split minimum-volume";

/** Options with texts, without the empty ones. */
static Settings
GivenOnes(const Settings & all)
{
  Settings given;
  std::copy_if(all.begin(), all.end(), std::inserter(given, given.end()), [](const auto & setting) {
    return !setting.second.empty() && !setting.second[0].empty();
  });
  return given;
}

/** A word for a shell. */
static std::string
ForShell(const std::string & word)
{
  const auto  isPlain = [](unsigned char letter) { return std::isalnum(letter) != 0 || letter > 127; };
  const bool  needsNone = !word.empty() && std::all_of(word.begin(), word.end(), [&](char letter) {
    return isPlain(static_cast<unsigned char>(letter)) || std::string("_-./:,+=").find(letter) != std::string::npos;
  });
  std::string quoted;
  for (const char letter : word)
  {
    quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  }
  return needsNone ? word : "'" + quoted + "'";
}

/** Texts as a value of a recipe: numbers as they are, others in quotes, several in a list, none as true. */
static std::string
ForRecipe(const std::vector<std::string> & texts)
{
  const std::string list = Joined(texts, ", ", [](const std::string & text) {
    return job::NumberOf(text) ? text : nlohmann::json(text).dump();
  });
  return texts.empty() ? "true" : texts.size() == 1 ? list : "[" + list + "]";
}

/** The key of recipes for an option. */
static std::string
KeyOf(const std::string & option, bool findsPores)
{
  const bool isOfPart = findsPores && (option == "threshold" || option == "range");
  return isOfPart ? "part." + option : job::FindParameter(option)->key;
}

Settings
ReadSettings(const nlohmann::json & json)
{
  Settings                       settings = json.get<Settings>();
  const std::vector<std::string> known = job::WordsOf(OptionsOfPage);
  for (const auto & setting : settings)
  {
    ThrowIf<InvalidArgument>(std::count(known.begin(), known.end(), setting.first) == 0,
                             "the page cannot set " + Quoted(setting.first));
  }
  return settings;
}

job::Job
JobOf(const Settings & settings)
{
  job::Job job;
  for (const auto & [option, texts] : settings)
  {
    const job::Parameter & parameter = *job::FindParameter(option);
    const bool             isFlag = parameter.form.kind == job::Kind::Flag;
    const auto             fault =
      SetValue(parameter.form, isFlag ? std::vector<std::string>{ "true" } : texts, SlotOf(job, parameter.member));
    if (fault)
    {
      throw InvalidArgument("--" + option + ": " + Quoted(fault.value) + " is not " + fault.right);
    }
    for (const std::string & other : job::WordsOf(parameter.ties.excludes))
    {
      ThrowIf<InvalidArgument>(settings.count(other) > 0, "--" + option + " and --" + other + " cannot be combined");
    }
  }
  // A wide median takes minutes; the page offers these.
  const auto methods = job.smooth.empty() ? std::vector<SmoothingMethod>() : job::SmoothingOf(job.smooth);
  ThrowIf<InvalidArgument>(
    std::any_of(methods.begin(), methods.end(), [](const auto & method) { return method.radius > 2; }),
    "--smooth: the page smooths by median:1 or median:2; wider ones are for `brickccl label`");
  ThrowIf<InvalidArgument>(job::HasLocalThreshold(job),
                           "--threshold: the page has no local thresholds; they are for `brickccl label`");
  ThrowIf<InvalidArgument>((job.below && job.threshold.empty() && !job.pores) || (job.close > 0 && !job.pores),
                           job.below ? "--below needs --threshold" : "--close needs --pores");
  return job;
}

Settings
ReadingOf(const job::Reading & job)
{
  Settings settings = GivenOnes({ { "raw", { job.raw } },
                                  { "series", { job.series } },
                                  { "downsample", { job.downsample > 1 ? std::to_string(job.downsample) : "" } } });
  for (const double step : job.spacing)
  {
    settings["spacing"].push_back(Shortest(step));
  }
  job.acceptIrregularSlices ? void(settings["accept-irregular-slices"]) : void();
  job.acceptSheared ? void(settings["accept-sheared"]) : void();
  return settings;
}

Settings
SettingsOf(job::Job recipe, std::vector<std::string> & notes)
{
  const bool   findsPores = recipe.partMethod == "pores";
  const auto & threshold = findsPores ? recipe.partThreshold : recipe.threshold;
  const auto   numberOf = [](double number) { return number > 0 ? Shortest(number) : ""; };
  Settings     settings = GivenOnes({ { "threshold", { threshold } },
                                      { "smooth", { recipe.smooth } },
                                      { "box", { recipe.box } },
                                      { "split", { recipe.split } },
                                      { "close", { numberOf(findsPores ? recipe.close : 0) } },
                                      { "minimum-volume", { numberOf(recipe.minimumVolume.value) } },
                                      { "connectivity",
                                        { recipe.connectivity < 0    ? "full"
                                          : recipe.connectivity == 0 ? "faces"
                                                                     : Shortest(recipe.connectivity) } } });
  if (const auto & range = findsPores ? recipe.partRange : recipe.range; threshold.empty() && range)
  {
    settings["range"] = { range->low.ToString(), range->high.ToString() };
  }
  findsPores || (recipe.below && !threshold.empty()) ? void(settings[findsPores ? "pores" : "below"]) : void();
  job::Job    own = batch::ParseRecipe(RecipeOf({}, settings), "recipe.toml");
  std::string others;
  for (const job::Parameter & parameter : job::Parameters())
  {
    const std::string key = parameter.key;
    const bool counts = std::regex_match(key, std::regex("(region|zones|part|threshold|labeling|selection)\\..*"));
    others += counts && !AreSame(SlotOf(own, parameter.member), SlotOf(recipe, parameter.member)) ? " " + key : "";
  }
  others.empty() ? void() : notes.push_back("the page leaves out what the recipe says with" + others);
  return settings;
}

std::string
CommandOf(const std::string & scan, const Settings & reading, const Settings & settings)
{
  std::string command = "brickccl label " + ForShell(scan) + " labels.nrrd --statistics components.csv";
  Settings    all = settings;
  all.insert(reading.begin(), reading.end());
  for (const job::Parameter & parameter : job::Parameters())
  {
    const auto setting = all.find(parameter.option);
    if (setting != all.end())
    {
      command += " --" + setting->first;
      for (const std::string & text : setting->second)
      {
        command += " " + ForShell(text);
      }
    }
  }
  return command;
}

std::string
RecipeOf(const Settings & reading, const Settings & settings)
{
  const bool findsPores = settings.count("pores") > 0;
  Settings   all = settings;
  all.insert(reading.begin(), reading.end());
  Settings keys = { { "recipe.schema", { "1" } }, { "recipe.name", { "Chosen in brickccl view" } } };
  for (const auto & [option, texts] : all)
  {
    const std::string key = KeyOf(option, findsPores);
    ThrowIf<InvalidArgument>(option == "series" || (option == "below" && findsPores),
                             "recipes cannot have --" + option + (findsPores ? " with --pores" : ""));
    if (!key.empty())
    {
      keys[key] = texts;
    }
  }
  if (findsPores)
  {
    keys["part.method"] = { "pores" };
  }
  else if (settings.count("threshold") > 0)
  {
    keys["threshold.side"] = { settings.count("below") > 0 ? "below" : "above" };
  }
  if (const auto smooth = settings.find("smooth"); smooth != settings.end())
  {
    keys["smoothing.filter"] = smooth->second;
  }
  std::string text;
  std::string table;
  for (const job::Parameter & parameter : job::Parameters())
  {
    const std::string key = parameter.key;
    const std::size_t dot = key.find('.');
    if (keys.count(key) > 0)
    {
      text += key.substr(0, dot) == table ? "" : (text.empty() ? "[" : "\n[") + key.substr(0, dot) + "]\n";
      table = key.substr(0, dot);
      text += key.substr(dot + 1) + " = " + ForRecipe(keys[key]) + "\n";
    }
  }
  // It throws what a batch would.
  batch::ParseRecipe(text, "recipe.toml");
  return text;
}

} // namespace brickccl::view
