import { describe, expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add } from "../../src/algebra/operators.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import type { Arrangement, Kernel } from "../../src/kernels/kernel.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { isSimulated } from "../support/adapter.ts";
import { untyped, useFold } from "../support/fold.ts";
import { failures, useNullDevice } from "../support/null_device.ts";
import { affine } from "../support/operators.ts";
import { planScan } from "../support/plans.ts";
import { randomItems } from "../support/random.ts";
import { affineItems } from "./operators.ts";
import type { Change, LookBack, Mutations, Run } from "./support.ts";
import {
  changed,
  contextOfFold,
  expectSeen,
  FAULTS,
  faults,
  lookBacks,
  machineOfMutations,
  missing,
  outputsOf,
  prepareScan,
  rowsOf,
  runsOfFaults,
  STUCK_MS,
  shapeOf,
  wrongRuns,
} from "./support.ts";

const fold = useFold(machineOfMutations);
const nullDevice = useNullDevice();

/** How a rule that is broken shows. */
interface Mutation {
  readonly lookBack?: LookBack;
  readonly type?: ElementType;
  readonly op?: Operator<string>;
  readonly tickets?: boolean;
  /** Of the runs with these faults, at least one must go wrong. Which one depends on how long work-groups take. */
  readonly caughtBy: string | RegExp;
}

const mutations: Mutations<Mutation> = {
  "the upper half's tag is not compared": [
    " & ((high >> 16u) == run)",
    "",
    { caughtBy: "only low halves: all" },
  ],
  "the lower half's tag is not compared": [
    "((low >> 16u) == run) & ",
    "",
    { caughtBy: "only high halves: all" },
  ],
  "no tag is compared: what is not there counts": [
    "is_whole &= ((low >> 16u) == run) & ((high >> 16u) == run);",
    "",
    { caughtBy: "never: all" },
  ],
  "a tag does not say which run it is of": [
    "((low >> 16u) == run) & ((high >> 16u) == run)",
    "((low >> 16u) != 0u) & ((high >> 16u) != 0u)",
    { caughtBy: "never: all" },
  ],
  "of two words only the first one's tags are compared": [
    // The loop over words may be unrolled.
    /(2u \* (\w+) \* GROUP_ENTRIES[^}]*?is_whole &= )(\(\(low >> 16u\) == run\) & \(\(high >> 16u\) == run\));/,
    "$1($2 > 0u) | ($3);",
    { type: u64, op: untyped(add), caughtBy: "all but the last word: all" },
  ],
  "a missing total is computed from the tile after it": [
    /total_of_tile\((goal\.index|other), thread, length\)/,
    "total_of_tile($1 + 1u, thread, length)",
    { caughtBy: "never: all" },
  ],
  "the carry of the nearest group is forgotten": [
    /var before = (look_back_carries|element_shuffle).*;/,
    "var before = identity();",
    { caughtBy: "none: all" },
  ],
  "the last total of a group is left out": [
    /before = combine\(combine\(before, (look_back_sums\[\w+\])\), .*\);/,
    "before = combine(before, $1);",
    { caughtBy: /^(none|never|only|all but)/ },
  ],
  "the last total of a group is left out slowly": [
    "look_back_known = combine(look_back_known, last);",
    "",
    { caughtBy: /^(never|only|all but)/ },
  ],
  "lanes do not ask each other": [
    "all_there = all_lanes(found.is_whole || lane < first || lane >= select(needed, tiles, first > 0u));",
    "all_there = true;",
    { lookBack: "by votes", caughtBy: /^(never|only|all but)/ },
  ],
  "a subgroup that lacks a total says so of the farthest group": [
    "~(away << STOP_BITS)",
    "~((MOST_GROUPS - 1u) << STOP_BITS)",
    { lookBack: "by votes", caughtBy: /^(never|only|all but)/ },
  ],
  "the carry is that of another subgroup": [
    "look_back_carries[stop % CARRY_IS_FOUND]",
    "look_back_carries[0]",
    { lookBack: "by votes", caughtBy: /^(none|never|only|all but)/ },
  ],
  "a thread that lacks a total does not say so": [
    "if (!total.is_whole) {\n      stop_before(away);\n      return;",
    "if (!total.is_whole) {\n      return;",
    { lookBack: "by threads", caughtBy: /^(never|only|all but)/ },
  ],
  "who found a carry counts though another lacks a total": [
    "~(away << STOP_BITS)",
    "~((away << STOP_BITS) + 2u * CARRY_IS_FOUND - 1u)",
    { caughtBy: /^(never|only|all but)/ },
  ],
  "operands swapped within a group": [
    "sum = combine(sum, look_back_totals[away * FAN_OUT + member]);",
    "sum = combine(look_back_totals[away * FAN_OUT + member], sum);",
    { lookBack: "by threads", caughtBy: /^(none|never|only|all but)/ },
  ],
  "operands swapped on top of the carry": [
    "combine(carry(), before)",
    "combine(before, carry())",
    { caughtBy: "none: all" },
  ],
  "operands swapped between what comes before the group and the group": [
    "combine(before, look_back_sums[0])",
    "combine(look_back_sums[0], before)",
    { caughtBy: "none: all" },
  ],
  "operands swapped in what is handed on for the next group": [
    "combine(before, total)",
    "combine(total, before)",
    { caughtBy: "none: all" },
  ],
  "operands swapped where a carry is computed slowly": [
    "look_back_known = combine(look_back_known, sum)",
    "look_back_known = combine(sum, look_back_known)",
    { caughtBy: "never: all" },
  ],
  "the carry that a slow walk starts from is forgotten": [
    "look_back_known = found.element;",
    "",
    { caughtBy: /^(never|only|all but)/ },
  ],
  "the last of a group leaves its own total out of what it hands on": [
    "combine(before, total)",
    "before",
    { caughtBy: "none: all" },
  ],
};

