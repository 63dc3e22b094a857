#ifndef BRICKCCL_HOST_PROGRAM_H
#define BRICKCCL_HOST_PROGRAM_H

#include <string>

namespace brickccl
{

/** The path of the program that runs, links resolved. \throws Error if the system does not tell. */
std::string ProgramPath();

/** Runs another program in the place of this one, with the same arguments; does not come back, but where the system
 *  cannot replace a process, waits for it and ends with its exit code. \throws Error if it cannot be started. */
[[noreturn]] void ContinueAs(const std::string & program, char ** arguments);

} // namespace brickccl

#endif
