// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/RunApp.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Phantoms/Phantoms.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace brickccl::cli
{

namespace
{

struct PhantomArguments
{
  std::string               kind;
  std::string               output;
  std::vector<std::int64_t> size;
  std::vector<double>       spacing;
  std::uint64_t             seed = 1;
  std::optional<double>     density;
  std::optional<int>        grain;

  /** Of scans. */
  std::string           truth;
  std::optional<double> noise;
  std::optional<double> blur;
  std::optional<double> rings;
  std::optional<double> hardening;
  std::vector<double>   diameters;

  bool quiet = false;

  bool
  IsScan() const
  {
    return kind == "log" || kind == "casting" || kind == "print";
  }
};

void
CheckKind(const PhantomArguments & arguments, const CLI::App & command)
{
  using Kinds = std::vector<std::string>;
  const Kinds                          scans = { "log", "casting", "print" };
  const std::pair<const char *, Kinds> options[] = {
    { "--truth", { "log", "casting", "print", "powder", "foam" } },
    { "--noise", scans },
    { "--blur", scans },
    { "--rings", scans },
    { "--hardening", scans },
    { "--diameters", { "print" } },
    { "--density", { "balls", "random", "powder" } },
    { "--grain", { "random", "grains", "foam" } },
  };
  for (const auto & [name, kinds] : options)
  {
    ThrowIf<InvalidArgument>(command.count(name) > 0 &&
                               std::find(kinds.begin(), kinds.end(), arguments.kind) == kinds.end(),
                             std::string(name) + " works only with the phantom" + (kinds.size() > 1 ? "s " : " ") +
                               ListOf(kinds) + ", not with " + arguments.kind);
  }
}

Geometry
GeometryOf(const PhantomArguments & arguments, std::size_t dimension)
{
  Geometry geometry;
  if (arguments.spacing.empty() && arguments.kind == "log")
  {
    geometry.spacing[0] = geometry.spacing[1] = 2;
    geometry.spacing[2] = 4;
  }
  if (arguments.spacing.empty())
  {
    return geometry;
  }
  ThrowIf<InvalidArgument>(arguments.spacing.size() != dimension,
                           "--spacing has " + std::to_string(arguments.spacing.size()) + " values, but the size has " +
                             std::to_string(dimension) + "; give one for each axis");
  for (std::size_t axis = 0; axis < dimension; ++axis)
  {
    ThrowIf<InvalidArgument>(
      !(arguments.spacing[axis] >= files::MinimumSpacing && arguments.spacing[axis] <= files::MaximumSpacing),
      "the spacing " + Shortest(arguments.spacing[axis]) + " is invalid; it must be above 0, from 1e-30 to 1e30 mm");
    geometry.spacing[axis] = arguments.spacing[axis];
  }
  return geometry;
}

struct ImageWriter
{
  void
  Write(const std::string & path, ScalarType type, const void * voxels) const
  {
    reporter.Step("writing " + path);
    const ProgressHooks hooks = reporter.Hooks();
    WriteImageFile(path, ImageToWrite::FromMemory(voxels, type, extent, geometry), { true, { 0, Progress(hooks) } });
  }

  const Extent &   extent;
  const Geometry & geometry;
  Reporter &       reporter;
};

void
WriteScan(const PhantomArguments & arguments, const ImageWriter & writer)
{
  const Extent & extent = writer.extent;
  ScanArtifacts  artifacts = arguments.kind == "log"     ? ScanArtifacts::OfLog()
                           : arguments.kind == "casting" ? ScanArtifacts::OfCasting()
                                                         : ScanArtifacts::OfPrint();
  artifacts.noise = arguments.noise.value_or(artifacts.noise);
  artifacts.blur = arguments.blur.value_or(artifacts.blur);
  artifacts.rings = arguments.rings.value_or(artifacts.rings);
  artifacts.hardening = arguments.hardening.value_or(artifacts.hardening);
  const Scan scan = arguments.kind == "log"     ? MakeLog(extent, arguments.seed, artifacts)
                  : arguments.kind == "casting" ? MakeCasting(extent, arguments.seed, artifacts)
                                                : MakePrint(extent, arguments.seed, artifacts, arguments.diameters);
  writer.Write(arguments.output, ScalarType::Int16, scan.image.data());
  if (!arguments.truth.empty())
  {
    writer.Write(arguments.truth, ScalarType::UInt8, scan.truth.data());
  }
}

void
WriteObjects(const PhantomArguments & arguments, const ImageWriter & writer)
{
  const std::vector<std::uint32_t> objects =
    arguments.kind == "powder" ? MakePowder(writer.extent, arguments.density.value_or(0.4), arguments.seed)
                               : MakeFoam(writer.extent, arguments.grain.value_or(24), arguments.seed);
  std::vector<std::uint8_t> mask(objects.size());
  std::transform(objects.begin(), objects.end(), mask.begin(), [](std::uint32_t object) {
    return object == 0 ? 0 : 1;
  });
  writer.Write(arguments.output, ScalarType::UInt8, mask.data());
  if (!arguments.truth.empty())
  {
    writer.Write(arguments.truth, ScalarType::UInt32, objects.data());
  }
}

void
RunPhantom(const PhantomArguments & arguments, const CLI::App & command)
{
  CheckKind(arguments, command);
  const std::vector<std::int64_t>   preset = { 128, 128, arguments.IsScan() ? 96 : 128 };
  const std::vector<std::int64_t> & size = arguments.size.empty() ? preset : arguments.size;
  const Extent                      extent(static_cast<int>(size.size()), size.data());
  const Geometry                    geometry = GeometryOf(arguments, size.size());
  CheckOutputs({}, { { "OUT", arguments.output }, { "--truth", arguments.truth } });
  const bool isGrains = arguments.kind == "grains";
  CheckImageFileWritable(arguments.output,
                         arguments.IsScan() || isGrains ? ScalarType::Int16 : ScalarType::UInt8,
                         extent);
  Reporter          reporter(arguments.quiet);
  const ImageWriter writer{ extent, geometry, reporter };
  reporter.Step("making " + arguments.kind);
  ReplacedTogether together;
  if (arguments.IsScan())
  {
    WriteScan(arguments, writer);
  }
  else if (arguments.kind == "powder" || arguments.kind == "foam")
  {
    WriteObjects(arguments, writer);
  }
  else if (isGrains)
  {
    const std::vector<std::int16_t> voxels = MakeGrains(extent, arguments.grain.value_or(16), arguments.seed);
    writer.Write(arguments.output, ScalarType::Int16, voxels.data());
  }
  else
  {
    const std::vector<std::uint8_t> voxels =
      arguments.kind == "balls"
        ? MakeBalls(extent, arguments.density.value_or(0.2), arguments.seed)
        : MakeRandom(extent, arguments.density.value_or(0.5), arguments.grain.value_or(1), arguments.seed);
    writer.Write(arguments.output, ScalarType::UInt8, voxels.data());
  }
  together.Move();
  if (!arguments.quiet)
  {
    reporter.Note("");
    std::cout << Printable(arguments.output) << ": " << arguments.kind << ", " << extent.ToString()
              << (extent.dimension == 1 ? " voxels along x, the only axis; --size X Y Z makes a volume" : "")
              << std::endl;
  }
}

void
AddScanOptions(CLI::App & command, PhantomArguments & arguments)
{
  command
    .add_option("--truth",
                arguments.truth,
                "CT: write what each voxel is: 1 crack, 2 knot, 3 pore; powder, foam: objects (numbers may have gaps)")
    ->type_name("FILE");
  const auto add = [&](const char * name, auto & value, double most, const char * unit, const std::string & help) {
    command.add_option(name, value, "CT: " + help)->type_name(unit)->check(Takes({ job::Kind::Number, 0, most }));
  };
  constexpr double mostHu = 10000;
  add("--noise",
      arguments.noise,
      mostHu,
      "HU",
      "standard deviation of the noise; default: log 22, casting 40, print 60");
  add("--blur", arguments.blur, 20, "VOXELS", "standard deviation of the blur; default: log and casting 0, print 0.5");
  add("--rings",
      arguments.rings,
      mostHu,
      "HU",
      "ring artifacts of up to this many HU, in every sixth ring; default: log and casting 0, print 40");
  add("--hardening",
      arguments.hardening,
      mostHu,
      "HU",
      "beam hardening: the middle is this many HU darker than the rim; default: log 0, casting and print 150");
  command
    .add_option("--diameters",
                arguments.diameters,
                "print: make only separate balls as pores, with these diameters (voxels) in turn")
    ->expected(1, 64)
    ->check(Takes({ job::Kind::Number, 1, 1000 }))
    ->type_name("D ...");
}

} // namespace

void
AddPhantomCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<PhantomArguments>();
  CLI::App * command = app.add_subcommand("phantom", "Make a synthetic image, bit for bit the same everywhere");
  command
    ->add_option(
      "KIND",
      arguments->kind,
      "casting (CT of metal), print (of a printed part), log (of wood), grains, balls, random, powder (touching "
      "balls), foam (its cells)")
    ->required()
    ->check(OneOf({ "balls", "random", "grains", "powder", "foam", "log", "casting", "print" }));
  command->add_option("OUT", arguments->output, "image to write")->required();
  command->add_option("--size", arguments->size, "voxels along x, y, z (default: 128 each; CT: 96 in z)")
    ->expected(1, 4)
    ->transform(Count(1, 1e12))
    ->type_name("X [Y [Z [T]]]");
  command->add_option("--spacing", arguments->spacing, "voxel size in mm; default: 1, log 2 2 4")
    ->expected(1, 4)
    ->transform(Takes({ job::Kind::Above, -job::Finite, job::Finite, "mm" }))
    ->type_name("X [Y [Z [T]]]");
  command->add_option("--seed", arguments->seed, "seed of the random numbers")
    ->type_name("N")
    ->transform(Count(0))
    ->capture_default_str();
  command
    ->add_option("--density",
                 arguments->density,
                 "balls, random, powder: share of foreground, 0 to 1 (default 0.2, 0.5, 0.4)")
    ->type_name("SHARE")
    ->check(Takes({ job::Kind::Number, 0, 1 }));
  command
    ->add_option("--grain",
                 arguments->grain,
                 "random: side of the cubes (default 1); grains, foam: about their width (default 16, 24)")
    ->type_name("VOXELS")
    ->transform(Count(1, std::numeric_limits<int>::max()));
  AddScanOptions(*command, *arguments);
  command->add_flag("--quiet", arguments->quiet, "print only errors");
  command->callback([arguments, command] { RunPhantom(*arguments, *command); });
}

} // namespace brickccl::cli
