/** The normals of a mesh's vertices: exact sums of its triangles' normals, with the same bits in whatever order the triangles come. */
import type { ElementType, Fold, GpuArray, Value } from "wavefold";
import { exactAdd, f32, struct, u32 } from "wavefold";

const Point = struct({ name: "Point", fields: { x: f32, y: f32, z: f32 } });
/** Three corners, or what goes to three corners. */
const Triangle = struct({ name: "Triangle", fields: { a: Point, b: Point, c: Point } });
/** Where the three numbers of a vertex are in an array of numbers. */
const Places = struct({ name: "Places", fields: { x: u32, y: u32, z: u32 } });

/** A cross product is as long as its triangle is large, so that large triangles count more. All three corners get it. */
const normalOfTriangle = `
  let a = vec3f(x.a.x, x.a.y, x.a.z);
  let n = cross(vec3f(x.b.x, x.b.y, x.b.z) - a, vec3f(x.c.x, x.c.y, x.c.z) - a);
  let normal = Point(n.x, n.y, n.z);
  return Triangle(normal, normal, normal);`;

/** A vertex of no triangle, or whose triangles cancel out, keeps 0. */
const normalized = `
  let size = length(vec3f(x.x, x.y, x.z));
  if (size == 0.0) {
    return x;
  }
  return Point(x.x / size, x.y / size, x.z / size);`;

/** The same memory, as elements of another type. */
const seenAs = <Name extends string, V extends Value>(
  fold: Fold,
  { buffer, offset, size }: GpuArray,
  type: ElementType<Name, V>,
): Promise<GpuArray<Name, V>> => fold.wrap({ buffer, offset, type, length: size / type.bytes });

/**
 * The normals of a mesh, on the GPU: three numbers for each vertex, one after another.
 *
 * @param positions - three numbers for each vertex.
 * @param corners - three vertices for each triangle, as an index buffer has them.
 */
export async function normalsOf(
  fold: Fold,
  positions: GpuArray<"f32", number>,
  corners: GpuArray<"u32", number>,
): Promise<GpuArray<"f32", number>> {
  const cornerPoints = await fold.gather(await seenAs(fold, positions, Point), corners);
  const triangles = await seenAs(fold, cornerPoints, Triangle);
  await fold.map(triangles, { map: normalOfTriangle, into: triangles });

  const places = await fold.map(corners, { type: Places, map: "Places(3 * x, 3 * x + 1, 3 * x + 2)" });
  const sums = await fold.scatter(await seenAs(fold, cornerPoints, f32), await seenAs(fold, places, u32), {
    length: positions.maxLength,
    op: exactAdd,
  });
  const normals = await seenAs(fold, sums, Point);
  await fold.map(normals, { map: normalized, into: normals });
  cornerPoints.destroy();
  places.destroy();
  return sums;
}
