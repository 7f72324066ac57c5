import { u32 } from "../../../src/algebra/integers.ts";
import type { Fold } from "../../../src/gpu/fold.ts";
import type { AdapterTuningRow } from "../../../src/plan/adapter_tuning.ts";
import { globalsOf } from "../../../src/simulator/compile/compiled.ts";
import { readModule } from "../../../src/simulator/program.ts";
import type { Dispatch } from "../captured.ts";
import { dispatchesOf } from "../captured.ts";
import { openArrayOf } from "../cells.ts";
import type { MachineChoices, ReadyKernel } from "../setup.ts";
import { textOfNumbers } from "../values.ts";

/** A call of Wavefold, and the dispatch of it that is shown. */
interface DeviceWide {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly entryPoint: string;
  /** Which of the dispatches of that entry point. The first is the default. */
  readonly at?: number;
  readonly machine?: Partial<MachineChoices>;
  readonly items?: readonly number[];
  readonly rows?: readonly AdapterTuningRow[];
  call(fold: Fold, on: Buffers): Promise<void>;
}

/** What makes a call's buffers, and submits it. */
interface Buffers {
  readonly length: number;
  readonly input: { readonly buffer: GPUBuffer };
  output(): { readonly buffer: GPUBuffer };
  submit(record: (encoder: GPUCommandEncoder) => void): Promise<void>;
}

const ITEMS = [3, 1, 7, 0, 4, 1, 6, 3, 2, 8, 5, 1, 0, 9, 2, 4];
/** Enough tiles for several groups of a look-back. */
const MORE_ITEMS = [...ITEMS, ...ITEMS].map((item, at) => (at < ITEMS.length ? item : 9 - item));
/** Small tiles, so that there are several. */
const SIZES = { workGroupSize: 4, itemsPerThread: 1, maxLength: MORE_ITEMS.length } as const;

const SORT_ROWS = [
  {
    primitive: "sort",
    passes: "reduce-then-scan",
    elementBytes: 4,
    algorithm: "blelloch",
    workGroupSize: 4,
    itemsPerThread: 2,
  },
] as const satisfies readonly AdapterTuningRow[];

const calls: readonly DeviceWide[] = [
  {
    name: "look-back",
    title: "Single-pass scan: the look-back",
    about:
      "Each work-group scans a tile of 4, hands its total on in the spine, and looks back at what the tiles before it handed on. Choose another schedule or seed: work-groups come in another order, and the prefixes stay the same.",
    entryPoint: "scan_single_pass",
    items: MORE_ITEMS,
    machine: { schedule: "random", seed: 3 },
    call: singlePassScan,
  },
  {
    name: "look-back-late",
    title: "Single-pass scan: a work-group lags behind",
    about:
      "Work-groups go on by priorities, and one stays behind before it has handed on its total. The others do not wait for ever: after 16 looks, one computes that total itself, from the input (in look_back_again).",
    entryPoint: "scan_single_pass",
    items: MORE_ITEMS,
    machine: { schedule: "priorities", seed: 4 },
    call: singlePassScan,
  },
  {
    name: "two-pass-reduce",
    title: "Scan that reads twice: the tiles’ totals",
    about: "The first of three dispatches: each work-group writes the total of its tile to the spine.",
    entryPoint: "reduce_tiles",
    call: twoPassScan,
  },
  {
    name: "two-pass-scan",
    title: "Scan that reads twice: the tiles, on top of their carries",
    about:
      "The last of three dispatches: each work-group scans its tile, and starts with the carry that the spine has for it.",
    entryPoint: "scan_tiles",
    at: 1,
    call: twoPassScan,
  },
  {
    name: "compact-single-pass",
    title: "Compaction in a single pass",
    about:
      "Keeps what is above 3. A look-back tells each work-group how many items the tiles before it keep.",
    entryPoint: "compact_single_pass",
    machine: { schedule: "random", seed: 2 },
    async call(fold, on) {
      const compact = await fold.prepareCompact({ ...SIZES, type: u32, where: "x > 3u", passes: "single" });
      const [output, count] = [on.output(), on.output()];
      await on.submit((encoder) => {
        compact.record(encoder, { input: on.input, output, count, length: on.length });
      });
    },
  },
  {
    name: "sort-count",
    title: "Sort: count the digits of each tile",
    about:
      "The first dispatch for a digit: each work-group counts how often each digit of two bits is in its tile of 8 keys.",
    entryPoint: "count_digits",
    rows: SORT_ROWS,
    call: sort,
  },
  {
    name: "sort-pass",
    title: "Sort: move the keys by their lowest digit",
    about:
      "The last dispatch for a digit: each work-group ranks its keys by their digits, and moves each to where its digit’s keys of this tile start. Equal digits keep their order.",
    entryPoint: "sort_pass",
    rows: SORT_ROWS,
    call: sort,
  },
];

