#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Report.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Version.h"

#include <iostream>
#include <new>

int
main(int argc, char ** argv)
{
  CLI::App app("BrickCCL: connected components of CT and medical volumes, labeled and measured", "brickccl");
  app.set_version_flag("--version", brickccl::Version);
  app.require_subcommand(1);
  brickccl::cli::AddLabelCommand(app);
  brickccl::cli::AddStatsCommand(app);
  brickccl::cli::AddSelectCommand(app);
#ifdef BRICKCCL_USE_VTK
  brickccl::cli::AddMeshCommand(app);
#endif
  brickccl::cli::AddInfoCommand(app);
  brickccl::cli::AddPhantomCommand(app);
  brickccl::CatchInterrupts();
  brickccl::CatchShortenedFiles("brickccl: error: a file was shortened, or its disk failed, while it was read\n");
  try
  {
    app.parse(argc, argv);
    if (!std::cout.flush())
    {
      throw brickccl::Error("the summary could not be written to the standard output");
    }
    return 0;
  }
  catch (const CLI::ParseError & error)
  {
    return app.exit(error);
  }
  catch (const brickccl::Cancelled &)
  {
    std::cerr << "brickccl: stopped; what was not written by then is as it was before" << std::endl;
    return 130;
  }
  catch (const std::bad_alloc &)
  {
    std::cerr << "brickccl: error: not enough memory for this volume" << std::endl;
    return 1;
  }
  catch (const std::exception & error)
  {
    std::cerr << "brickccl: error: " << error.what() << std::endl;
    return 1;
  }
}
