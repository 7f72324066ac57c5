import { describe, expect, test } from "vitest";
import { f16 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { subgroupOf, workGroupAlgorithms } from "../../src/in_kernel/algorithms.ts";
import { threadTileShuffle, workGroupBroadcast, workGroupSplit } from "../../src/in_kernel/exchange.ts";
import { link } from "../../src/in_kernel/link.ts";
import { compileKernel } from "../support/buffers.ts";
import { algorithmNames, useFold } from "../support/fold.ts";
import type { Order } from "../support/in_kernel.ts";
import { orders, POISON } from "../support/in_kernel.ts";
import { allTypes } from "../support/kernels.ts";
import { span } from "../support/operators.ts";
import { randomBits } from "../support/random.ts";

const fold = useFold();
const SIZES = [1, 3, 32, 36, 128];

describe.each(algorithmNames)("work_group_split, %s", (algorithm) => {
  test.each(SIZES)("%i threads", async (threads) => {
    const split = workGroupSplit({ workGroupSize: threads, algorithm: workGroupAlgorithms[algorithm] });
    // Again and again without a barrier, by flags of every kind: the last rounds' are all false, and all true.
    const rounds = 4;
    const code = link(
      `@group(0) @binding(0) var<storage, read_write> flags: array<u32>;
@group(0) @binding(1) var<storage, read_write> places: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<vec4<u32>>;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) i: u32) {
  let place = places[i];
  for (var round = 0u; round < ${rounds}u; round++) {
    let flag = flags[round * ${threads}u + place] != 0u;
    let split = work_group_split_total(flag, place);
    var total_falses = 0u;
    let same = work_group_split_uniform(flag, place, &total_falses);
    output[round * ${threads}u + place] =
      vec4(work_group_split(flag, place), split.place, same, total_falses ^ (split.total_falses << 16u));
  }
}`,
      [split],
    );
    const run = await compileKernel(fold().device, code);
    const next = randomBits(`split ${algorithm} ${threads}`);
    const flags = Uint32Array.from({ length: rounds * threads }, (_, at) =>
      at < 2 * threads ? next() % 2 : at < 3 * threads ? 0 : 1,
    );
    for (const order of Object.keys(orders) as Order[]) {
      const places = orders[order](threads, fold().device.adapterInfo.subgroupMaxSize);
      const poison = new Uint32Array(4 * rounds * threads).fill(POISON);
      const [, , output] = await run([flags, places, poison]);
      const expected = Array.from({ length: rounds }, (_, round) => {
        const own = [...flags.subarray(round * threads, (round + 1) * threads)];
        const all = own.map((_, thread) => thread);
        const falses = all.filter((thread) => own[thread] === 0);
        const moved = [...falses, ...all.filter((thread) => own[thread] === 1)];
        return all.flatMap((thread) => {
          const place = moved.indexOf(thread);
          return [place, place, place, falses.length * 0x10001];
        });
      }).flat();
      expect([...(output ?? [])], order).toEqual(expected);
    }
  });
});

/** Where each function of a tile takes the value from. It is the thread itself if the tile has no such thread. */
const taken = {
  broadcast: (_rank: number, given: number, size: number) => given % size,
  shuffle: (_rank: number, given: number, size: number) => given % size,
  shuffle_up: (rank: number, given: number) => (given > rank ? rank : rank - given),
  shuffle_down: (rank: number, given: number, size: number) => (rank + given < size ? rank + given : rank),
  shuffle_xor: (rank: number, given: number, size: number) =>
    (rank ^ given) >>> 0 < size ? (rank ^ given) >>> 0 : rank,
} as const satisfies Record<string, (rank: number, given: number, size: number) => number>;

const allKinds = Object.keys(taken) as (keyof typeof taken)[];

/** Arguments of one round: places, distances and masks in the tile, past its end, and far past. */
const givenOf = (next: () => number, round: number, size: number): number =>
  round === 0 ? next() % size : round === 1 ? next() % (4 * size) : (next() ^ (next() << 16)) >>> 0;

async function checkShuffles(
  type: ElementType,
  tileSize: number,
  threads: number,
  algorithm: (typeof workGroupAlgorithms)[keyof typeof workGroupAlgorithms],
  orderNames: readonly Order[],
  kinds: readonly (keyof typeof taken)[] = allKinds,
): Promise<void> {
  const shuffle = threadTileShuffle({ type, tileSize, workGroupSize: threads, algorithm });
  const broadcast = workGroupBroadcast({ type, workGroupSize: threads });
  expect(shuffle.names.map((name) => name.replace(`thread_tile_${tileSize}_`, ""))).toEqual(
    ["shuffle", "broadcast", "shuffle_up", "shuffle_down", "shuffle_xor"].map(
      (name) => `${name}_${type.name}`,
    ),
  );
  const rounds = 3;
  const width = kinds.length + 1;
  const title = `${type.name}, tiles of ${tileSize} of ${threads}`;
  const next = randomBits(title);
  const given = Uint32Array.from({ length: rounds * threads }, (_, at) =>
    givenOf(next, Math.floor(at / threads), tileSize),
  );
  // What is broadcast is the same for a tile, and for the work-group.
  const shared = (round: number, thread: number): number =>
    given[round * threads + thread - (thread % tileSize)] ?? 0;
  // Words of structs and values, of which any bits are a value: floats are as small numbers.
  const words = type.bytes / 4;
  const code = link(
    `@group(0) @binding(0) var<storage, read_write> input: array<${type.value}>;
@group(0) @binding(1) var<storage, read_write> given: array<u32>;
@group(0) @binding(2) var<storage, read_write> places: array<u32>;
@group(0) @binding(3) var<storage, read_write> output: array<${type.value}>;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) i: u32) {
  let place = places[i];
  for (var round = 0u; round < ${rounds}u; round++) {
    let at = round * ${threads}u + place;
    let x = input[at];
    let shared_place = given[at - place % ${tileSize}u];
    ${kinds
      .map(
        (kind, column) =>
          `output[at * ${width}u + ${column}u] = thread_tile_${tileSize}_${kind}_${type.name}(x, ${kind === "broadcast" ? "shared_place" : "given[at]"}, place);`,
      )
      .join("\n    ")}
    output[at * ${width}u + ${width - 1}u] =
      work_group_broadcast_${type.name}(x, given[round * ${threads}u], place);
  }
}`,
    [shuffle, broadcast],
  );
  const run = await compileKernel(fold().device, code);
  // A word of floats has an exponent in the middle: neither NaN nor subnormal.
  const input = Uint32Array.from({ length: Math.ceil(rounds * threads * words) }, () =>
    type.kind === "float" ? ((next() & 0x03ff03ff) | 0x30003000) >>> 0 : next() >>> 0,
  );
  const lengthOf = (items: number): number => Math.ceil(items * words);
  const bytesIn = new Uint8Array(input.buffer);
  for (const order of orderNames) {
    const places = orders[order](threads, fold().device.adapterInfo.subgroupMaxSize);
    const poison = new Uint32Array(lengthOf(rounds * threads * width)).fill(POISON);
    const [, , , output = poison] = await run([input, given, places, poison]);
    const bytes = new Uint8Array(output.buffer);
    const itemOf = (array: Uint8Array, at: number): string =>
      // A struct's padding is not its value: Span has 20 bytes of 24.
      array.subarray(at * type.bytes, at * type.bytes + (type === span ? 20 : type.bytes)).join();
    const wrong: string[] = [];
    for (let round = 0; round < rounds; round++) {
      for (let thread = 0; thread < threads; thread++) {
        const at = round * threads + thread;
        const first = thread - (thread % tileSize);
        const sources = kinds.map((kind) => {
          const argument = kind === "broadcast" ? shared(round, thread) : (given[at] ?? 0);
          const source = first + taken[kind](thread - first, argument, tileSize);
          return source < threads ? source : thread;
        });
        sources.push((given[round * threads] ?? 0) % threads);
        sources.forEach((source, column) => {
          const [found, right] = [
            itemOf(bytes, at * width + column),
            itemOf(bytesIn, round * threads + source),
          ];
          if (found !== right) {
            const kind = kinds[column] ?? "work_group_broadcast";
            wrong.push(`round ${round}, thread ${thread}, ${kind}: ${found}, not ${right}`);
          }
        });
      }
    }
    expect(wrong.slice(0, 5), `${title}, ${order}`).toEqual([]);
  }
}

const everyType: readonly ElementType[] = [...allTypes, span as ElementType];
const typed = everyType.flatMap((type, number) =>
  (["hillis-steele", "subgroup"] as const).map((algorithm) => ({ type, algorithm, number })),
);
// SwiftShader compiles one call by subgroups in a second, and five in ten.
test.for(typed)("shuffles of $type.name, $algorithm", async ({ type, algorithm, number }, { skip }) => {
  skip(type === f16 && !fold().device.features.has("shader-f16"), "the adapter has no shader-f16");
  const own = workGroupAlgorithms[algorithm];
  const kinds = [allKinds, allKinds.slice(number % 5, (number % 5) + 1)][algorithm === "subgroup" ? 1 : 0];
  await checkShuffles(type, 8, 36, own, ["in order", "shuffled"], kinds);
});

describe.each(["hillis-steele", "subgroup"] as const)("shuffles, %s", (algorithm) => {
  const isSubgroup = algorithm === "subgroup";
  const cases = [
    [1, 1],
    [3, 2],
    [32, 32],
    [36, 4],
    [100, 2],
    [100, 32],
    [128, 1],
    [128, 128],
  ] as const;
  test.each(cases.map(([threads, tileSize], number) => [threads, tileSize, number] as const))(
    "of %i threads in tiles of %i",
    async (threads, tileSize, number) => {
      const { subgroupMinSize: minSize, subgroupMaxSize: maxSize } = fold().device.adapterInfo;
      // By subgroups of any size, of the adapter's, and of one that the adapter's are not.
      const own = isSubgroup
        ? [subgroupOf(), subgroupOf({ minSize, maxSize }), subgroupOf({ minSize: 128, maxSize: 128 })][
            number % 3
          ]
        : workGroupAlgorithms[algorithm];
      const kinds = isSubgroup ? allKinds.slice(number % 5, (number % 5) + 1) : allKinds;
      // The portable functions do not know of lanes.
      const orderNames = isSubgroup ? (Object.keys(orders) as Order[]) : (["in order", "shuffled"] as const);
      await checkShuffles(u32, tileSize, threads, own ?? subgroupOf(), orderNames, kinds);
    },
  );
});
