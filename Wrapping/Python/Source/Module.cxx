// SPDX-License-Identifier: Apache-2.0
#include "Bricks.h"
#include "Cleaning.h"
#include "DeviceLabels.h"
#include "LabelMemory.h"
#include "LabeledRuns.h"
#include "Rules.h"
#include "Splitting.h"
#include "Table.h"

#include "BrickCCL/BrickCCL.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <new>

namespace brickccl::python
{

namespace
{

/** The library's errors as Python's, with their sentences. */
void
TranslateError(const std::exception_ptr & error, void *)
{
  try
  {
    std::rethrow_exception(error);
  }
  catch (const LabelOverflow & exception)
  {
    PyErr_SetString(PyExc_OverflowError, exception.what());
  }
  catch (const InvalidArgument & exception)
  {
    PyErr_SetString(PyExc_ValueError, exception.what());
  }
  catch (const Unsupported & exception)
  {
    PyErr_SetString(PyExc_NotImplementedError, exception.what());
  }
  catch (const Error & exception)
  {
    PyErr_SetString(PyExc_RuntimeError, exception.what());
  }
  catch (const std::bad_alloc &)
  {
    PyErr_SetString(PyExc_MemoryError,
                    "not enough memory for this volume; brickccl.big labels volumes larger than memory, by bricks");
  }
}

nb::dict
DescribeBuild()
{
  nb::list algorithms;
  for (const AlgorithmInfo & algorithm : ListAlgorithms())
  {
    nb::list runsOn;
    if (algorithm.runsOnCpu)
    {
      runsOn.append("cpu");
    }
    if (algorithm.runsOnCuda)
    {
      runsOn.append("cuda");
    }
    nb::dict row;
    row["name"] = algorithm.name;
    row["summary"] = algorithm.summary;
    row["runs_on"] = runsOn;
    algorithms.append(row);
  }
  nb::dict info;
  info["version"] = Version;
  info["build"] = BRICKCCL_BUILD_OPTIONS;
  info["devices"] = DescribeDevices();
  info["algorithms"] = algorithms;
  return info;
}

} // namespace

} // namespace brickccl::python

NB_MODULE(_core, module)
{
  using namespace brickccl::python;
  module.doc() = "The engine, for the functions of the package.";
  nb::register_exception_translator(&TranslateError);
  module.attr("version") = brickccl::Version;
  BindTables(module);
  BindRules(module);
  BindCleaning(module);
  BindSplitting(module);
  BindLabeledRuns(module);
  BindDeviceLabels(module);
  BindBricks(module);
  module.def("new_label_memory",
             &NewLabelMemory,
             nb::arg("bytes"),
             nb::sig("def new_label_memory(bytes: int) -> numpy.typing.NDArray[numpy.uint8]"));
  module.def("release_label_memory", &FreeKeptLabelMemory, nb::sig("def release_label_memory() -> int"));
  module.def("release_run_memory", &FreeKeptRuns, nb::sig("def release_run_memory() -> int"));
  module.def("info", &DescribeBuild, nb::sig("def info() -> dict[str, typing.Any]"));
}
