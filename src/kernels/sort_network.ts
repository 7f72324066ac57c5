import outputItems from "#shaders/device/io/output_items.wgsl";
import sortKeysInThreads from "#shaders/device/kernels/sort_keys_in_threads.wgsl";
import sortSegmentsInThreads from "#shaders/device/kernels/sort_segments_in_threads.wgsl";
import keysTellAllButNan from "#shaders/device/sort/keys_tell_all_but_nan.wgsl";
import keysTellItems from "#shaders/device/sort/keys_tell_items.wgsl";
import network from "#shaders/device/sort/network.wgsl";
import networkOfKeys from "#shaders/device/sort/network_of_keys.wgsl";
import networkOfPlaces from "#shaders/device/sort/network_of_places.wgsl";
import placesInSlots from "#shaders/device/sort/places_in_slots.wgsl";
import type { TypeName } from "../algebra/types.ts";
import { generated } from "../text/source.ts";
import { carriedAs, conversion } from "./contract.ts";
import type { Kernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";
import type { SortSource } from "./sort.ts";
import { equalsOthersText, itemSources, linkSort } from "./sort.ts";
import { keyBitsText, orderFile, wordsPerKey } from "./sort_key.ts";
import type { SegmentUse } from "./sort_segments.ts";
import { segmentFiles, sourcesFor } from "./sort_segments.ts";
import type { SortKernelOptions } from "./sort_tile.ts";

// Kernels that sort segments by networks of comparisons, several segments in a tile.

/** Batcher's odd-even merge sort of `items` items, a power of 2: which items are compared, in turn. */
function comparisonsOf(items: number): readonly (readonly [number, number])[] {
  const all: (readonly [number, number])[] = [];
  for (let run = 1; run < items; run *= 2) {
    for (let distance = run; distance >= 1; distance /= 2) {
      for (let start = distance % run; start + distance < items; start += 2 * distance) {
        for (let at = start; at < start + distance; at++) {
          if (Math.floor(at / (2 * run)) === Math.floor((at + distance) / (2 * run))) {
            all.push([at, at + distance]);
          }
        }
      }
    }
  }
  return all;
}

/** What a network compares, and what moves with it. */
interface Network {
  readonly slot: number;
  readonly sizes: Sizes;
  /** Whether keys have two words; and whether the places of items go where their keys go. */
  readonly wide: boolean;
  readonly places: boolean;
}

/** The WGSL that puts two items of a thread in order. */
function orderText([one, other]: readonly [number, number], { wide, places }: Network): string {
  const [key, otherKey] = [`network_keys[${one}]`, `network_keys[${other}]`];
  const [place, otherPlace] = [`network_places[${one}]`, `network_places[${other}]`];
  const keys = [`let a = ${key};`, `let b = ${otherKey};`];
  const chosen = [`${key} = select(a, b, turned);`, `${otherKey} = select(b, a, turned);`];
  const lines = places
    ? [
        ...keys,
        `let p = ${place};`,
        `let q = ${otherPlace};`,
        `let turned = comes_before(b, a) || (${wide ? "all(a == b)" : "a == b"} && q < p);`,
        ...chosen,
        `${place} = select(p, q, turned);`,
        `${otherPlace} = select(q, p, turned);`,
      ]
    : wide
      ? [...keys, "let turned = comes_before(b, a);", ...chosen]
      : [...keys, `${key} = min(a, b);`, `${otherKey} = max(a, b);`];
  return ["  {", ...lines.map((line) => `    ${line}`), "  }"].join("\n");
}

/** The functions of sort/network.wgsl that are generated for a length of slots. All numbers are powers of 2. */
function networkText(network: Network): string {
  const { slot, sizes, places } = network;
  const { workGroupSize, items } = sizes;
  const [slotBits, runBits, threadBits] = [slot, items, workGroupSize].map(Math.log2) as [
    number,
    number,
    number,
  ];
  const functionText = (name: string, comparisons: readonly (readonly [number, number])[]): string =>
    `fn ${name}() {\n${comparisons.map((one) => orderText(one, network)).join("\n")}\n}`;
  const own = Math.min(slot, items);
  const runs = Array.from({ length: items / own }, (_, run) => run * own);
  const byBit = (bit: number) =>
    Array.from({ length: items }, (_, at) => at)
      .filter((at) => (at & (1 << bit)) === 0)
      .map((at) => [at, at | (1 << bit)] as const);
  const steps = [`exchange(${threadBits}u, 0u, thread);`];
  if (slotBits > runBits) {
    steps.push(`turn(mask_of_bit(${runBits}u, thread));`);
  }
  steps.push("order_own();");
  for (let merged = runBits + 1; merged <= slotBits; merged++) {
    const next = merged < slotBits ? ` ^ mask_of_bit(${merged}u, thread)` : "";
    steps.push(`turn(mask_of_bit(${merged - 1}u, thread)${next});`);
    for (let top = merged, from = 0; top > 0; ) {
      const to = Math.max(0, top - runBits);
      if (to !== from) {
        steps.push(`exchange(${from}u, ${to}u, thread);`);
      }
      for (let bit = top - 1; bit >= to; bit--) {
        steps.push(`order_by_bit_${bit - to}();`);
      }
      [top, from] = [to, to];
    }
  }
  // If places move, they say where each item goes. Keys alone move there themselves.
  if (!places) {
    steps.push(`exchange(0u, ${threadBits}u, thread);`);
  }
  return [
    functionText(
      "order_own",
      runs.flatMap((run) => comparisonsOf(own).map(([a, b]) => [run + a, run + b] as const)),
    ),
    ...Array.from({ length: runBits }, (_, bit) => functionText(`order_by_bit_${bit}`, byBit(bit))),
    `fn sort_slots(thread: u32) {\n${steps.map((step) => `  ${step}\n`).join("")}}`,
  ].join("\n\n");
}

/** WGSL for the item of a key. These types' keys determine their items, but for the bits of NaN. */
const itemsOfKeys: Readonly<Partial<Record<TypeName, (key: string) => string>>> = {
  u32: (key) => key,
  i32: (key) => `${key} ^ 0x80000000u`,
  f32: (key) => `f32_bits_from_order(${key})`,
  u64: (key) => key,
  i64: (key) => `${key} ^ vec2<u32>(0u, 0x80000000u)`,
  f64: (key) => `f64_bits_from_order(${key})`,
};

/** Whether the sorted keys determine all items but NaN, so that nothing else has to move. */
export const areKeysAlone = (
  { key, keysAlone, payload }: Pick<SortKernelOptions, "key" | "keysAlone" | "payload">,
  bits: number,
): boolean =>
  payload.kind === "none" &&
  !keysAlone &&
  key.text === undefined &&
  itemsOfKeys[key.type.name] !== undefined &&
  bits === 8 * key.type.bytes;

/** The length of a slot that has room for `items` items: a power of 2. */
export const networkSlot = (items: number): number => 2 ** Math.max(1, Math.ceil(Math.log2(items)));

/** The kernel that sorts segments of up to `slot` items by networks of comparisons. Its sizes and the slot are powers of 2. */
export function networkKernel(
  options: SortKernelOptions,
  slot: number,
  use: SegmentUse,
  source: SortSource,
  storesKeys: boolean,
): Kernel {
  const { digits, key, payload, shape, type } = options;
  const { sizes } = shape;
  const wide = wordsPerKey(key.type) === 2;
  const constants = { SLOT: slot, SLOTS: (sizes.workGroupSize * sizes.items) / slot };
  const order = orderFile(key);
  if (areKeysAlone({ ...options, payload }, digits.bits)) {
    const ofKey = itemsOfKeys[key.type.name] as (key: string) => string;
    return linkSort(
      options,
      "sort keys of segments in threads",
      "sort_keys_in_threads",
      [
        ...itemSources(options, source),
        outputItems,
        placesInSlots,
        ...segmentFiles[use],
        order,
        ...(type.kind === "float"
          ? [
              generated(`${equalsOthersText(options)}\n\nconst NAN_COMES_FIRST = ${key.descending};`),
              keysTellAllButNan,
            ]
          : [keysTellItems]),
        generated(
          [
            conversion("key_from_turned", "Key", "Key", key.descending ? "~x" : "x"),
            conversion("item_from_key", "Key", carriedAs(type), ofKey("key_from_turned(x)")),
            networkText({ slot, sizes, wide, places: false }),
          ].join("\n\n"),
        ),
        network,
        networkOfKeys,
        sortKeysInThreads,
      ],
      constants,
    );
  }
  return linkSort(
    options,
    use === "chunks" ? "sort first items of rows in threads" : "sort segments in threads",
    "sort_segments_in_threads",
    [
      ...sourcesFor(options, use, source, storesKeys),
      order,
      generated([keyBitsText(options), networkText({ slot, sizes, wide, places: true })].join("\n\n")),
      network,
      networkOfPlaces,
      sortSegmentsInThreads,
    ],
    constants,
  );
}
