// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Isolation/Program.h"

#include <filesystem>

namespace brickccl::cli
{

static std::filesystem::path
InstalledProgram()
{
  return std::filesystem::path(ProgramPath()).parent_path() / BRICKCCL_LIBEXEC_FROM_BIN / BRICKCCL_SURFACES;
}

std::string
FindSurfacesProgram()
{
#ifdef BRICKCCL_USE_VTK
  const std::filesystem::path beside = std::filesystem::path(ProgramPath()).parent_path() / BRICKCCL_SURFACES;
  for (const std::filesystem::path & program : { beside, InstalledProgram() })
  {
    std::error_code failure;
    if (std::filesystem::exists(program, failure))
    {
      return program.string();
    }
  }
#endif
  return {};
}

void
ContinueAsSurfaces(char ** arguments)
{
#ifndef BRICKCCL_USE_VTK
  throw Error(std::string("this build has no '") + arguments[1] +
              "', which needs VTK; install the archive brickccl-VERSION-linux-x86_64.tar.gz of a release"
#  ifdef _WIN32
              " on Linux");
#  else
              ", or build with VTK: cmake --preset release && cmake --build --preset release");
#  endif
#endif
  const std::string program = FindSurfacesProgram();
  if (program.empty())
  {
    const std::string first = arguments[2] == nullptr ? "" : arguments[2];
    if (first == "-h" || first.rfind("--help", 0) == 0)
    {
      return;
    }
    throw Error("the program for surfaces, " BRICKCCL_SURFACES ", is neither next to this one nor in '" +
                InstalledProgram().lexically_normal().string() + "'; install all of BrickCCL");
  }
  ContinueAs(program, arguments);
}

} // namespace brickccl::cli
