// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/RecipeSchema.h"
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/RunApp.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Files/Disk/FileBytes.h"

#include <algorithm>
#include <filesystem>

namespace brickccl::cli
{

static std::vector<std::string>
ReadyNames()
{
  return NameList(batch::ReadyRecipes());
}

static void
WriteNewRecipe(const std::string & name, const std::string & output)
{
  const auto & ready = batch::ReadyRecipes();
  const auto   recipe = std::find_if(ready.begin(), ready.end(), [&](const auto & one) { return one.name == name; });
  ThrowIf<InvalidArgument>(recipe == ready.end(),
                           "no ready recipe has the name '" + name + "'" + DidYouMean(name, ReadyNames()) +
                             "; there are " + ListOf(ReadyNames(), ", "));
  const std::string path = output.empty() ? name + ".toml" : output;
  ThrowIf(files::IsThere(path), Quoted(path) + " already exists; choose another name with -o, or remove it");
  ReplaceTextFile(path, [&](std::ostream & stream) { stream << recipe->text; });
  std::cout << Printable(path) << ": a copy of the recipe " << name << " to change" << std::endl;
}

void
AddRecipeCommand(CLI::App & app)
{
  CLI::App * command = app.add_subcommand("recipe", "Make, check and explain recipes of `brickccl batch`");
  command->require_subcommand(1);
  const std::string fileText = "recipe: a file, or one of the ready recipes: " + ListOf(ReadyNames(), ", ");

  auto       name = std::make_shared<std::string>();
  auto       output = std::make_shared<std::string>();
  CLI::App * make = command->add_subcommand("new", "Write a copy of a ready recipe for editing");
  make->add_option("NAME", *name, "one of " + ListOf(ReadyNames(), ", "))->required();
  make->add_option("-o,--output", *output, "file to write; default: NAME.toml")->type_name("FILE");
  make->callback([name, output] { WriteNewRecipe(*name, *output); });

  auto       checked = std::make_shared<std::string>();
  CLI::App * check = command->add_subcommand("check", "Report errors in a recipe, with line numbers");
  check->add_option("FILE", *checked, fileText)->required();
  check->callback([checked] {
    const batch::Recipe recipe = batch::ReadRecipe(*checked);
    const std::string & zones = recipe.zones;
    ThrowIf(!zones.empty() && zones.find("{item}") == std::string::npos && !std::filesystem::exists(zones),
            Quoted(*checked) + ": the file " + Quoted(zones) + " (zones.file) is missing");
    std::cout << Printable(*checked) << ": the recipe " << Quoted(recipe.name) << " is right" << std::endl;
  });

  auto       explained = std::make_shared<std::string>();
  CLI::App * explain = command->add_subcommand("explain", "Explain in sentences what a recipe does");
  explain->add_option("FILE", *explained, fileText)->required();
  explain->callback([explained] {
    for (const std::string & line : batch::ExplainRecipe(batch::ReadRecipe(*explained)))
    {
      std::cout << Printable(line, "\n") << '\n';
    }
    std::cout.flush();
  });

  CLI::App * schema = command->add_subcommand("schema", "Print the JSON schema of recipes, for editors");
  auto       isOfOptions = std::make_shared<bool>(false);
  schema->add_flag("--options", *isOfOptions, "print the options of `brickccl label` instead, with their defaults");
  schema->callback([isOfOptions] {
    std::cout << JsonText(*isOfOptions ? batch::OptionJsonSchema() : batch::RecipeJsonSchema()) << std::endl;
  });
}

} // namespace brickccl::cli
