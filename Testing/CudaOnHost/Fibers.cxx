// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <vector>

#ifndef __x86_64__
#  include <ucontext.h>
#endif

#ifdef __SANITIZE_ADDRESS__
#  include <sanitizer/common_interface_defs.h>
#endif

namespace brickccl::cuda::onhost
{

namespace
{

constexpr std::size_t StackBytes = 128 * 1024;

/** Kernels without barriers take their elements in steps of the number of threads (ShapeFor): what a large device needs
 *  to be full would be work for nothing here. */
constexpr unsigned MaximumBlocks = 3;

void RunFiber();

#ifdef __x86_64__

/** The position of a thread of control: its stack, on which lie the registers that a call keeps. Switching takes a few
 *  nanoseconds; swapcontext asks the system for its mask of signals each time. */
using Context = void *;

extern "C" void brickcclSwitchStack(void ** from, void * to);
asm(".text\n"
    ".type brickcclSwitchStack,@function\n"
    "brickcclSwitchStack:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    ".size brickcclSwitchStack, . - brickcclSwitchStack\n");

void
Switch(Context & from, Context & to)
{
  brickcclSwitchStack(&from, to);
}

/** Makes RunFiber what a switch to the context begins. */
void
Prepare(Context & context, char * stack)
{
  constexpr int keptRegisters = 6;
  auto **       top = reinterpret_cast<void **>(reinterpret_cast<std::uintptr_t>(stack + StackBytes) / 16 * 16);
  // As if RunFiber had been called: the place of its return address is 8 bytes above a multiple of 16.
  *--top = nullptr;
  *--top = reinterpret_cast<void *>(RunFiber);
  context = std::fill_n(top - keptRegisters, keptRegisters, nullptr) - keptRegisters;
}

#else

using Context = ucontext_t;

void
Switch(Context & from, Context & to)
{
  swapcontext(&from, &to);
}

void
Prepare(Context & context, char * stack)
{
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = StackBytes;
  context.uc_link = nullptr;
  makecontext(&context, RunFiber, 0);
}

#endif

struct Fiber
{
  Context                 context = {};
  std::unique_ptr<char[]> stack{ new char[StackBytes] };
  bool                    finished = false;
  void *                  fakeStack = nullptr;
  /** Whether it waits at a barrier, and whether only for its warp. */
  bool     waits = false;
  bool     ofWarp = false;
  unsigned exchanges = 0;
};

constexpr unsigned LanesPerWarp = 32;

/** Values that the lanes of a warp leave for each other. Two places in turn suffice: who comes to the next but one
 * exchange knows that all have been at the next, and so have read the last. */
struct Warp
{
  std::uint64_t places[2][LanesPerWarp];
};

/** The block that runs now. */
struct Block
{
  Context                       scheduler = {};
  void *                        schedulerFakeStack = nullptr;
  const void *                  schedulerStack = nullptr;
  std::size_t                   schedulerStackBytes = 0;
  const std::function<void()> * kernel = nullptr;
  Fiber *                       running = nullptr;
};

/** Held by who launches a kernel, until it has run: all that follows, and the kernels' shared memory, is there once. */
std::mutex         device;
Block *            currentBlock = nullptr;
std::vector<Fiber> fibers;
std::vector<Warp>  warps;

void
SwitchToFiber(Block & block, Fiber & fiber)
{
  block.running = &fiber;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&block.schedulerFakeStack, fiber.stack.get(), StackBytes);
#endif
  Switch(block.scheduler, fiber.context);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(block.schedulerFakeStack, nullptr, nullptr);
#endif
}

void
SwitchToScheduler(Block & block, Fiber & fiber)
{
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(fiber.finished ? nullptr : &fiber.fakeStack,
                                 block.schedulerStack,
                                 block.schedulerStackBytes);
#endif
  Switch(fiber.context, block.scheduler);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fiber.fakeStack, &block.schedulerStack, &block.schedulerStackBytes);
#endif
}

void
RunFiber()
{
  Block & block = *currentBlock;
  Fiber & fiber = *block.running;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(nullptr, &block.schedulerStack, &block.schedulerStackBytes);
#endif
  (*block.kernel)();
  fiber.finished = true;
  SwitchToScheduler(block, fiber);
}

bool
AllDone(unsigned begin, unsigned end)
{
  return std::all_of(fibers.begin() + begin, fibers.begin() + end, [](const Fiber & fiber) { return fiber.finished; });
}

/** Runs the threads [begin, end) until all of them have finished or wait for the block. */
void
RunWarp(Block & block, unsigned begin, unsigned end, bool forward)
{
  bool isFirst = true;
  for (bool again = true; again; isFirst = false)
  {
    again = false;
    for (unsigned i = 0; i < end - begin; ++i)
    {
      const unsigned thread = forward ? begin + i : end - 1 - i;
      Fiber &        fiber = fibers[thread];
      // In the first round all continue from the block's barrier; then those that waited for their warp.
      if (!fiber.finished && (isFirst || fiber.ofWarp))
      {
        threadIdx = dim3(thread, 0, 0);
        fiber.waits = fiber.ofWarp = false;
        SwitchToFiber(block, fiber);
        again = again || (fiber.waits && fiber.ofWarp);
      }
    }
    const auto leftOut = [](const Fiber & fiber) { return fiber.waits && !fiber.ofWarp; };
    if (again && std::any_of(fibers.begin() + begin, fibers.begin() + end, leftOut))
    {
      std::fputs("lanes of a warp wait for the warp while others wait for the block\n", stderr);
      std::abort();
    }
  }
}

} // namespace

