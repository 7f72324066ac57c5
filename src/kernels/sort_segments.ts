import numberSegmentsFile from "../../shaders/device/kernels/number_segments.wgsl";
import sortKeysInThreadsFile from "../../shaders/device/kernels/sort_keys_in_threads.wgsl";
import sortSegmentsFile from "../../shaders/device/kernels/sort_segments.wgsl";
import sortSegmentsInThreadsFile from "../../shaders/device/kernels/sort_segments_in_threads.wgsl";
import sortShortSegmentsFile from "../../shaders/device/kernels/sort_short_segments.wgsl";
import keysFile from "../../shaders/device/select/keys.wgsl";
import keysOfPairsFile from "../../shaders/device/select/keys_of_pairs.wgsl";
import digitsInSlotsFile from "../../shaders/device/sort/digits_in_slots.wgsl";
import networkFile from "../../shaders/device/sort/network.wgsl";
import networkOfKeysFile from "../../shaders/device/sort/network_of_keys.wgsl";
import networkOfPlacesFile from "../../shaders/device/sort/network_of_places.wgsl";
import placesInSlotsFile from "../../shaders/device/sort/places_in_slots.wgsl";
import segmentValuesMovedFile from "../../shaders/device/sort/segment_values_moved.wgsl";
import segmentValuesNoneFile from "../../shaders/device/sort/segment_values_none.wgsl";
import segmentsByChunksFile from "../../shaders/device/sort/segments_by_chunks.wgsl";
import segmentsByOffsetsFile from "../../shaders/device/sort/segments_by_offsets.wgsl";
import segmentsByRowsFile from "../../shaders/device/sort/segments_by_rows.wgsl";
import storedFirstFile from "../../shaders/device/sort/stored_first.wgsl";
import storedInPlaceFile from "../../shaders/device/sort/stored_in_place.wgsl";
import type { TypeName } from "../algebra/types.ts";
import type { Source } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { carriedAs, conversion, file } from "./contract.ts";
import type { Kernel } from "./kernel.ts";
import { lengthFile, linkKernel, outputItems } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";
import type { SortKernelOptions, SortSource } from "./sort.ts";
import {
  exchangeText,
  itemSources,
  linkSort,
  radixOf,
  rankSources,
  storeKeys,
  storeNoKeys,
  valueFile,
  valuesMoved,
} from "./sort.ts";
import { keyBitsText, keyWords } from "./sort_key.ts";

// This is loaded only for sorts of segments.

const digitsInSlots = /* @__PURE__ */ file("sort/digits_in_slots.wgsl", digitsInSlotsFile);
const keysOfOne = /* @__PURE__ */ file("select/keys.wgsl", keysFile);
const keysOfPairs = /* @__PURE__ */ file("select/keys_of_pairs.wgsl", keysOfPairsFile);
const network = /* @__PURE__ */ file("sort/network.wgsl", networkFile);
const networkOfKeys = /* @__PURE__ */ file("sort/network_of_keys.wgsl", networkOfKeysFile);
const networkOfPlaces = /* @__PURE__ */ file("sort/network_of_places.wgsl", networkOfPlacesFile);
const numberSegments = /* @__PURE__ */ file("kernels/number_segments.wgsl", numberSegmentsFile);
const placesInSlots = /* @__PURE__ */ file("sort/places_in_slots.wgsl", placesInSlotsFile);
const segmentValuesMoved = /* @__PURE__ */ file("sort/segment_values_moved.wgsl", segmentValuesMovedFile);
const segmentValuesNone = /* @__PURE__ */ file("sort/segment_values_none.wgsl", segmentValuesNoneFile);
const byChunks = /* @__PURE__ */ file("sort/segments_by_chunks.wgsl", segmentsByChunksFile);
const byOffsets = /* @__PURE__ */ file("sort/segments_by_offsets.wgsl", segmentsByOffsetsFile);
const byRows = /* @__PURE__ */ file("sort/segments_by_rows.wgsl", segmentsByRowsFile);
const sortSegments = /* @__PURE__ */ file("kernels/sort_segments.wgsl", sortSegmentsFile);
const sortKeysInThreads = /* @__PURE__ */ file("kernels/sort_keys_in_threads.wgsl", sortKeysInThreadsFile);
const sortSegmentsInThreads = /* @__PURE__ */ file(
  "kernels/sort_segments_in_threads.wgsl",
  sortSegmentsInThreadsFile,
);
const sortShortSegments = /* @__PURE__ */ file("kernels/sort_short_segments.wgsl", sortShortSegmentsFile);
const storedFirst = /* @__PURE__ */ file("sort/stored_first.wgsl", storedFirstFile);
const storedInPlace = /* @__PURE__ */ file("sort/stored_in_place.wgsl", storedInPlaceFile);

/** What says where the segments of a sort start. */
export type SortedSegments = "rows" | "offsets";

/** What a kernel takes for segments: those of the caller; or the chunks of rows, of which it stores the first items. */
export type SegmentUse = SortedSegments | "chunks";

const segmentFiles = { rows: byRows, offsets: byOffsets, chunks: byChunks } as const;

