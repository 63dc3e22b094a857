// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Vtk/SurfacePicture.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Files/Isolation/Program.h"
#include "BrickCCL/Pictures/Font.h"
#include "BrickCCL/Pictures/LabelColors.h"
#include "BrickCCL/Pictures/PictureKey.h"
#include "BrickCCL/Vtk/SurfaceScene.h"

#include <vtkMath.h>
#include <vtkNew.h>
#include <vtkRenderWindow.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

namespace brickccl
{

constexpr Color Ground{ 24, 26, 30 };
/** The share of the picture's width and height that what is drawn fills. */
constexpr double Filled = 0.94;
constexpr double PixelsPerBlock = 2;

using Vector = std::array<double, 3>;

/** The corners of a component's box, or of the image, along physical axes from the first voxel. */
static std::vector<Vector>
CornersOf(const Geometry & geometry, const std::int64_t * low, const std::int64_t * high)
{
  std::vector<Vector> corners;
  for (int corner = 0; corner < 8; ++corner)
  {
    Vector place{};
    for (int row = 0; row < 3; ++row)
    {
      for (int axis = 0; axis < 3; ++axis)
      {
        const double index =
          (corner >> axis & 1) == 0 ? static_cast<double>(low[axis]) - 0.5 : static_cast<double>(high[axis]) + 0.5;
        place[static_cast<std::size_t>(row)] += geometry.direction[row][axis] * geometry.spacing[axis] * index;
      }
    }
    corners.push_back(place);
  }
  return corners;
}

/** A view of all that is drawn from the front, the left and above. */
static SurfaceView
ViewOf(const std::vector<Vector> & corners, int width, int height)
{
  SurfaceView view;
  view.width = width;
  view.height = height;
  constexpr double direction[3] = { 0.45, -0.8, 0.42 };
  const double     length = std::sqrt(vtkMath::Dot(direction, direction));
  const double     across = std::hypot(direction[0], direction[1]);
  for (int axis = 0; axis < 3; ++axis)
  {
    view.toEye[axis] = direction[axis] / length;
  }
  view.right[0] = -direction[1] / across;
  view.right[1] = direction[0] / across;
  view.up[0] = view.toEye[1] * view.right[2] - view.toEye[2] * view.right[1];
  view.up[1] = view.toEye[2] * view.right[0] - view.toEye[0] * view.right[2];
  view.up[2] = view.toEye[0] * view.right[1] - view.toEye[1] * view.right[0];

  const double * const axes[3] = { view.right, view.up, view.toEye };
  double               half[3];
  for (int i = 0; i < 3; ++i)
  {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Vector & corner : corners)
    {
      low = std::min(low, vtkMath::Dot(axes[i], corner.data()));
      high = std::max(high, vtkMath::Dot(axes[i], corner.data()));
    }
    half[i] = (high - low) / 2;
    for (int axis = 0; axis < 3; ++axis)
    {
      view.center[axis] += axes[i][axis] * (low + high) / 2;
    }
  }
  view.radius = std::sqrt(vtkMath::Dot(half, half));
  view.pixelSize = 2 / Filled * std::max(half[0] / width, half[1] / height);
  return view;
}

static ColoredSurface
Join(std::vector<Surface> & surfaces, const std::vector<Color> & colors)
{
  ColoredSurface all;
  std::size_t    points = 0;
  std::size_t    corners = 0;
  for (const Surface & surface : surfaces)
  {
    points += surface.points.size();
    corners += surface.triangles.size();
  }
  ThrowIf<Unsupported>(points > std::numeric_limits<std::int32_t>::max() ||
                         corners > std::numeric_limits<std::int32_t>::max(),
                       "these surfaces have " + std::to_string(corners / 3) +
                         " triangles, too many for one picture; draw a smaller picture or fewer components");
  all.surface.points.reserve(points);
  all.surface.normals.reserve(points);
  all.colors.reserve(points);
  for (std::size_t i = 0; i < surfaces.size(); ++i)
  {
    const auto first = static_cast<std::int32_t>(all.surface.points.size() / 3);
    all.surface.points.insert(all.surface.points.end(), surfaces[i].points.begin(), surfaces[i].points.end());
    all.surface.normals.insert(all.surface.normals.end(), surfaces[i].normals.begin(), surfaces[i].normals.end());
    for (const std::int32_t corner : surfaces[i].triangles)
    {
      all.surface.triangles.push_back(first + corner);
    }
    for (std::size_t point = 0; point < surfaces[i].points.size() / 3; ++point)
    {
      all.colors.insert(all.colors.end(), { colors[i].red, colors[i].green, colors[i].blue });
    }
    surfaces[i] = {};
  }
  return all;
}

