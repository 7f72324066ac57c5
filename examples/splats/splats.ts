/** Translucent splats: those that a camera sees, from the farthest to the nearest, for an indirect draw; and by tiles of the picture. */
import type { Fold, GpuArray, GpuArrayOf } from "wavefold";
import { f32, struct, u32, vec2, vec3, vec4 } from "wavefold";

export const Splat = struct({
  name: "Splat",
  fields: { centre: vec3(f32), radius: f32, colour: vec4(f32) },
});

/** A point p is at dot(right, p), dot(up, p) and dot(forward, p) from the eye, where p has a 1 behind its three numbers. */
export interface Camera {
  readonly right: readonly number[];
  readonly up: readonly number[];
  readonly forward: readonly number[];
  /** How many times a width and a height as large as its distance fill half the picture, and the nearest and farthest distance. */
  readonly lens: readonly [zoomX: number, zoomY: number, near: number, far: number];
}

const camera = { right: vec4(f32), up: vec4(f32), forward: vec4(f32), lens: vec4(f32) } as const;

/** Whether any of a splat's ball is between the planes of the picture's edges, and far enough, and near enough. */
const isVisible = `
  let p = vec4f(x.centre, 1.0);
  let z = dot(forward, p);
  let aside = abs(vec2f(dot(right, p), dot(up, p))) * lens.xy - z;
  let reach = x.radius * vec2f(length(vec2f(lens.x, 1.0)), length(vec2f(lens.y, 1.0)));
  return z > lens.z && z < lens.w && all(aside < reach);`;

/** Distances in 16 bits: a sort moves them in two passes. */
const depth =
  "u32(clamp((dot(forward, vec4f(x.centre, 1.0)) - lens.z) / (lens.w - lens.z), 0.0, 1.0) * 65535.0)";

// What WebGPU calls GPUBufferUsage: not in every runtime.
const [STORAGE, UNIFORM, INDIRECT, COPY_SRC, COPY_DST] = [0x80, 0x40, 0x100, 0x4, 0x8];

/** Puts splats on the GPU, and compiles what finds and sorts those that a camera sees. */
export async function makeSplats(fold: Fold, all: ReturnType<typeof Splat.from>) {
  const { device } = fold;
  const { length: maxLength } = all;
  const cull = await fold.prepareCompact({
    type: Splat,
    where: isVisible,
    params: camera,
    maxLength,
    indirect: { draw: { vertexCount: 4 } },
  });
  const sort = await fold.prepareSort({
    type: Splat,
    key: depth,
    keyType: u32,
    bits: [0, 16],
    descending: true,
    params: camera,
    maxLength,
    lengthOnGpu: true,
  });
  const input = await fold.upload(all);
  const buffer = (size: number, usage: number): GPUBuffer => device.createBuffer({ size, usage });
  const visible = buffer(Math.max(all.byteLength, 4), STORAGE);
  const sorted = buffer(Math.max(all.byteLength, 4), STORAGE | COPY_SRC);
  const count = buffer(4, STORAGE | COPY_SRC);
  const indirect = buffer(16, STORAGE | INDIRECT | COPY_SRC);
  const view = buffer(64, UNIFORM | COPY_DST);

  return {
    /** Those that the camera sees, the farthest first; how many; and the arguments of a draw with four vertices for each. */
    sorted,
    count,
    indirect,
    /** The camera as a uniform: four vectors. */
    view,

    /** Records into a frame's encoder. The camera is the same for all that is recorded until the next submission. */
    record(encoder: GPUCommandEncoder, { right, up, forward, lens }: Camera): void {
      device.queue.writeBuffer(view, 0, Float32Array.of(...right, ...up, ...forward, ...lens));
      cull.record(encoder, { input, output: visible, count, indirect, length: maxLength, params: view });
      sort.record(encoder, { input: visible, output: sorted, length: count, params: view });
    },

    destroy(): void {
      for (const one of [cull, sort, input, visible, sorted, count, indirect, view]) {
        one.destroy();
      }
    },
  };
}

/** The tiles that a splat's square touches: from `low` to `high`, in columns and rows. */
const box = `
  let p = vec4f(x.centre, 1.0);
  let z = dot(forward, p);
  let middle = vec2f(dot(right, p), dot(up, p)) * lens.xy / z;
  let half = x.radius * lens.xy / z;
  let low = vec2u(clamp((middle - half + 1.0) * 0.5 * grid, vec2f(0.0), grid - 1.0));
  let high = vec2u(clamp((middle + half + 1.0) * 0.5 * grid, vec2f(0.0), grid - 1.0));
  let size = high - low + 1u;`;

/**
 * The splats of each tile of a picture, as a rasterizer takes them: those of tile t are `places[starts[t]]` to `places[starts[t + 1] - 1]`, as
 * places in `sorted`, in its order. Tiles go row by row, from below.
 *
 * @param sorted - splats that the camera sees. Their number may be on the GPU.
 * @param most - the most places that there is room for. Splats past that are left out.
 */
export async function tilesOf(
  fold: Fold,
  sorted: GpuArrayOf<typeof Splat>,
  { right, up, forward, lens }: Camera,
  [columns, rows]: readonly [columns: number, rows: number],
  most: number,
): Promise<{ places: GpuArray<"u32", number>; starts: GpuArray<"u32", number> }> {
  const params = {
    right: [vec4(f32), right],
    up: [vec4(f32), up],
    forward: [vec4(f32), forward],
    lens: [vec4(f32), lens],
    grid: [vec2(f32), [columns, rows]],
  } as const;
  const counts = await fold.map(sorted, { type: u32, map: `${box} return size.x * size.y;`, params });
  const each = await fold.expandRuns(counts, counts, { indices: true, ranks: true, maxLength: most });
  const touching = await fold.gather(sorted, each.values);
  const tiles = await fold.map(touching, {
    type: u32,
    with: { rank: each.ranks },
    map: `${box} return (low.y + rank / size.x) * u32(grid.x) + low.x + rank % size.x;`,
    params,
  });
  // The sort is stable, so the splats of a tile keep their order.
  const bits = [0, Math.max(1, Math.ceil(Math.log2(columns * rows)))] as const;
  const byTile = await fold.sort(tiles, { values: each.values, bits });
  const numbers = await fold.upload(Uint32Array.from({ length: columns * rows + 1 }, (_, tile) => tile));
  const starts = await fold.searchSorted(byTile.keys, numbers);
  for (const one of [counts, each.values, each.ranks, touching, tiles, byTile.keys, numbers]) {
    one.destroy();
  }
  return { places: byTile.values, starts };
}
