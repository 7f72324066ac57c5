import { expect, test } from "vitest";
import { type Camera, makeSplats, Splat, tilesOf } from "../../examples/splats/splats.ts";
import { u32 } from "../../src/index.ts";
import { useFold } from "../support/fold.ts";
import { randomBits } from "../support/random.ts";

const fold = useFold();

/** Looks along z. All of a splat is exact in f32: places and radii are multiples of 1/64, and distances powers of two. */
const camera: Camera = {
  right: [1, 0, 0, 0],
  up: [0, 1, 0, 0],
  forward: [0, 0, 1, 0],
  lens: [1, 1, 0.75, 12],
};

function someSplats(length: number) {
  const next = randomBits("splats");
  const within = (most: number): number => ((next() % (128 * most)) - 64 * most) / 64;
  return Splat.from(
    Array.from({ length }, (_, at) => ({
      centre: [within(6), within(6), 2 ** ((next() % 6) - 1)],
      radius: (1 + (next() % 32)) / 64,
      colour: [at, 0, 0, 1],
    })),
  );
}

type One = ReturnType<ReturnType<typeof someSplats>["get"]>;

/** Those that the camera sees, the farthest first, by loops. */
function seenBy(all: ReturnType<typeof someSplats>, moved: number): One[] {
  return [...all]
    .filter(({ centre: [x = 0, y = 0, z = 0], radius }) => {
      const isIn = (place: number): boolean => Math.abs(place) - z < radius * Math.SQRT2;
      return z > 0.75 && z < 12 && isIn(x + moved) && isIn(y);
    })
    .sort((a, b) => (b.centre[2] ?? 0) - (a.centre[2] ?? 0));
}

const numbersOf = (splats: Iterable<One>): number[] =>
  Array.from(splats, ({ colour: [number = -1] }) => number);

async function recorded(splats: Awaited<ReturnType<typeof makeSplats>>, at: Camera, most: number) {
  const encoder = fold().device.createCommandEncoder();
  splats.record(encoder, at);
  fold().device.queue.submit([encoder.finish()]);
  const { sorted: buffer, count: length } = splats;
  return fold().wrap({ buffer, type: Splat, length, maxLength: most });
}

test.each([1, 700])("a camera's splats of %d, the farthest first, as it moves", async (length) => {
  const all = someSplats(length);
  const splats = await makeSplats(fold(), all);
  for (const moved of [0, 2, -100]) {
    const sorted = await recorded(splats, { ...camera, right: [1, 0, 0, moved] }, length);
    const expected = seenBy(all, moved);
    expect(numbersOf(await sorted.read())).toEqual(numbersOf(expected));
    const draw = await fold().wrap({ buffer: splats.indirect, type: u32 });
    expect([...(await draw.read())]).toEqual([4, expected.length, 0, 0]);
  }
  splats.destroy();
});

test("a camera that is turned sees what is there", async () => {
  const all = Splat.from([
    { centre: [5, 0, 0], radius: 0.5, colour: [0, 0, 0, 1] },
    { centre: [3, 0, 0], radius: 0.5, colour: [1, 0, 0, 1] },
    { centre: [-3, 0, 0], radius: 0.5, colour: [2, 0, 0, 1] },
    { centre: [0, 0, 3], radius: 0.5, colour: [3, 0, 0, 1] },
  ]);
  const splats = await makeSplats(fold(), all);
  // To the right, from 1 behind the middle.
  const turned = { ...camera, right: [0, 0, -1, 0], forward: [1, 0, 0, 1] };
  expect(numbersOf(await (await recorded(splats, turned, 4)).read())).toEqual([0, 1]);
  splats.destroy();
});

test.each([
  [1, 1],
  [8, 4],
  [16, 16],
] as const)("the splats of each of %d × %d tiles", async (columns, rows) => {
  const all = someSplats(300);
  const splats = await makeSplats(fold(), all);
  const sorted = await recorded(splats, camera, all.length);
  const seen = seenBy(all, 0);
  const { places, starts } = await tilesOf(fold(), sorted, camera, [columns, rows], 20_000);
  const [found, from] = [await places.read(), await starts.read()];
  const range = (place: number, radius: number, z: number, count: number): readonly [number, number] => {
    const tile = (edge: number): number =>
      Math.floor(Math.min(count - 1, Math.max(0, ((edge / z + 1) / 2) * count)));
    return [tile(place - radius), tile(place + radius)];
  };
  for (let tile = 0; tile < columns * rows; tile++) {
    const [column, row] = [tile % columns, Math.floor(tile / columns)];
    const expected = seen.flatMap(({ centre: [x = 0, y = 0, z = 1], radius }, at) => {
      const [left, right] = range(x, radius, z, columns);
      const [low, high] = range(y, radius, z, rows);
      return column >= left && column <= right && row >= low && row <= high ? [at] : [];
    });
    expect([...found.subarray(from[tile], from[tile + 1])], `tile ${tile}`).toEqual(expected);
  }
  expect(from.length).toBe(columns * rows + 1);
  expect(from.at(-1)).toBe(found.length);
  splats.destroy();
});
