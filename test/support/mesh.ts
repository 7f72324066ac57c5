import { randomBits } from "./random.ts";

/** A mesh: three numbers for each vertex, and three vertices for each triangle. */
export interface Mesh {
  readonly positions: Float32Array<ArrayBuffer>;
  readonly corners: Uint32Array<ArrayBuffer>;
}

/** A landscape of random heights on a grid, with two triangles for each square. */
export function meshOf(columns: number, rows: number): Mesh {
  const next = randomBits("mesh");
  const positions = Float32Array.from({ length: 3 * columns * rows }, (_, at) => {
    const vertex = Math.floor(at / 3);
    const jitter = (next() % 1000) / 4000;
    return ([vertex % columns, 0, Math.floor(vertex / columns)][at % 3] ?? 0) + jitter;
  });
  const corners = Array.from({ length: (columns - 1) * (rows - 1) }, (_, square) => {
    const first = Math.floor(square / (columns - 1)) * columns + (square % (columns - 1));
    const [right, below] = [first + 1, first + columns];
    return [first, below, right, right, below, below + 1];
  });
  return { positions, corners: Uint32Array.from(corners.flat()) };
}

/** The triangles in another order. */
export function shuffled(corners: Uint32Array): Uint32Array<ArrayBuffer> {
  const next = randomBits("shuffled");
  const triangles = Array.from({ length: corners.length / 3 }, (_, at) => ({
    place: next(),
    corners: corners.subarray(3 * at, 3 * at + 3),
  }));
  triangles.sort((one, other) => one.place - other.place);
  return Uint32Array.from(triangles.flatMap((triangle) => [...triangle.corners]));
}

/** The normals by loops, in doubles. */
export function normalsReference({ positions, corners }: Mesh): Float64Array {
  const sums = new Float64Array(positions.length);
  for (let at = 0; at < corners.length; at += 3) {
    const vertices = [...corners.subarray(at, at + 3)];
    const [a = [], b = [], c = []] = vertices.map((vertex) => [
      ...positions.subarray(3 * vertex, 3 * vertex + 3),
    ]);
    const side = (to: number[], axis: number): number => (to[axis % 3] ?? 0) - (a[axis % 3] ?? 0);
    for (const vertex of vertices) {
      for (let axis = 0; axis < 3; axis++) {
        const cross = side(b, axis + 1) * side(c, axis + 2) - side(b, axis + 2) * side(c, axis + 1);
        sums[3 * vertex + axis] = (sums[3 * vertex + axis] ?? 0) + cross;
      }
    }
  }
  return sums.map((sum, at) => {
    const first = at - (at % 3);
    return sum / Math.hypot(...sums.subarray(first, first + 3)) || 0;
  });
}
