// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/RunApp.h"
#include "BrickCCL/Cli/SurfaceOptions.h"
#include "BrickCCL/Core/Version.h"

#include <iostream>
#include <string>
#include <vector>

/** The arguments: `--help` for none, `COMMAND --help` for `help COMMAND`, and then `--help-all` for `--all`. */
static std::vector<char *>
WithHelp(int argc, char ** argv)
{
  static char         help[] = "--help";
  static char         helpAll[] = "--help-all";
  std::vector<char *> arguments(argv, argv + argc);
  if (argc > 1 && std::string(argv[1]) == "help")
  {
    arguments.erase(arguments.begin() + 1);
    for (char *& argument : arguments)
    {
      argument = std::string(argument) == "--all" ? helpAll : argument;
    }
    argc = 1;
  }
  if (argc == 1)
  {
    arguments.push_back(help);
  }
  arguments.push_back(nullptr);
  return arguments;
}

int
main(int argc, char ** argv) // NOLINT(bugprone-exception-escape): commands are made before any work
{
  std::vector<char *> arguments = WithHelp(argc, argv);
  argc = static_cast<int>(arguments.size()) - 1;
  argv = arguments.data();
  if (argc > 1 && (std::string(argv[1]) == "mesh" || std::string(argv[1]) == "render"))
  {
    try
    {
      brickccl::cli::ContinueAsSurfaces(argv);
    }
    catch (const std::exception & error)
    {
      std::cerr << "brickccl: error: " << error.what() << std::endl;
      return 1;
    }
  }
  CLI::App app("BrickCCL: connected components of CT and medical volumes, labeled and measured", "brickccl");
  app.set_version_flag("-V,--version", brickccl::Version, "print the version");
  // A path may begin with a slash.
  app.allow_windows_style_options(false);
  app.require_subcommand(1);
  brickccl::cli::AddLabelCommand(app, brickccl::cli::RecordingFrontEnd());
  brickccl::cli::AddStatsCommand(app, {});
  brickccl::cli::AddSelectCommand(app);
  brickccl::cli::AddCleanCommand(app, {});
  brickccl::cli::AddSplitCommand(app);
  brickccl::cli::AddMergeCommand(app);
  brickccl::cli::AddDistanceCommand(app);
  brickccl::cli::AddThicknessCommand(app);
  brickccl::cli::AddMorphCommand(app);
  brickccl::cli::AddSweepCommand(app);
  brickccl::cli::AddCropCommand(app);
#ifdef BRICKCCL_USE_VTK
  // They are here for the list of commands, for completion and the manual.
  brickccl::cli::AddMeshCommand(app, {});
  brickccl::cli::AddRenderCommand(app, {});
#endif
  brickccl::cli::AddInfoCommand(app);
  brickccl::cli::AddViewCommand(app);
  brickccl::cli::AddPhantomCommand(app);
  brickccl::cli::AddBatchCommand(app);
  brickccl::cli::AddRecipeCommand(app);
  brickccl::cli::AddReportCommand(app);
  brickccl::cli::AddScoreCommand(app);
  brickccl::cli::AddCompareCommand(app);
  brickccl::cli::AddRerunCommand(app);
  brickccl::cli::AddHelpCommands(app);
  brickccl::cli::ArrangeHelp(app);
  return brickccl::cli::RunApp(app, argc, argv);
}
