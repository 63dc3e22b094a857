#ifndef BRICKCCL_DISPATCH_DEVICE_H
#define BRICKCCL_DISPATCH_DEVICE_H

#include <future>
#include <string>
#include <vector>

namespace brickccl
{

/** Where labeling runs. */
struct Device
{
  enum class Kind
  {
    /** The best device that is there. */
    Auto,
    Cpu,
    Cuda
  };

  Kind kind = Kind::Auto;
  int  index = 0;
  /** Further CUDA devices. Volumes are then labeled by slabs on all of them at the same time. */
  std::vector<int> others = {};
  /** Whether all CUDA devices of the machine are meant. */
  bool isAll = false;

  /** Reads "auto", "cpu", "cuda", "cuda:N", "cuda:N,M,..." or "cuda:all". \throws InvalidArgument for other names, and
   *  for a device that is named twice. */
  static Device FromName(const std::string & name);

  std::string ToString() const;

  /** The numbers of its CUDA devices. */
  std::vector<int> Indices() const;
};

/** What a request for a device comes to on this machine: the device that is used and, if it is not the one that was
 *  asked for, one sentence that says why. */
struct ResolvedDevice
{
  Device      device;
  std::string remark;
};

ResolvedDevice ResolveDevice(const Device & requested);

/** Begins to make a CUDA device ready that is asked for by name, on a thread of its own. This takes some tenths of a
 *  second. Work that is done meanwhile, such as reading a file, hides them. The result's destructor waits for the
 *  end. */
std::future<void> PrepareDevice(const Device & requested);

/** One line for each device that labeling can run on, the CPU first. */
std::vector<std::string> DescribeDevices();

} // namespace brickccl

#endif
