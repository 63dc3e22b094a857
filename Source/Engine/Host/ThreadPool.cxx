// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Host/ThreadPool.h"

#include "BrickCCL/Host/System.h"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__x86_64__) || defined(__i386__) || defined(_M_X64) || defined(_M_IX86)
#  include <immintrin.h>
#endif

namespace brickccl
{

namespace
{

class Worker;

/** A caller's task for one kept thread, in the caller's memory. */
struct Seat
{
  /** The thread that has taken it; null if there is none. */
  Worker *                         taker = nullptr;
  const std::function<void(int)> * work = nullptr;
  int                              thread = 0;
  const std::fenv_t *              environment = nullptr;
  std::atomic<bool>                isDone{ false };
};

/** Tells the processor that this thread waits for another one. */
void
Pause()
{
#if defined(__x86_64__) || defined(__i386__) || defined(_M_X64) || defined(_M_IX86)
  _mm_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
  asm volatile("yield");
#endif
}

/** Waits for a condition for about as long as it takes to wake a thread. \return whether it holds. */
template <typename TCondition>
bool
HoldsSoon(TCondition condition)
{
  using Clock = std::chrono::steady_clock;
  constexpr auto patience = std::chrono::microseconds(50);
  if (condition())
  {
    return true;
  }
  if (ProcessorCount() == 1)
  {
    return false;
  }
  for (const auto begin = Clock::now(); Clock::now() - begin < patience;)
  {
    for (int i = 0; i < 16; ++i)
    {
      Pause();
      if (condition())
      {
        return true;
      }
    }
    // If there are more threads than processors, the awaited thread may need this processor.
    std::this_thread::yield();
  }
  return condition();
}

/** A kept thread. It is never deleted. `m_Seat` is null if it does nothing, a seat if it is offered one, `m_Busy` while
 *  it works. Callers change null to their seat and back. Only the thread changes a seat to `m_Busy`, and `m_Busy` to
 *  null. So if a caller can take its seat back, work has not begun and the caller's memory can go. If it cannot, it
 *  waits for the work. */
class alignas(64) Worker
{
public:
  /** Starts the thread. \throws std::system_error if there are too many. */
  void
  Start()
  {
    std::thread([this] { Run(); }).detach();
  }

  /** Offers the thread a seat. \return whether the thread was free and has the seat now. */
  bool
  Offer(Seat & seat)
  {
    Seat * none = nullptr;
    if (m_Seat.load(std::memory_order_relaxed) != nullptr || !m_Seat.compare_exchange_strong(none, &seat))
    {
      return false;
    }
    // A thread says that it sleeps, and only then looks for a seat for the last time. So one of the two sees the other.
    if (m_IsAsleep.load())
    {
      const std::lock_guard<std::mutex> lock(m_Mutex);
      m_Offered.notify_one();
    }
    return true;
  }

  /** Takes a seat back. \return whether the thread has not begun with it and never will. */
  bool
  TakeBack(Seat & seat)
  {
    Seat * expected = &seat;
    return m_Seat.compare_exchange_strong(expected, nullptr);
  }

  /** Waits for the end of a seat's work, which has begun. */
  void
  WaitFor(const Seat & seat)
  {
    const auto isDone = [&seat] { return seat.isDone.load(std::memory_order_acquire); };
    if (!HoldsSoon(isDone))
    {
      std::unique_lock<std::mutex> lock(m_Mutex);
      ++m_Waiting;
      m_Ended.wait(lock, [&seat] { return seat.isDone.load(); });
      --m_Waiting;
    }
  }

private:
  [[noreturn]] void
  Run()
  {
    for (;;)
    {
      Seat *     seat = nullptr;
      const auto isOffered = [&] { return (seat = m_Seat.load()) != nullptr; };
      if (!HoldsSoon(isOffered))
      {
        std::unique_lock<std::mutex> lock(m_Mutex);
        m_IsAsleep.store(true);
        m_Offered.wait(lock, isOffered);
        m_IsAsleep.store(false);
      }
      if (m_Seat.compare_exchange_strong(seat, &m_Busy))
      {
        std::fesetenv(seat->environment);
        (*seat->work)(seat->thread);
        // The thread is free before the caller continues, so that the caller's next call finds it free.
        m_Seat.store(nullptr);
        seat->isDone.store(true);
        // The seat may be gone from here on. A waiting caller announces itself before its last check.
        if (m_Waiting.load() > 0)
        {
          const std::lock_guard<std::mutex> lock(m_Mutex);
          m_Ended.notify_all();
        }
      }
    }
  }

