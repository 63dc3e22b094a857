#ifndef BRICKCCL_HOST_PROGRAM_H
#define BRICKCCL_HOST_PROGRAM_H

#include <string>

namespace brickccl
{

/** The path of the running program, with links resolved. \throws Error if the system does not tell. */
std::string ProgramPath();

/** Runs another program in place of this one, with the same arguments, and does not come back. If the system cannot
 *  replace a process, it waits for the program and ends with its exit code. \throws Error if it cannot be started. */
[[noreturn]] void ContinueAs(const std::string & program, char ** arguments);

} // namespace brickccl

#endif
