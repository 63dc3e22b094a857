#ifndef BRICKCCL_CLI_PICTUREOPTION_H
#define BRICKCCL_CLI_PICTUREOPTION_H

#include <CLI/CLI.hpp>

#include <string>

namespace brickccl::cli
{

/** Adds --picture, the name of a PNG file. */
void AddPictureOption(CLI::App & command, std::string & picture);

} // namespace brickccl::cli

#endif
