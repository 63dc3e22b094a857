// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Forest/Forest.h"
#include "BrickCCL/Runs/NumberRoots.h"
#include "BrickCCL/Phantoms/Random.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

namespace brickccl
{
namespace
{

using Node = std::uint32_t;

std::vector<std::pair<Node, Node>>
RandomEdges(Node nodes, std::size_t count, std::uint64_t seed)
{
  std::vector<std::pair<Node, Node>> edges;
  for (std::size_t i = 0; i < count; ++i)
  {
    edges.emplace_back(HashOf(seed, 2 * i) % nodes, HashOf(seed, 2 * i + 1) % nodes);
  }
  return edges;
}

/** The smallest node of every node's set, by repeated sweeps. */
std::vector<Node>
SmallestOfSet(Node nodes, const std::vector<std::pair<Node, Node>> & edges)
{
  std::vector<Node> smallest(nodes);
  std::iota(smallest.begin(), smallest.end(), 0);
  for (bool changed = true; changed;)
  {
    changed = false;
    for (const auto & [a, b] : edges)
    {
      const Node low = std::min(smallest[a], smallest[b]);
      changed = changed || smallest[a] != low || smallest[b] != low;
      smallest[a] = smallest[b] = low;
    }
  }
  return smallest;
}

TEST(Forest, RootsAreTheSmallestNodes)
{
  for (std::uint64_t seed = 0; seed < 30; ++seed)
  {
    const Node        nodes = 200;
    const auto        edges = RandomEdges(nodes, 20 + 10 * seed, seed);
    std::vector<Node> parent(nodes);
    std::iota(parent.begin(), parent.end(), 0);
    for (const auto & [a, b] : edges)
    {
      Unite(parent.data(), a, b);
    }
    for (Node node = 0; node < nodes; ++node)
    {
      EXPECT_LE(parent[node], node);
      FlattenShared(parent.data(), node);
    }
    EXPECT_EQ(parent, SmallestOfSet(nodes, edges));
  }
}

TEST(Forest, ThreadsThatUniteAtOnceLoseNothing)
{
  for (std::uint64_t seed = 0; seed < 10; ++seed)
  {
    const Node        nodes = 3000;
    const auto        edges = RandomEdges(nodes, 4000, seed);
    std::vector<Node> parent(nodes);
    std::iota(parent.begin(), parent.end(), 0);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
    {
      threads.emplace_back([&, t] {
        for (std::size_t i = t; i < edges.size(); i += 4)
        {
          UniteShared(parent.data(), edges[i].first, edges[i].second);
        }
      });
    }
    for (std::thread & thread : threads)
    {
      thread.join();
    }
    for (Node node = 0; node < nodes; ++node)
    {
      FlattenShared(parent.data(), node);
    }
    EXPECT_EQ(parent, SmallestOfSet(nodes, edges));
  }
}

TEST(Forest, ThreadsThatFlattenAtOnceAllFindTheRoot)
{
  // Long chains that many threads shorten at once.
  const Node nodes = 20000;
  for (int repeat = 0; repeat < 30; ++repeat)
  {
    std::vector<Node> parent(nodes);
    for (Node node = 0; node < nodes; ++node)
    {
      parent[node] = node < 2 ? node : node - 2;
    }
    std::vector<std::thread> threads;
    for (Node t = 0; t < 4; ++t)
    {
      threads.emplace_back([&, t] {
        for (Node node = nodes / 4 * t; node < nodes / 4 * (t + 1); ++node)
        {
          FlattenShared(parent.data(), node);
        }
      });
    }
    for (std::thread & thread : threads)
    {
      thread.join();
    }
    for (Node node = 0; node < nodes; ++node)
    {
      ASSERT_EQ(parent[node], node % 2) << "node " << node;
    }
  }
}

TEST(Forest, RootsAreNumberedInOrderForEveryDivision)
{
  for (std::uint64_t seed = 0; seed < 20; ++seed)
  {
    const Node        nodes = 3000;
    const auto        edges = RandomEdges(nodes, 500 * static_cast<Node>(seed), seed);
    std::vector<Node> united(nodes);
    std::iota(united.begin(), united.end(), 0);
    for (const auto & [a, b] : edges)
    {
      Unite(united.data(), a, b);
    }
    const std::vector<Node> smallest = SmallestOfSet(nodes, edges);
    std::vector<Node>       expected(nodes);
    Node                    count = 0;
    for (Node node = 0; node < nodes; ++node)
    {
      expected[node] = smallest[node] == node ? ++count : expected[smallest[node]];
    }
    const std::vector<std::vector<std::uint64_t>> divisions = { { 0, nodes },
                                                                { 0, 1000, 2000, nodes },
                                                                { 0, 1, 63, 64, 65, 65, 2999, nodes },
                                                                { 0, 0, 128, nodes, nodes } };
    for (const auto & firsts : divisions)
    {
      for (const int threads : { 1, 2, 4 })
      {
        std::vector<Node> numbers = united;
        EXPECT_EQ(NumberRoots(firsts, { threads }, numbers.data()), count);
        EXPECT_EQ(numbers, expected) << "seed " << seed << ", " << threads << " threads";
      }
    }
  }
  EXPECT_EQ(NumberRoots<Node>({ 0, 0 }, { 2 }, nullptr), 0u);
}

} // namespace
} // namespace brickccl
