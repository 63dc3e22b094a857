#include "BrickCCL/Cli/RunApp.h"

#include "BrickCCL/Cli/Spelling.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/System.h"

#include <algorithm>
#include <iostream>
#include <new>
#include <string>
#include <vector>

namespace brickccl::cli
{

int
RunApp(CLI::App & app, int argc, char ** argv)
{
  CatchInterrupts();
  CatchShortenedFiles("brickccl: error: a file was shortened, or its disk failed, while it was read\n");
  try
  {
    app.parse(argc, argv);
    if (!std::cout.flush())
    {
      throw Error("the summary could not be written to the standard output");
    }
    return 0;
  }
  catch (const CLI::Success & success)
  {
    return app.exit(success);
  }
  catch (const CLI::ParseError & error)
  {
    // An option that is not there is the cause of what else may be missing or too much.
    const std::string misspelled = FindMisspelled(app, std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
    if (misspelled.empty())
    {
      return app.exit(error);
    }
    std::cerr << "brickccl: error: " << misspelled << std::endl;
    return error.get_exit_code();
  }
  catch (const Cancelled &)
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

} // namespace brickccl::cli
