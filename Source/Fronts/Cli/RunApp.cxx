// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/RunApp.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Isolation/EndAtInterrupt.h"
#include "BrickCCL/Host/System.h"

#include <algorithm>
#include <iostream>
#include <new>

namespace brickccl::cli
{

/** An empty text is a script's unset variable; ignoring it would be another job. \throws CLI::ValidationError */
static void
RefuseEmptyTexts(int argc, char ** argv)
{
  std::string before = "an argument";
  for (int place = 1; place < argc; ++place)
  {
    const std::string text = argv[place];
    const bool        isEmptyValue = text.size() > 3 && text.rfind("--", 0) == 0 && text.find('=') == text.size() - 1;
    if (text.empty() || isEmptyValue)
    {
      throw CLI::ValidationError(text.empty() ? before : text.substr(0, text.size() - 1),
                                 "'' is empty; give a value, or omit the option");
    }
    // An option has up to three values.
    before = text.front() == '-' && text.size() > 1 ? text : before;
  }
}

/** A message, whose lines are kept, without what would steer a terminal. */
static std::string
Message(const std::string & text)
{
  return Printable(text, "\n");
}

int
RunApp(CLI::App & app, int argc, char ** argv, bool takesEmptyTexts)
{
  CatchInterrupts();
  EndAtInterrupt(app.get_name() + ": stopped; outputs not yet written are unchanged\n");
  static const std::string shortened =
    app.get_name() + ": error: a file was shortened, or its disk failed, during reading\n";
  CatchShortenedFiles(shortened.c_str());
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  CalledArguments = arguments;
  CalledApp = &app;
  try
  {
    if (!takesEmptyTexts)
    {
      RefuseEmptyTexts(argc, argv);
      if (const std::string missing = FindMissingValue(app, arguments); !missing.empty())
      {
        throw CLI::ArgumentMismatch(missing);
      }
      FitValueCounts(app, arguments);
    }
    app.parse(argc, argv);
    ThrowIf(!std::cout.flush(), "cannot write the summary to standard output");
    return 0;
  }
  catch (const CLI::Success & success)
  {
    const int code = app.exit(success);
    if (!std::cout.flush())
    {
      std::cerr << app.get_name() << ": error: cannot write to standard output" << std::endl;
      return 1;
    }
    return code;
  }
  catch (const CLI::RuntimeError & error)
  {
    // The message was printed already.
    return error.get_exit_code();
  }
  catch (const CLI::ParseError & error)
  {
    // An option that is not there is the cause of what else may be missing or too much.
    const std::string misspelled = FindMisspelled(app, arguments);
    std::cerr << app.get_name()
              << ": error: " << Message(misspelled.empty() ? DescribeArgumentFault(app, error, arguments) : misspelled)
              << std::endl;
    return error.get_exit_code();
  }
  catch (const std::bad_alloc &)
  {
    std::cerr << app.get_name() << ": error: not enough memory for this volume" << std::endl;
    return 1;
  }
  catch (const std::exception & error)
  {
    // After an interrupt, its cause may be that what it worked on was removed.
    const bool isInterrupted = WasInterrupted() || dynamic_cast<const Canceled *>(&error) != nullptr;
    std::cerr << (isInterrupted ? MessageAtInterrupt() : app.get_name() + ": error: " + Message(error.what()) + '\n')
              << std::flush;
    return isInterrupted ? 130 : 1;
  }
}

} // namespace brickccl::cli