  std::atomic<Seat *>     m_Seat{ nullptr };
  std::atomic<bool>       m_IsAsleep{ false };
  std::atomic<int>        m_Waiting{ 0 };
  Seat                    m_Busy;
  std::mutex              m_Mutex;
  std::condition_variable m_Offered;
  std::condition_variable m_Ended;
};

/** The kept threads of this process. The pool is never deleted, since threads sleep in it until the end. */
class ThreadPool
{
public:
  explicit ThreadPool(ThreadPool * parent)
    : m_Workers(static_cast<std::size_t>(MaximumThreadCount() - 1))
    , m_Parent(parent)
  {}

  void
  Run(int threads, const std::function<void(int)> & work)
  {
    std::fenv_t environment;
    std::fegetenv(&environment);
    std::vector<Seat> seats(std::min(static_cast<std::size_t>(threads - 1), m_Workers.size()));
    for (std::size_t i = 0; i < seats.size(); ++i)
    {
      seats[i].work = &work;
      seats[i].thread = static_cast<int>(i) + 1;
      seats[i].environment = &environment;
      OfferTo(WorkerAt(i), seats[i]);
    }
    OfferToOthers(seats);

    work(0);

    for (Seat & seat : seats)
    {
      if (seat.taker != nullptr && seat.taker->TakeBack(seat))
      {
        seat.taker = nullptr;
      }
    }
    for (Seat & seat : seats)
    {
      if (seat.taker != nullptr)
      {
        seat.taker->WaitFor(seat);
      }
    }
  }

private:
  static void
  OfferTo(Worker * worker, Seat & seat)
  {
    seat.taker = worker != nullptr && worker->Offer(seat) ? worker : nullptr;
  }

  /** Offers seats to free threads if their own thread works for someone else, while there are processors for them. */
  void
  OfferToOthers(std::vector<Seat> & seats)
  {
    const auto  processors = static_cast<std::size_t>(ProcessorCount());
    const auto  limit = std::min(m_Workers.size(), std::max(seats.size(), processors - 1));
    std::size_t next = 0;
    for (Seat & seat : seats)
    {
      for (; seat.taker == nullptr && next < limit; ++next)
      {
        OfferTo(WorkerAt(next), seat);
      }
    }
  }

  /** A worker. If it is the next one, it is started. Null if it cannot be started. */
  Worker *
  WorkerAt(std::size_t i)
  {
    if (Worker * const worker = m_Workers[i].load(std::memory_order_acquire))
    {
      return worker;
    }
    const std::lock_guard<std::mutex> lock(m_Starting);
    if (Worker * const worker = m_Workers[i].load(std::memory_order_acquire))
    {
      return worker;
    }
    KeepLibraryLoaded();
    auto worker = std::make_unique<Worker>();
    try
    {
      worker->Start();
    }
    catch (const std::system_error &)
    {
      return nullptr;
    }
    m_Workers[i].store(worker.get(), std::memory_order_release);
    return worker.release();
  }

  std::vector<std::atomic<Worker *>> m_Workers;
  std::mutex                         m_Starting;
  /** The pool of the process that this one was forked from. Its memory is here, its threads are not. */
  [[maybe_unused]] ThreadPool * m_Parent;
};

std::atomic<ThreadPool *> pool{ nullptr };
std::atomic<ThreadPool *> parentPool{ nullptr };

/** A fork does not copy the threads of a process, so the child starts again. */
[[maybe_unused]] const bool forkIsWatched = [] {
  CallInForkedChildren([] {
    if (ThreadPool * const parent = pool.exchange(nullptr))
    {
      parentPool = parent;
    }
  });
  return true;
}();

ThreadPool &
Pool()
{
  ThreadPool * current = pool.load(std::memory_order_acquire);
  if (current == nullptr)
  {
    auto fresh = std::make_unique<ThreadPool>(parentPool.load());
    if (pool.compare_exchange_strong(current, fresh.get()))
    {
      current = fresh.release();
    }
  }
  return *current;
}

} // namespace

int
MaximumThreadCount()
{
  constexpr int few = 16;
  return std::max(few, ProcessorCount());
}

void
RunOnThreads(int threads, const std::function<void(int)> & work)
{
  if (threads > 1)
  {
    Pool().Run(threads, work);
  }
  else
  {
    work(0);
  }
}

} // namespace brickccl
