// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace brickccl
{

/** The path of the running program, with links resolved. \throws Error if the system does not report it. */
std::string ProgramPath();

/** The path of a program in one of the folders that PATH names; empty if there is none. */
std::string FindProgram(const std::string & name);

/** For a program that has loaded the library of X: starts an X server without a screen (Xvfb), which the environment
 *  then names and which ends with this process. Without one, the server that the environment names must answer.
 *  \throws Unsupported, which says what to install, if there is neither. It is not for Windows. */
void ProvideXServer();

/** Runs another program in place of this one, with the same arguments, and does not come back. If the system cannot
 *  replace a process, it waits for the program and ends with its exit code. \throws Error if it cannot be started. */
[[noreturn]] void ContinueAs(const std::string & program, char ** arguments);

/** How a program ended, and what it wrote to its error stream. */
struct ProgramEnd
{
  int         exitCode = 0;
  std::string errors;
};

/** Runs a program and waits for it; its output stream goes nowhere. An interrupt of this process (CatchInterrupts) ends
 *  it. \param arguments  the program's path, and its arguments. \throws Error if it cannot be started. */
ProgramEnd RunProgram(const std::vector<std::string> & arguments);

} // namespace brickccl