async function sort(fold: Fold, on: Buffers): Promise<void> {
  const sorting = await fold.prepareSort({
    type: u32,
    maxLength: 2 ** 18,
    bits: [0, 4],
    passes: "reduce-then-scan",
  });
  const output = on.output();
  await on.submit((encoder) => {
    sorting.record(encoder, { input: on.input, output, length: on.length });
  });
}

async function singlePassScan(fold: Fold, on: Buffers): Promise<void> {
  const scan = await fold.prepareScan({ ...SIZES, type: u32, passes: "single", algorithm: "hillis-steele" });
  const output = on.output();
  await on.submit((encoder) => {
    scan.record(encoder, { input: on.input, output, length: on.length });
  });
}

async function twoPassScan(fold: Fold, on: Buffers): Promise<void> {
  const scan = await fold.prepareScan({
    ...SIZES,
    type: u32,
    passes: "reduce-then-scan",
    algorithm: "hillis-steele",
  });
  const output = on.output();
  await on.submit((encoder) => {
    scan.record(encoder, { input: on.input, output, length: on.length });
  });
}

const STORAGE = 0x80;
const COPY_SRC = 0x4;
const COPY_DST = 0x8;

function buffersOn(device: GPUDevice, items: readonly number[]): Buffers {
  const size = 4 * items.length;
  const buffer = (): GPUBuffer => device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST });
  const input = buffer();
  device.queue.writeBuffer(input, 0, Uint32Array.from(items));
  return {
    length: items.length,
    input: { buffer: input },
    output: () => ({ buffer: buffer() }),
    async submit(record) {
      const encoder = device.createCommandEncoder();
      record(encoder);
      device.queue.submit([encoder.finish()]);
      await device.queue.onSubmittedWorkDone();
    },
  };
}

async function ready({
  name,
  title,
  about,
  entryPoint,
  at = 0,
  machine,
  rows = [],
  items = ITEMS,
  call,
}: DeviceWide): Promise<ReadyKernel> {
  const dispatches = await dispatchesOf({ features: [], subgroupSize: 4 }, rows, (fold, device) =>
    call(fold, buffersOn(device, items)),
  );
  const dispatch = dispatches.filter((one) => one.entryPoint === entryPoint)[at];
  if (dispatch === undefined) {
    const names = dispatches.map((one) => one.entryPoint).join(", ");
    throw new Error(`no dispatch ${at} of ${entryPoint}; there are ${names}`);
  }
  const { code, groups } = dispatch;
  const [x, y, z] = groups;
  return {
    name,
    title,
    about,
    section: "Over a whole array",
    code,
    // Wavefold links what one entry point needs.
    entryPoint: "",
    groups: z > 1 ? `${x} ${y} ${z}` : y > 1 ? `${x} ${y}` : String(x),
    values: valuesOf(dispatch),
    ...(machine && { machine }),
  };
}

/** Words of an array without a length that are kept. Scratch is longer than what a short call uses. */
const LEAST_WORDS = 64;

/**
 * What the bindings held, but for zeros at the end of what has a length, and for scratch that is far behind what was used. All of these are
 * words.
 */
function valuesOf({ code, entryPoint, words, reach }: Dispatch): Readonly<Record<string, string>> {
  const { module } = readModule(code);
  const values: Record<string, string> = {};
  for (const [name, { group, binding, type, space }] of globalsOf(module, entryPoint)) {
    const held = words.get(`${group},${binding}`);
    if (held !== undefined && (space === "storage" || space === "uniform")) {
      const isOpen = openArrayOf(module.layout, type) !== undefined;
      const most = Math.max(LEAST_WORDS, 4 * (reach.get(name) ?? 0));
      const shown = isOpen ? held.slice(0, most) : withoutZeros(held);
      values[name] = textOfNumbers(shown.map((word) => word >>> 0));
    }
  }
  return values;
}

const withoutZeros = (words: readonly number[]): readonly number[] =>
  words.slice(0, words.length - [...words].reverse().findIndex((word) => word !== 0));

/** Kernels as Wavefold dispatches them. */
export const deviceWide = (): Promise<readonly ReadyKernel[]> => Promise.all(calls.map(ready));