/** The files of a kernel that sorts segments, but for how it ranks them. */
const sourcesFor = (
  options: SortKernelOptions,
  use: SegmentUse,
  source: SortSource,
  storesKeys: boolean,
): readonly Source[] => [
  ...itemSources(options, source),
  exchangeText(options),
  outputItems,
  ...(options.payload.kind === "none"
    ? [segmentValuesNone]
    : [valuesMoved, valueFile(options, source), segmentValuesMoved]),
  storesKeys ? storeKeys : storeNoKeys,
  placesInSlots,
  segmentFiles[use],
  use === "chunks" ? storedFirst : storedInPlace,
];

/** The kernel that sorts segments that fit in a slot of a tile, by one digit after another. */
export function segmentsKernel(
  options: SortKernelOptions,
  use: SegmentUse,
  source: SortSource,
  storesKeys: boolean,
): Kernel {
  const { slotBits = 0, digits, shape } = options;
  const { workGroupSize, items } = shape.sizes;
  return linkSort(
    options,
    use === "chunks" ? "sort first items of rows" : "sort segments",
    "sort_segments",
    [...sourcesFor(options, use, source, storesKeys), digitsInSlots, ...rankSources(options), sortSegments],
    {
      DIGIT_BITS: digits.each + slotBits,
      RADIX: radixOf(options),
      SLOT_DIGIT_BITS: digits.each,
      SLOT_RADIX: 2 ** digits.each,
      SLOTS: 2 ** slotBits,
      SLOT: (workGroupSize * items) / 2 ** slotBits,
    },
  );
}

/** The kernel that sorts segments of up to `slot` items by comparing them. */
export function shortSegmentsKernel(
  options: SortKernelOptions,
  slot: number,
  use: SegmentUse,
  source: SortSource,
  storesKeys: boolean,
): Kernel {
  const { key, shape } = options;
  const { workGroupSize, items } = shape.sizes;
  return linkSort(
    options,
    use === "chunks" ? "first items of short rows" : "sort short segments",
    "sort_short_segments",
    [
      ...sourcesFor(options, use, source, storesKeys),
      keysOfOne,
      ...(keyWords(key.type) === 2 ? [keysOfPairs] : []),
      generated(keyBitsText(options)),
      sortShortSegments,
    ],
    { SLOT: slot, SLOTS: Math.floor((workGroupSize * items) / slot) },
  );
}

/** Batcher's odd-even merge sort of so many items, a power of 2: which items are compared, in turn. */
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
  // Places tell where each item goes. Keys alone go there.
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

/** The item that has a key, in WGSL, for types whose keys tell all. */
const itemsOfKeys: Readonly<Partial<Record<TypeName, string>>> = {
  u32: "x",
  i32: "x ^ 0x80000000u",
  u64: "x",
  i64: "x ^ vec2<u32>(0u, 0x80000000u)",
};

/** Whether keys are sorted that tell all of their items, so that nothing else has to move. */
export const areKeysAlone = (
  { key, keysAlone, payload }: Pick<SortKernelOptions, "key" | "keysAlone" | "payload">,
  bits: number,
): boolean =>
  payload.kind === "none" &&
  !keysAlone &&
  key.text === undefined &&
  itemsOfKeys[key.type.name] !== undefined &&
  bits === 8 * key.type.bytes;

/** The kernel that sorts segments of up to `slot` items by networks of comparisons. Its sizes and the slot are powers of 2. */
export function networkSegmentsKernel(
  options: SortKernelOptions,
  slot: number,
  use: SegmentUse,
  source: SortSource,
  storesKeys: boolean,
): Kernel {
  const { digits, key, payload, shape, type } = options;
  const { sizes } = shape;
  const wide = keyWords(key.type) === 2;
  const constants = { SLOT: slot, SLOTS: (sizes.workGroupSize * sizes.items) / slot };
  const orders = [keysOfOne, ...(wide ? [keysOfPairs] : [])];
  if (areKeysAlone({ ...options, payload }, digits.bits)) {
    const ofKey = itemsOfKeys[key.type.name] as string;
    return linkSort(
      options,
      "sort keys of segments in threads",
      "sort_keys_in_threads",
      [
        ...itemSources(options, source),
        outputItems,
        placesInSlots,
        segmentFiles[use],
        ...orders,
        generated(
          [
            conversion("key_from_turned", "Key", "Key", key.descending ? "~x" : "x"),
            conversion("item_from_key", "Key", carriedAs(type), ofKey.replace("x", "key_from_turned(x)")),
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
      ...orders,
      generated([keyBitsText(options), networkText({ slot, sizes, wide, places: true })].join("\n\n")),
      network,
      networkOfPlaces,
      sortSegmentsInThreads,
    ],
    constants,
  );
}

/** The kernel that finds the segments of positions. */
export const numberKernel = (segments: SortedSegments, lengthOnGpu: boolean, sizes: Sizes): Kernel =>
  linkKernel(
    `wavefold number segments by ${segments}`,
    "number_segments",
    [
      generated(
        ["Input", "Output", "InputVector", "OutputVector"].map((name) => `alias ${name} = u32;`).join("\n"),
      ),
      outputItems,
      lengthFile(lengthOnGpu),
      segmentFiles[segments],
      numberSegments,
    ],
    sizes,
  );
