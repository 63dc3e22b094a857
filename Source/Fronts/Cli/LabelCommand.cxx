// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/JobOptions.h"
#include "BrickCCL/Cli/RunLabel.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Job/JobCriterion.h"

#include <memory>

namespace brickccl::cli
{

constexpr std::pair<const char *, std::string job::Job::*> Outputs[] = {
  { "--statistics", &job::Job::statistics },  { "--contacts", &job::Job::contacts },
  { "--schema", &job::Job::schema },          { "OUTPUT", &job::Job::output },
  { "--picture", &job::Job::picture },        { "--save-smoothed", &job::Job::saveSmoothed },
  { "--color-table", &job::Job::colorTable },
};

ColumnGroups
CheckJob(const job::Job & job, NamedFiles & outputs)
{
  ThrowIf<InvalidArgument>(job.below && job.threshold.empty() && !(job.pores && !job.range),
                           "--below needs a threshold: --threshold METHOD, or --pores without --range");
  ThrowIf<InvalidArgument>(job.memory > 0 && job::HasLocalThreshold(job),
                           "--threshold " + job.threshold +
                             " needs the whole volume and cannot be combined with --memory");
  ThrowIf<InvalidArgument>(job.memory > 0 && job.pores && !job.split.empty(),
                           "--split of --pores needs the whole volume and cannot be combined with --memory");
  job::SplitHeightOf(job.split.empty() ? "auto" : job.split, !job.splitBy.empty());
  job::CriterionOf(job);
  CheckSeeds(job);
  Device::FromName(job.device);
  ColumnGroups groups = CheckTableArguments(job, "--statistics");
  CheckUnits(job, false, "--statistics or --print");
  CheckIntensity(job, !job.picture.empty(), "--statistics, --print or --picture");
  ThrowIf<InvalidArgument>(job.output.empty() && !job.IsWanted() && !job.json && job.picture.empty() &&
                             job.saveSmoothed.empty() && job.record.empty() && job.quiet,
                           "nothing to do: give OUTPUT, the label map, --statistics or --picture, or omit --quiet");
  for (const auto & [name, member] : Outputs)
  {
    outputs.emplace_back(name, job.*member);
  }
  outputs.emplace_back("--record", job.record);
  CheckFiles(job,
             { { "INPUT", job.input },
               { "--names", job.names },
               { "--neighborhood", NeighborhoodFile(job) },
               { "--mask", job.mask },
               { "--intensity", job.intensity },
               { "--part", job.part },
               { "--zones", job.zones },
               { "--touching", job.touching },
               { "--seeds", job.seeds },
               { "--split-by", job.splitBy },
               { "--split-seeds", job.splitSeeds } },
             outputs);
  CheckImageName(job.output, job.dicomSeg);
  CheckImageName(job.saveSmoothed);
  return groups;
}

void
AddLabelCommand(CLI::App & app, const FrontEnd & frontEnd)
{
  auto       job = std::make_shared<job::Job>();
  CLI::App * command = app.add_subcommand("label", "Label the connected components of an image");
  command->add_option("INPUT", job->input, std::string("image") + FilesRead)->required();
  command->add_option("OUTPUT", job->output, "label map; if left out, only other outputs are written");
  AddOptions(*command, *job, "");
  if (frontEnd.record)
  {
    command->add_option("--record", job->record, "write what was run, on which files, by whom: `brickccl rerun FILE`")
      ->type_name("FILE")
      ->excludes(command->get_option("--work"));
  }
  command->callback([job, frontEnd] {
    const auto outputs = Mapped(Outputs, [&](const auto & output) { return &(*job.*output.second); });
    frontEnd.redirect ? frontEnd.redirect(outputs, job->record) : void();
    RunLabel(*job, frontEnd);
  });
}

} // namespace brickccl::cli
