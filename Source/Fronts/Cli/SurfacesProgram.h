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

/** Continues as that program, with the same arguments. Returns if it is missing and they ask for help.
 *  \throws Error if it is missing. */
void ContinueAsSurfaces(char ** arguments);

} // namespace brickccl::cli

#endif
