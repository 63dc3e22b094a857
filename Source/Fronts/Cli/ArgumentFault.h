#ifndef BRICKCCL_CLI_ARGUMENTFAULT_H
#define BRICKCCL_CLI_ARGUMENTFAULT_H

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace brickccl::cli
{

/** An option in whose value's place the name of another option stands, which would be taken for the value: a sentence
 *  that says so. Empty if there is none. */
std::string FindMissingValue(const CLI::App & app, const std::vector<std::string> & arguments);

/** What is wrong with arguments that were not understood, and what would be right. */
std::string
DescribeArgumentFault(const CLI::App & app, const CLI::ParseError & error, const std::vector<std::string> & arguments);

} // namespace brickccl::cli

#endif
