// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_CLI_SURFACESPROGRAM_H
#define BRICKCCL_CLI_SURFACESPROGRAM_H

#include <string>

namespace brickccl::cli
{

/** The path of the program with the commands that need VTK; it is separate because loading VTK's libraries takes as
 *  long as labeling a volume. It is next to this program in the build tree, and in libexec after installation.
 *  \return empty if it is missing or was not built */
std::string FindSurfacesProgram();

/** Goes on as that program, with the same arguments. \throws Error if it is not there. */
[[noreturn]] void ContinueAsSurfaces(char ** arguments);

} // namespace brickccl::cli

#endif