/**
 * Each fault, on three inputs in turn, so that what an earlier run left is wrong. Where work-groups take as long as they take, there are two
 * runs of each.
 */
function everyFault(type: ElementType, op: Operator<string>, length: number): Run[] {
  const inputs = ["one", "two", "three"].map((name) => {
    const title = `${name} ${length}`;
    const data =
      type === u32 ? affineItems(length, title) : (randomItems(type, length, title) as Uint32Array);
    return { data, expected: scanReference(data, { type, op } as unknown as { op: typeof affine }) };
  });
  return runsOfFaults(inputs, "", isSimulated ? FAULTS : 2 * FAULTS);
}

const ofAffine = { type: u32, op: untyped(affine) };

describe.each(lookBacks)("a tile looks back %s", (lookBack) => {
  const shapeHere = () => shapeOf(lookBack, contextOfFold(fold()).facts);
  const why = () => missing(lookBack, contextOfFold(fold()).facts);
  const lengthOf = ({ tile, fanOut }: ReturnType<typeof shapeHere>): number => (2 * fanOut ** 2 + 1) * tile;

  const own = rowsOf(mutations).filter((one) => (one.lookBack ?? lookBack) === lookBack);
  test.for(own)(
    "caught: $title",
    { timeout: STUCK_MS },
    async ({ change, type = u32, op = ofAffine.op, tickets = true, caughtBy }, { skip }) => {
      skip(why() !== undefined, why());
      const shape = shapeHere();
      const length = lengthOf(shape);
      const options = { type, op, maxLength: length, ...shape.tuning };
      const subject = await prepareScan(fold(), options, { faults, tickets }, { change });
      const runs = everyFault(type, op, length);
      await expectSeen(
        { ...subject, runs },
        typeof caughtBy === "string" ? new RegExp(`^${caughtBy}$`) : caughtBy,
      );
    },
  );

  test("no mutation, no wrong run; nor where an entry's words are stored the other way round", async ({
    skip,
  }) => {
    skip(why() !== undefined, why());
    const shape = shapeHere();
    const length = lengthOf(shape);
    const options = { ...ofAffine, maxLength: length, ...shape.tuning };
    const runs = everyFault(u32, ofAffine.op, length);
    expect(await wrongRuns(await prepareScan(fold(), options, { faults }), runs)).toEqual([]);
    const change: Change = [
      [/(if \(writer == \(2u \* \w+\) % writers[^}]*\})(\s*)(if \(writer[^}]*\})/, "$3$2$1"],
    ];
    expect(await wrongRuns(await prepareScan(fold(), options, { faults }, { change }), runs)).toEqual([]);
  });

  test("a barrier fewer before what others found is read: the compiler refuses it", async ({ skip }) => {
    skip(why() !== undefined, why());
    const { tuning } = shapeHere();
    const change: Change = [["workgroupUniformLoad(&look_back_is_found)", "look_back_is_found"]];
    const { facts } = contextOfFold(fold());
    const plan = changed(
      await planScan({ ...ofAffine, maxLength: 100, ...tuning }, facts, ["vectors"]),
      change,
    );
    const texts = plan.kernels.map(({ label, code }) => ({ title: label, code }));
    expect((await failures(nullDevice(), texts)).join()).toMatch(/uniform control flow/);
  });
});

