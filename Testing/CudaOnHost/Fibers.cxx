#include <cuda_runtime.h>

#include <cstdio>
#include <memory>
#include <vector>

#include <ucontext.h>

#ifdef __SANITIZE_ADDRESS__
#  include <sanitizer/common_interface_defs.h>
#endif

namespace brickccl::cuda::onhost
{

namespace
{

constexpr std::size_t StackBytes = 128 * 1024;

struct Fiber
{
  ucontext_t              context;
  std::unique_ptr<char[]> stack{ new char[StackBytes] };
  bool                    finished = false;
  void *                  fakeStack = nullptr;
};

/** The block that runs on this thread now. */
struct Block
{
  ucontext_t                    scheduler;
  void *                        schedulerFakeStack = nullptr;
  const void *                  schedulerStack = nullptr;
  std::size_t                   schedulerStackBytes = 0;
  const std::function<void()> * kernel = nullptr;
  Fiber *                       running = nullptr;
};

thread_local Block *            currentBlock = nullptr;
thread_local std::vector<Fiber> fibers;

void
SwitchToFiber(Block & block, Fiber & fiber)
{
  block.running = &fiber;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&block.schedulerFakeStack, fiber.stack.get(), StackBytes);
#endif
  swapcontext(&block.scheduler, &fiber.context);
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
  swapcontext(&fiber.context, &block.scheduler);
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

} // namespace

void
RunThreads(dim3 blocks, dim3 threads, const std::function<void()> & kernel)
{
  gridDim = blocks;
  blockDim = threads;
  for (unsigned block = 0; block < blocks.x; ++block)
  {
    blockIdx = dim3(block, 0, 0);
    for (unsigned thread = 0; thread < threads.x; ++thread)
    {
      threadIdx = dim3(thread, 0, 0);
      kernel();
    }
  }
}

void
RunBlocks(dim3 blocks, dim3 threads, const std::function<void()> & kernel)
{
  gridDim = blocks;
  blockDim = threads;
  if (fibers.size() < threads.x)
  {
    fibers = std::vector<Fiber>(threads.x);
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
      fiber.fakeStack = nullptr;
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.get();
      fiber.context.uc_stack.ss_size = StackBytes;
      fiber.context.uc_link = nullptr;
      makecontext(&fiber.context, RunFiber, 0);
    }
    // Each round runs every thread up to its next barrier, in turns from the front and from the back.
    unsigned left = threads.x;
    for (bool forward = true; left > 0; forward = !forward)
    {
      for (unsigned i = 0; i < threads.x; ++i)
      {
        const unsigned thread = forward ? i : threads.x - 1 - i;
        if (!fibers[thread].finished)
        {
          threadIdx = dim3(thread, 0, 0);
          SwitchToFiber(block, fibers[thread]);
          left -= fibers[thread].finished ? 1 : 0;
        }
      }
    }
    currentBlock = nullptr;
  }
}

void
MeetAtBarrier()
{
  if (currentBlock == nullptr)
  {
    std::fputs("a kernel with a barrier was launched by BRICKCCL_LAUNCH; use BRICKCCL_LAUNCH_BLOCKS\n", stderr);
    std::abort();
  }
  const dim3 self = threadIdx;
  SwitchToScheduler(*currentBlock, *currentBlock->running);
  threadIdx = self;
}

} // namespace brickccl::cuda::onhost