void
RunThreads(dim3 blocks, dim3 threads, const std::function<void()> & kernel)
{
  const std::lock_guard<std::mutex> lock(device);
  gridDim = dim3(std::min(blocks.x, MaximumBlocks), blocks.y);
  blockDim = threads;
  for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y)
  {
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x)
    {
      for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x)
      {
        kernel();
      }
    }
  }
  blockIdx.y = 0;
}

void
RunBlocks(dim3 blocks, dim3 threads, const std::function<void()> & kernel)
{
  const std::lock_guard<std::mutex> lock(device);
  gridDim = blocks;
  blockDim = threads;
  if (fibers.size() < threads.x)
  {
    fibers = std::vector<Fiber>(threads.x);
    warps = std::vector<Warp>(threads.x / LanesPerWarp + 1);
  }
  for (unsigned b = 0; b < blocks.x; ++b)
  {
    blockIdx = dim3(b, 0, 0);
    Block block;
    block.kernel = &kernel;
    currentBlock = &block;
    for (unsigned thread = 0; thread < threads.x; ++thread)
    {
      Fiber & fiber = fibers[thread];
      fiber.finished = false;
      fiber.waits = false;
      fiber.exchanges = 0;
      fiber.fakeStack = nullptr;
      Prepare(fiber.context, fiber.stack.get());
    }
    // Each round runs every warp up to its next barrier of the block, its lanes in turns from the front and from the
    // back.
    for (bool forward = true; !AllDone(0, threads.x); forward = !forward)
    {
      for (unsigned first = 0; first < threads.x; first += LanesPerWarp)
      {
        RunWarp(block, first, std::min(first + LanesPerWarp, threads.x), forward);
      }
    }
    currentBlock = nullptr;
  }
}

void
MeetAtBarrier(bool ofWarp)
{
  if (currentBlock == nullptr)
  {
    std::fputs("a kernel with a barrier was launched by BRICKCCL_LAUNCH; use BRICKCCL_LAUNCH_BLOCKS\n", stderr);
    std::abort();
  }
  const dim3 self = threadIdx;
  currentBlock->running->waits = true;
  currentBlock->running->ofWarp = ofWarp;
  SwitchToScheduler(*currentBlock, *currentBlock->running);
  threadIdx = self;
}

std::uint64_t *
ExchangePlace()
{
  return warps[threadIdx.x / LanesPerWarp].places[currentBlock->running->exchanges++ % 2];
}

} // namespace brickccl::cuda::onhost
