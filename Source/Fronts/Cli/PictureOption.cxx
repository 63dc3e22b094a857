#include "BrickCCL/Cli/PictureOption.h"

#include "BrickCCL/Core/Printable.h"

namespace brickccl::cli
{

void
AddPictureOption(CLI::App & command, std::string & picture)
{
  command
    .add_option("--picture", picture, "draw slices through the largest component, with a scale bar and sizes: .png")
    ->type_name("FILE")
    ->check([](const std::string & path) {
      const bool png = path.size() > 4 && path.compare(path.size() - 4, 4, ".png") == 0;
      return png ? std::string() : "a picture's name must end in .png, unlike " + Quoted(path);
    });
}

} // namespace brickccl::cli