/** Draws the directions of the physical axes, the one that points away first. */
static void
DrawAxes(Canvas & canvas, int x, int y, const SurfaceView & view, bool hasPatientAxes)
{
  constexpr double  length = 34;
  constexpr Color   colors[3] = { { 240, 90, 80 }, { 110, 200, 90 }, { 95, 150, 250 } };
  const std::string names = hasPatientAxes ? "LPS" : "xyz";
  int               order[3] = { 0, 1, 2 };
  std::sort(order, order + 3, [&](int a, int b) { return view.toEye[a] < view.toEye[b]; });
  for (const int axis : order)
  {
    const double across = length * view.right[axis];
    const double down = -length * view.up[axis];
    canvas.DrawLine(x, y, x + across, y + down, 3, colors[axis]);
    canvas.DrawText(static_cast<int>(std::lround(x + 1.35 * across)),
                    static_cast<int>(std::lround(y + 1.35 * down)) + FontCapitalHeight / 2,
                    names.substr(static_cast<std::size_t>(axis), 1),
                    TextColor,
                    Anchor::Middle);
  }
}

/** The source of a component's surface: single voxels if it is small, blocks if it is large. */
static SurfaceSource
SourceOf(const SurfaceContents & contents, const ComponentMeasures & component, const int (&block)[3])
{
  SurfaceSource source = SourceOf(contents.labels, contents.table.geometry, component);
  bool          isLarge = false;
  for (int axis = 0; axis < 3; ++axis)
  {
    isLarge = isLarge || source.high[axis] - source.low[axis] >= MaximumBlocksOfSmallComponents * block[axis];
  }
  if (isLarge)
  {
    std::copy_n(block, 3, source.block);
  }
  return source;
}

static std::vector<Surface>
MakeSurfaces(const SurfaceContents & contents, SurfaceReport & report, const HostContext & context)
{
  const ComponentTable &   table = contents.table;
  std::vector<std::size_t> order(contents.places.size());
  std::iota(order.begin(), order.end(), std::size_t{ 0 });
  // The largest begin first, so that no thread has to wait for one at the end.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return table.components.VoxelCount(contents.places[a]) > table.components.VoxelCount(contents.places[b]);
  });
  std::vector<Surface> surfaces(order.size());
  std::atomic<bool>    hasLarge{ false };
  ParallelFor(static_cast<std::int64_t>(order.size()), context, [&](std::int64_t i) {
    const std::size_t   at = order[static_cast<std::size_t>(i)];
    const SurfaceSource source = SourceOf(contents, table.components[contents.places[at]], report.block);
    if (source.block[0] * source.block[1] * source.block[2] > 1)
    {
      hasLarge = true;
    }
    surfaces[at] = MakeSurface(source);
  });
  report.hasLargeComponents = hasLarge;
  return surfaces;
}

void
ProvideDisplay()
{
  const vtkNew<vtkRenderWindow> window;
  if (window->IsA("vtkXOpenGLRenderWindow") != 0)
  {
    ProvideXServer();
  }
}