/**
 * The owner hands on the lower halves, and work-groups in its place the upper ones: what two writers of one place can
 * do to each other, whichever comes first.
 */
const halvesOfTwo = {
  name: "halves of two",
  text: `
var<private> own_place: u32;

fn delay_tile(tile: u32) {}

fn is_withheld(place: u32, word: u32) -> bool {
  // The last tile of a group reads its own total too.
  let is_read_by_others = place < call.spine_entries && place % GROUP_ENTRIES < FAN_OUT - 1u;
  return is_read_by_others && (word % 2u == 1u) == (place + 1u == own_place);
}
`,
};

test("caught: owner and fallback share a place, and add floats in another order", {
  timeout: STUCK_MS,
}, async () => {
  const { facts } = contextOfFold(fold());
  const { tuning, tile, fanOut } = shapeOf("by threads", facts);
  // a + e + e is less than 1 from the left, and 1 from the right: no half of their bits is the same.
  const a = 1 - 2 ** -24;
  const e = 2 ** -26;
  const length = 16 * fanOut * tile;
  const data = Float32Array.from({ length }, (_, at) => (at % tile === 0 ? a : at % tile <= 2 ? e : 0));
  let sum = 0;
  const most = Array.from(data, (x, index) => {
    sum += x;
    return { value: sum, bound: index * 2 ** -23 * sum };
  });
  const head = "(tile: u32, thread: u32, length: u32) -> Element {";
  const fromTheRight: Change = [
    [
      `fn total_of_tile${head}`,
      `fn total_of_tile${head}
  var sum = identity();
  for (var item = TILE; item > 0u; item--) {
    sum = combine(input_items(read_vector(tile * TILE + item - 1u))[0], sum);
  }
  return sum;
}

fn unused_total${head}`,
    ],
  ];
  const sharedPlaces: Change = [["call.spine_entries + ", ""]];
  const knowingPlaces: Change = [
    ["if (thread < FAN_OUT) {", "own_place = entry_of_tile(tile) + 1u;\n  if (thread < FAN_OUT) {"],
  ];
  const options = { type: f32, op: untyped(add), maxLength: length, ...tuning };
  const farOff = async (change: Change): Promise<number> => {
    const subject = await prepareScan(fold(), options, { faults: halvesOfTwo }, { change });
    const { outputs } = await outputsOf(subject, [{ title: "", data, expected: data }]);
    const [words] = outputs as [Uint32Array];
    const prefixes = new Float32Array(words.buffer, words.byteOffset, length);
    return most.filter(({ value, bound }, at) => !(Math.abs((prefixes[at] ?? 0) - value) <= bound)).length;
  };
  // Another order alone is within the bound: both sums are whole.
  expect(await farOff([...fromTheRight, ...knowingPlaces])).toBe(0);
  expect(await farOff([...fromTheRight, ...sharedPlaces, ...knowingPlaces])).toBeGreaterThan(0);
});

// What is missing is computed from the input, so no run may overwrite it. Where items are written over, tiles are left instead.
test("no kernel that may compute a total from the input writes over the input", async () => {
  const { facts } = contextOfFold(fold());
  const plan = await planScan(
    { ...ofAffine, maxLength: 1000, ...shapeOf("by threads", facts).tuning },
    facts,
  );
  const kernelsOf = (arrangement: Arrangement): readonly Kernel[] =>
    plan.passes(1000, arrangement).map(({ kernel }) => kernel);
  const looksBack = ({ bindings }: Kernel): boolean => bindings.has("run_low");
  const computes = ({ code }: Kernel): boolean => code.includes("fn total_of_tile");
  expect(kernelsOf("vectors").map((one) => [looksBack(one), computes(one)])).toEqual([[true, true]]);
  expect(kernelsOf("in-place").map((one) => [looksBack(one), computes(one)])).toEqual([
    [true, false],
    [true, false],
  ]);
  expect(kernelsOf("one-buffer").some(looksBack)).toBe(false);
});
