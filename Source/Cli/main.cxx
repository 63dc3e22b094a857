#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Help.h"
#include "BrickCCL/Cli/RunApp.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Host/Program.h"

#include <filesystem>
#include <iostream>
#include <string>

#ifdef BRICKCCL_USE_VTK

namespace
{

/** The commands that need VTK are a program of their own, since loading VTK's libraries takes as long as labeling a
 *  volume. The program lies beside this one in the build tree, and in libexec where it is installed. */
[[noreturn]] void
ContinueAsSurfaces(char ** argv)
{
  const std::filesystem::path folder = std::filesystem::path(brickccl::ProgramPath()).parent_path();
  const std::filesystem::path installed = folder / BRICKCCL_LIBEXEC_FROM_BIN / BRICKCCL_SURFACES;
  const std::filesystem::path beside = folder / BRICKCCL_SURFACES;
  for (const std::filesystem::path & program : { beside, installed })
  {
    std::error_code failure;
    if (std::filesystem::exists(program, failure))
    {
      brickccl::ContinueAs(program.string(), argv);
    }
  }
  throw brickccl::Error("the program that makes surfaces, " BRICKCCL_SURFACES
                        ", lies neither beside this one nor in '" +
                        installed.lexically_normal().string() + "'; install BrickCCL as a whole");
}

} // namespace

#endif

int
main(int argc, char ** argv)
{
#ifdef BRICKCCL_USE_VTK
  if (argc > 1 && std::string(argv[1]) == "mesh")
  {
    try
    {
      ContinueAsSurfaces(argv);
    }
    catch (const std::exception & error)
    {
      std::cerr << "brickccl: error: " << error.what() << std::endl;
      return 1;
    }
  }
#endif
  CLI::App app("BrickCCL: connected components of CT and medical volumes, labeled and measured", "brickccl");
  app.set_version_flag("--version", brickccl::Version);
  app.require_subcommand(1);
  brickccl::cli::AddLabelCommand(app);
  brickccl::cli::AddStatsCommand(app);
  brickccl::cli::AddSelectCommand(app);
  brickccl::cli::AddCleanCommand(app);
  brickccl::cli::AddSweepCommand(app);
#ifdef BRICKCCL_USE_VTK
  // It is here only for the list of commands.
  app.add_subcommand("mesh", brickccl::cli::MeshSummary);
#endif
  brickccl::cli::AddInfoCommand(app);
  brickccl::cli::AddPhantomCommand(app);
  brickccl::cli::AddBatchCommand(app);
  brickccl::cli::AddRecipeCommand(app);
  brickccl::cli::AddReportCommand(app);
  brickccl::cli::AddScoreCommand(app);
  brickccl::cli::AddCompareCommand(app);
  brickccl::cli::AddHelpCommands(app);
  brickccl::cli::ArrangeHelp(app);
  return brickccl::cli::RunApp(app, argc, argv);
}