SurfaceReport
WriteSurfacePicture(const std::string &     path,
                    const SurfaceContents & contents,
                    int                     width,
                    int                     height,
                    const HostContext &     context)
{
  const ComponentTable &     table = contents.table;
  const std::int64_t         first[3] = { 0, 0, 0 };
  const std::int64_t         last[3] = { contents.labels.extent.size[0] - 1,
                                         contents.labels.extent.size[1] - 1,
                                         contents.labels.extent.size[2] - 1 };
  std::vector<std::uint64_t> labels;
  std::vector<Vector>        corners;
  for (const std::size_t place : contents.places)
  {
    const ComponentMeasures component = table.components[place];
    labels.push_back(component.label);
    const SurfaceSource       source = SourceOf(contents.labels, table.geometry, component);
    const std::vector<Vector> more = CornersOf(table.geometry, source.low, source.high);
    corners.insert(corners.end(), more.begin(), more.end());
  }
  if (contents.part)
  {
    const std::vector<Vector> more = CornersOf(table.geometry, first, last);
    corners.insert(corners.end(), more.begin(), more.end());
  }
  // The key's width does not depend on the size of a pixel.
  const KeyContents keyContents{ table, contents.hasSpacing, labels, "drawn", contents.columnColors, nullptr };
  const int         keyWidth = PictureKey(keyContents, 1, height - 2 * SurfaceMargin).Width();
  const SurfaceView view = ViewOf(corners, width - keyWidth - 3 * SurfaceMargin, height - 2 * SurfaceMargin);
  const PictureKey  key(keyContents, view.pixelSize, height - 2 * SurfaceMargin);

  const auto    begin = std::chrono::steady_clock::now();
  SurfaceReport report;
  report.pixelSize = view.pixelSize;
  report.scene[0] = view.width;
  report.scene[1] = view.height;
  for (int axis = 0; axis < 3; ++axis)
  {
    const double wanted = std::round(PixelsPerBlock * view.pixelSize / table.geometry.spacing[axis]);
    report.block[axis] = static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(MaximumVoxelsPerBlock)));
  }
  std::vector<Surface>       surfaces = MakeSurfaces(contents, report, context.Part(0, 0.6));
  std::vector<std::uint64_t> listed = key.Labels();
  listed.insert(listed.end(), labels.begin(), labels.end());
  const LabelColors        colors({}, listed);
  const std::vector<Color> colorOf = Mapped(labels, [&](std::uint64_t label) -> Color {
    return contents.columnColors != nullptr ? (*contents.columnColors)[label] : colors[label];
  });
  const ColoredSurface     components = Join(surfaces, colorOf);
  ColoredSurface           part;
  if (contents.part)
  {
    SurfaceSource source{ *contents.part, table.geometry, std::nullopt, {}, {}, {} };
    std::copy_n(last, 3, source.high);
    std::copy_n(report.block, 3, source.block);
    part.surface = MakeSurface(source);
  }
  context.progress.Update(0.7);
  const auto made = std::chrono::steady_clock::now();
  report.makeSeconds = std::chrono::duration<double>(made - begin).count();
  report.triangles = (components.surface.triangles.size() + part.surface.triangles.size()) / 3;
  const std::vector<unsigned char> pixels = DrawScene(components, part, view, Ground);
  report.drawSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - made).count();
  context.progress.Update(0.95);

  Canvas canvas(width, height, Ground);
  for (int y = 0; y < view.height; ++y)
  {
    for (int x = 0; x < view.width; ++x)
    {
      const unsigned char * const pixel =
        &pixels[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(view.width) + static_cast<std::size_t>(x))];
      canvas.Blend(SurfaceMargin + x, SurfaceMargin + y, { pixel[0], pixel[1], pixel[2] });
    }
  }
  key.Draw(canvas, width - keyWidth - SurfaceMargin, SurfaceMargin, colors);
  DrawAxes(canvas, width - SurfaceMargin - 60, height - SurfaceMargin - 50, view, contents.hasPatientAxes);
  canvas.Write(path);
  context.progress.Update(1);
  return report;
}

} // namespace brickccl
