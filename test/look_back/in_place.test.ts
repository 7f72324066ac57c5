import { expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add } from "../../src/algebra/operators.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { LookBackTesting, ScanOptions } from "../../src/plan/scan.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { destroyAll, readWords, storageBuffer, submit, wordsOf } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { allowFindings, untyped, useFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { planScan } from "../support/plans.ts";
import {
  affineItems,
  fourMaps,
  fourMapsInTurn,
  lastingItems,
  maps,
  mapsInTurn,
  ofAffine,
} from "./operators.ts";
import type { LookBack, Mutations } from "./support.ts";
import {
  changed,
  contextOfFold,
  FAULTS,
  faultOf,
  faults,
  fewLanes,
  inputsInTurn,
  lengthsOf,
  lookBacks,
  missing,
  onGpu,
  POISON,
  rowsOf,
  STUCK_MS,
  shapeOf,
} from "./support.ts";

// Scans in place in a single pass: a first dispatch may leave tiles, and a second one scans them.

const fold = useFold(fewLanes);

/**
 * What faults_by_run.wgsl withholds is stored here, but the first dispatch does not see it. The second one does, as WebGPU promises.
 * `call.tiles` are the work-groups, and only the first dispatch has one for each tile.
 */
const unseenFaults = {
  name: "shaders/device/look_back/faults_by_run_unseen.wgsl",
  text: `// replaces: read_place
${faults.text.replace("fn is_withheld(", "fn is_lost(")}
fn is_withheld(place: u32, word: u32) -> bool {
  return false;
}

fn read_place(place: u32) -> Entry {
  let first = first_word_of(place);
  let run = run_number();
  var words: array<u32, ELEMENT_WORDS>;
  var is_whole = true;
  let is_first_dispatch = call.tiles == last_tile(data_length()) + 1u;
  for (var word = 0u; word < ELEMENT_WORDS; word++) { // unroll
    let low = atomicLoad(&spine[first + 2u * word * GROUP_ENTRIES]);
    let high = atomicLoad(&spine[first + (2u * word + 1u) * GROUP_ENTRIES]);
    is_whole &= ((low >> 16u) == run) & ((high >> 16u) == run);
    if (is_first_dispatch && (is_lost(place, 2u * word) || is_lost(place, 2u * word + 1u))) {
      is_whole = false;
    }
    words[word] = (low & 0xffffu) | (high << 16u);
  }
  return Entry(is_whole, element_from_words(words));
}
`,
};

const inPlaceOf = async (options: ScanOptions, testing: LookBackTesting): Promise<Plan> =>
  await planScan(options, contextOfFold(fold()).facts, ["vectors", "in-place"], testing);

interface InPlace {
  readonly words: Uint32Array;
  readonly total: number | undefined;
}

/** Scans data in its own buffer, each time with the next run's fault. Gives the words after each run, and the total. */
async function* scanInPlace(
  plan: Plan,
  inputs: readonly AnyArray[],
  initial: number | undefined,
): AsyncGenerator<InPlace> {
  const { device } = fold();
  const prepared = await prepare(contextOfFold(fold()), plan);
  for (const data of inputs) {
    const words = wordsOf(data);
    const padded = new Uint32Array(words.length + 16).fill(POISON);
    padded.set(words);
    const buffer = storageBuffer(device, padded);
    const total = storageBuffer(device, Uint32Array.of(POISON));
    const range = { buffer, size: data.byteLength };
    const length = storageBuffer(device, Uint32Array.of(data.length));
    const ranges = {
      input: range,
      output: range,
      length: plan.needs.has("length") ? length : data.length,
      ...(initial !== undefined && { initial, total }),
    };
    submit(device, (encoder) => prepared.record(encoder, ranges, data.length));
    const result = {
      words: await readWords(device, buffer),
      total: initial === undefined ? undefined : (await readWords(device, total))[0],
    };
    destroyAll(buffer, total, length);
    yield result;
  }
  prepared.destroy();
}

interface Case {
  readonly title: string;
  readonly type: ElementType;
  readonly op: Operator<string>;
  readonly items: (type: ElementType, length: number, name: string) => AnyArray;
  readonly exclusive?: boolean;
  readonly initial?: number;
  readonly lengthOnGpu?: boolean;
  readonly testing?: LookBackTesting;
  /** The way of looking back that it has, if not both. */
  readonly only?: LookBack;
}

const cases: readonly Case[] = [
  { title: "an operator that does not commute", ...ofAffine },
  { title: "patience 0: each tile but the first is left", ...ofAffine, testing: { patience: 0 } },
  {
    title: "patience 1, exclusive, without tickets",
    ...ofAffine,
    exclusive: true,
    testing: { patience: 1, tickets: false },
  },
  { title: "from an initial value, with the total", ...ofAffine, initial: 0x80030005 },
  {
    title: "from an initial value, with the total, patience 0, exclusive",
    ...ofAffine,
    exclusive: true,
    initial: 0x80030005,
    testing: { patience: 0 },
  },
  { title: "a length on the GPU", ...ofAffine, lengthOnGpu: true, initial: 0x80030005 },
  { title: "u64", type: u64, op: untyped(add), items: lastingItems },
  {
    title: "a struct of 32 bytes",
    type: fourMaps,
    op: untyped(fourMapsInTurn),
    items: lastingItems,
    only: "by votes",
  },
  {
    title: "a struct of 64 bytes",
    type: maps,
    op: untyped(mapsInTurn),
    items: lastingItems,
    only: "by threads",
  },
];

const testOf = (one: Case, lookBack: LookBack): void => {
  const { title, type, op, items, exclusive = false, initial, lengthOnGpu = false, testing } = one;
  test(`${title}, ${lookBack}`, { timeout: STUCK_MS }, async ({ skip }) => {
    const { facts } = contextOfFold(fold());
    const why = missing(lookBack, facts);
    skip(why !== undefined, why);
    const shape = shapeOf(lookBack, facts);
    const { tuning, tile } = shape;
    const lengths = lengthsOf(shape, onGpu);
    const plan = await inPlaceOf(
      {
        type,
        op,
        exclusive,
        lengthOnGpu,
        maxLength: Math.max(...lengths),
        ...(initial !== undefined && { initial: true, total: true }),
        ...tuning,
      } as ScanOptions,
      { faults: unseenFaults, ...testing },
    );
    expect(plan.passes(2 * tile, "in-place").map(({ kernel }) => kernel.entryPoint)).toEqual([
      "scan_single_pass",
      "scan_left_tiles",
    ]);
    // Inputs in turn, so that what an earlier run left is wrong. The last one is short.
    const inputs = [...lengths, 1].flatMap((length) =>
      ["even", "odd"].map((name) => items(type, length, `${name} ${length}`)),
    );
    const turns = inputsInTurn(inputs.length - 2, one === cases[0]);
    const inputOf = (at: number): number => turns[at] ?? inputs.length - 1;
    const runs = Array.from({ length: FAULTS }, (_, at) => inputs[inputOf(at)] as AnyArray);
    const options = { op, type, ...(initial !== undefined && { initial }) };
    const expected = inputs.map((data) => scanReference(data, { ...options, exclusive } as never));
    // Totals are compared where there is an initial value, and there the elements are u32.
    const totals = inputs.map((data) =>
      initial === undefined
        ? undefined
        : (scanReference(data as never, options as never) as Uint32Array).at(-1),
    );
    let at = 0;
    for await (const { words, total } of scanInPlace(plan, runs, initial)) {
      const all = new Uint32Array(words.length).fill(POISON);
      all.set(wordsOf(expected[inputOf(at)] as AnyArray));
      const what = `${plan.title} of ${runs[at]?.length}, ${faultOf(at + 1)}`;
      expectSameBits(words, all, what);
      if (initial !== undefined) {
        expect(total, `${what}: total`).toBe(totals[inputOf(at)]);
      }
      at++;
    }
    expect(at).toBe(FAULTS);
  });
};

for (const one of cases) {
  for (const lookBack of one.only ? [one.only] : lookBacks) {
    testOf(one, lookBack);
  }
}

/** Rules broken, each of which some fault shows. */
const mutations: Mutations<{ readonly entryPoint?: string }> = {
  "a tile that lacks what comes before it is scanned all the same": [
    "if (workgroupUniformLoad(&look_back_is_found) == 0u) {",
    "if (false) {",
  ],
  "a tile that is left does not say so": ["atomicStore(&spine[place_of_left(tile)], run_number());", ""],
  "a tile is also left if an earlier run left it": [
    "atomicLoad(&spine[place_of_left(own)]) == run_number()",
    "atomicLoad(&spine[place_of_left(own)]) != 0u",
    { entryPoint: "scan_left_tiles" },
  ],
  "a work-group scans only the first of its tiles that are left": [
    "  take_left_tile(tile, thread, length);",
    "  take_left_tile(tile, thread, length);\n    break;",
    { entryPoint: "scan_left_tiles" },
  ],
  "each tile that is left starts from the carry of its group": [
    "return read_place(entry_of_tile(other)).element;",
    "return identity();",
    { entryPoint: "scan_left_tiles" },
  ],
};

for (const { title, change, entryPoint = "scan_single_pass" } of rowsOf(mutations)) {
  test(`caught: ${title}`, { timeout: STUCK_MS }, async () => {
    allowFindings();
    const shape = shapeOf("by threads", contextOfFold(fold()).facts);
    const length = (shape.fanOut + 3) * shape.tile - 3;
    const plan = changed(
      await inPlaceOf(
        { type: u32, op: ofAffine.op, maxLength: length, ...shape.tuning },
        { faults: unseenFaults },
      ),
      change,
      (kernel) => kernel.entryPoint === entryPoint && kernel.code.includes("place_of_left"),
    );
    const data = affineItems(length, "even");
    const expected = scanReference(data, { op: affine });
    let isSeen = false;
    for await (const { words } of scanInPlace(plan, Array<AnyArray>(FAULTS).fill(data), undefined)) {
      isSeen = expected.some((word, at) => word !== words[at]);
      if (isSeen) {
        break;
      }
    }
    expect(isSeen).toBe(true);
  });
}
