import process from "node:process";
import fc from "fast-check";
import { operator } from "../../src/algebra/custom_operator.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ScalarType, StructValue } from "../../src/algebra/types.ts";
import { linkDirectives } from "../../src/in_kernel/directives.ts";
import { workGroupAllocate, workGroupScan } from "../../src/in_kernel/functions.ts";
import { link } from "../../src/in_kernel/link.ts";
import { encodeDispatch, storageBuffer } from "../support/buffers.ts";
import type { Fixture } from "./fixture.ts";
import type { Verdict } from "./verdict.ts";
import { attempt, attemptNow, Fault, oneLine } from "./verdict.ts";

// WGSL that a caller writes: expressions with comments of all forms between their words, names of ours and of WGSL's, and
// text that tries to get out of the place that it is put into.

/** Values of u32, as a tree: `x`, `i`, a number, or an operation on two of them. */
export type Tree = "x" | "i" | number | readonly [string, Tree, Tree];

const operations: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => (a + b) >>> 0,
  "-": (a, b) => (a - b) >>> 0,
  "*": (a, b) => Math.imul(a, b) >>> 0,
  "^": (a, b) => (a ^ b) >>> 0,
  "&": (a, b) => (a & b) >>> 0,
  "|": (a, b) => (a | b) >>> 0,
  max: Math.max,
  min: Math.min,
};

/** What may stand between two words, as it stands in WGSL. */
const blanks = [
  " ",
  "\n",
  "\t",
  "\r\n",
  "\r",
  "\v",
  "\f",
  "\u0085",
  "\u2028",
  "\u2029",
  "\u200e",
  "/**/",
  "/* a */",
  "/* ( */",
  "/* } */",
  "/* ; */",
  "/* return */",
  "/* // */",
  "/* http://x */ ",
  "/* /* a */ */",
  "/* /* ) */ ( */",
  "/* \u00e9t\u00e9 */",
  "// a\n",
  "// (\n",
  "// }\n",
  "// return\n",
  "// /*\n",
  "// */\n",
  "// a\r",
  "// (\r",
  "// )\v",
  "// }\f",
  "// (\u0085",
  "// )\u2028",
  "// ]\u2029",
  "// enable f16;\n",
  "/* enable f16; */",
] as const;

/** What gets out of where it is put, if what reads it takes comments for something else than WGSL does. */
const attacks = [
  "// \r ); } fn evil() -> bool { return bool(true",
  "// \v ); } fn evil() -> bool { return bool(true",
  "// \f ); } fn evil() -> bool { return bool(true",
  "// \u0085 ); } fn evil() -> bool { return bool(true",
  "// \u2028 ); } fn evil() -> bool { return bool(true",
  "// \u2029 ); } fn evil() -> bool { return bool(true",
  "/* /* */ ); } fn evil() -> bool { return bool(true",
  "/* /* */ */ ); } fn evil() -> bool { return bool(true",
  "); } fn evil() -> bool { return bool(true",
  ") || bool(true",
  "/*",
  "/* /* */",
  "*/",
  "// \n ); } fn evil() -> bool { return (true",
  "); } @compute @workgroup_size(1) fn evil() { _ = (1",
  "// \r ; }  fn evil() -> u32 { return 1u; } fn more() -> u32 { return (0u",
] as const;

const slots = ["where", "map", "combine", "declarations", "capacity", "kernel"] as const;
type Slot = (typeof slots)[number];

/** An expression with blanks of any kind, which means what it says. */
interface ExpressionCase {
  readonly family: "text";
  readonly kind: "expression";
  readonly slot: Slot;
  readonly tree: Tree;
  /** Between the words, one after another: places in the list of blanks. */
  readonly between: readonly number[];
}

/** An expression, and what tries to get out. */
interface AttackCase {
  readonly family: "text";
  readonly kind: "attack";
  readonly slot: Slot;
  readonly before: string;
  readonly attack: string;
}

const nameUses = [
  "NAME",
  "NAME == NAME",
  "NAME.length > 0u",
  "u32(NAME) > 3u",
  "NAME(x) == x",
  "NAME[0] == x",
] as const;

/** A name of ours, or of WGSL's, in a place of the caller's. */
interface NameCase {
  readonly family: "text";
  readonly kind: "name";
  readonly place: "expression" | "struct" | "field" | "function" | "operator";
  readonly name: string | number;
  readonly use?: (typeof nameUses)[number];
}

const units = [
  " ",
  "\n",
  "//\n",
  "// a\n",
  "/* */",
  "/*",
  "*/",
  "(",
  ")",
  "{",
  "}",
  "@",
  "@a ",
  "<",
  "fn",
  "fn ",
  "var<",
  "struct ",
  "const a ",
  "enable ",
  "// wavefold: a\n",
  "// wavefold:",
  "a.",
  "a,",
  ";",
  "\t\n",
  "\r",
] as const;

/** Text that repeats something often: to read it takes time that grows as it does. */
interface LongCase {
  readonly family: "text";
  readonly kind: "long";
  readonly slot: "kernel" | "directives" | "declarations" | "where" | "map" | "capacity";
  readonly before: string;
  readonly unit: string;
  readonly after: string;
  readonly times: number;
}

export type TextCase = ExpressionCase | AttackCase | NameCase | LongCase;

const treeArbitrary = (): fc.Arbitrary<Tree> =>
  fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom<Tree[]>("x", "i", 7),
      fc.tuple(fc.constantFrom(...Object.keys(operations)), tie("tree"), tie("tree")) as fc.Arbitrary<Tree>,
    ),
  })).tree;

const words = [
  "x",
  "i",
  "fn",
  "type",
  "self",
  "get",
  "set",
  "struct",
  "let",
  "return",
  "true",
  "main",
  "f32",
  "vec3",
  "vec2u",
  "array",
  "min",
  "bool",
  "u32",
  "Atomic",
  "Self",
  "NULL",
  "Vec2",
  "Entry",
  "Kept",
  "Ranks",
  "TileScan",
  "Invocation",
  "Item",
  "Row",
  "X",
  "earlier",
  "later",
  "value",
  "item",
  "index",
  "identity",
  "combine",
  "Element",
  "Call",
  "toString",
  "constructor",
  "__proto__",
  "hasOwnProperty",
  "buffer",
  "length",
  "enable",
  "requires",
  "diagnostic",
  "override",
  "loop",
  "namespace",
  "class",
  "a__b",
  "_a",
  "_",
  "\u00e9t\u00e9",
  "\u03b1\u03b2",
  "\u5909\u6570",
] as const;

export function textArbitrary(): fc.Arbitrary<TextCase> {
  const family = fc.constant("text" as const);
  return fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        family,
        kind: fc.constant("expression" as const),
        slot: fc.constantFrom(...slots),
        tree: treeArbitrary(),
        between: fc.array(fc.nat({ max: blanks.length - 1 }), { maxLength: 12 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        family,
        kind: fc.constant("attack" as const),
        slot: fc.constantFrom("where", "map", "combine", "capacity") as fc.Arbitrary<Slot>,
        before: fc.constantFrom("true ", "x > 1u ", "x ", "", "7u "),
        attack: fc.oneof(
          fc.constantFrom<string>(...attacks),
          fc
            .array(
              fc.constantFrom(
                "//",
                "/*",
                "*/",
                "\r",
                "\n",
                "\u2028",
                ")",
                "(",
                "}",
                "{",
                ";",
                "true",
                "fn evil()",
              ),
              {
                minLength: 1,
                maxLength: 8,
              },
            )
            .map((parts) => parts.join(" ")),
        ),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record(
        {
          family,
          kind: fc.constant("name" as const),
          place: fc.constantFrom("expression", "struct", "field", "function", "operator") as fc.Arbitrary<
            NameCase["place"]
          >,
          name: fc.oneof<fc.Arbitrary<string | number>[]>(
            fc.constantFrom<string[]>(...words),
            fc.nat({ max: 500 }),
          ),
          use: fc.constantFrom(...nameUses),
        },
        { requiredKeys: ["family", "kind", "place", "name"] },
      ),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        family,
        kind: fc.constant("long" as const),
        slot: fc.constantFrom(
          "kernel",
          "directives",
          "declarations",
          "where",
          "map",
          "capacity",
        ) as fc.Arbitrary<LongCase["slot"]>,
        before: fc.constantFrom("", "fn", "// wavefold: ", "var<", "fn f(", "x"),
        unit: fc.constantFrom<string>(...units),
        after: fc.constantFrom("", "\nfn f() {}\n", "x", "*/"),
        times: fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.constant(100_000)),
      }),
    },
  ) as fc.Arbitrary<TextCase>;
}

const TUNING = { workGroupSize: 4, itemsPerThread: 2 } as const;
const DATA = Uint32Array.of(5, 0, 7, 2, 9, 1, 0xffffffff, 3, 8, 8, 4);

/** The words of a tree, in brackets. */
const wordsOf = (tree: Tree): string[] =>
  typeof tree === "number"
    ? [`${tree}u`]
    : typeof tree === "string"
      ? [tree]
      : /\w/.test(tree[0])
        ? [tree[0], "(", ...wordsOf(tree[1]), ",", ...wordsOf(tree[2]), ")"]
        : ["(", ...wordsOf(tree[1]), tree[0], ...wordsOf(tree[2]), ")"];

/** Its value. */
const valueOfTree = (tree: Tree, x: number, i: number): number =>
  typeof tree === "number"
    ? tree
    : typeof tree === "string"
      ? tree === "x"
        ? x
        : i
      : (operations[tree[0]]?.(valueOfTree(tree[1], x, i), valueOfTree(tree[2], x, i)) ?? 0);

/** Words with blanks between them, before the first and behind the last. */
function joined(all: readonly string[], between: readonly number[]): string {
  let at = 0;
  const blank = (): string =>
    between.length === 0 ? " " : `${blanks[between[at++ % between.length] ?? 0]} `;
  return `${blank()}${all.map((word) => `${word}${blank()}`).join("")}`;
}

const KERNEL = `
@group(0) @binding(0) var<storage, read_write> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read_write> used: atomic<u32>;`;

/** A kernel that does not compile: where the caller's own text is wrong, that is for the caller's compiler to say. */
class CompileFault extends Fault {}

/** Runs a linked kernel on the data, and gives what it wrote. */
async function runKernel({ fold }: Fixture, code: string, usesCounter: boolean): Promise<Uint32Array> {
  const { device } = fold;
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ code });
  const pipeline = device.createComputePipeline({ layout: "auto", compute: { module } });
  const failure = await device.popErrorScope();
  if (failure !== null) {
    throw new CompileFault(`the linked kernel does not compile: ${oneLine(failure.message)}`);
  }
  const buffers = [DATA, new Uint32Array(DATA.length), new Uint32Array(4)].map((words) =>
    storageBuffer(device, words),
  );
  const staging = device.createBuffer({ size: DATA.byteLength, usage: 0x1 | 0x8 });
  const encoder = encodeDispatch(device, pipeline, buffers.slice(0, usesCounter ? 3 : 2).entries(), 1);
  encoder.copyBufferToBuffer(buffers[1] as GPUBuffer, 0, staging, 0, DATA.byteLength);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(0x1);
  const result = new Uint32Array(staging.getMappedRange().slice(0));
  for (const buffer of [...buffers, staging]) {
    buffer.destroy();
  }
  return result;
}

const sumOf = (values: Iterable<number>): number => {
  let sum = 0;
  for (const value of values) {
    sum = (sum + value) >>> 0;
  }
  return sum;
};

const adder = (combine: string, declarations?: string, name = "sum") =>
  operator({
    name,
    type: u32,
    identity: 0,
    combine,
    ...(declarations !== undefined && { declarations }),
    reference: (earlier, later) => (earlier + later) >>> 0,
  });

/** What a text does in its place, and what it should do. */
function useOf(fixture: Fixture, slot: Slot, text: string): () => Promise<Uint32Array | number> {
  const { fold } = fixture;
  const threads = DATA.length;
  switch (slot) {
    case "where":
      return () => fold.compact(DATA, { where: text, ...TUNING });
    case "map":
      return () => fold.scan(DATA, { map: text, ...TUNING });
    case "combine":
      return () => fold.reduce(DATA, { op: adder(text), ...TUNING });
    case "declarations":
      return () => fold.reduce(DATA, { op: adder("own_sum(earlier, later)", text), ...TUNING });
    case "capacity":
      return () => {
        const functions = workGroupAllocate({ workGroupSize: threads, counter: "used", capacity: text });
        const kernel = `${KERNEL}
@compute @workgroup_size(${threads}) fn main(@builtin(local_invocation_index) i: u32) {
  output[i] = work_group_allocate(0xffffffffu - input[i], i).offset;
}`;
        return runKernel(fixture, link(kernel, [functions]), true);
      };
    case "kernel":
      return () => {
        const functions = workGroupScan({ type: u32, workGroupSize: threads });
        const kernel = `${KERNEL.split("\n").slice(0, 3).join("\n")}
fn own(x: u32, i: u32) -> u32 { return ${text}; }
@compute @workgroup_size(${threads}) fn main(@builtin(local_invocation_index) i: u32) {
  output[i] = work_group_scan_inclusive_add_u32(own(input[i], i), i);
}`;
        return runKernel(fixture, link(kernel, [functions]), false);
      };
    default:
      return slot satisfies never;
  }
}

async function runExpression({ slot, tree, between }: ExpressionCase, fixture: Fixture): Promise<Verdict> {
  const values = Array.from(DATA, (x, i) => valueOfTree(tree, x, i));
  const own = wordsOf(tree);
  const prefixes = (): Uint32Array => {
    let sum = 0;
    return Uint32Array.from(values, (value) => {
      sum = (sum + value) >>> 0;
      return sum;
    });
  };
  // Where there is no x and no i, the expression's own words stand beside what is fixed.
  const byPlace: {
    readonly [Name in Slot]: readonly [words: readonly string[], expected: Uint32Array | number];
  } = {
    where: [["(", ...own, "&", "1u", ")", "==", "1u"], DATA.filter((_, i) => (values[i] ?? 0) % 2 === 1)],
    map: [own, prefixes()],
    kernel: [own, prefixes()],
    combine: [["(", "earlier", "+", "later", ")"], sumOf(DATA)],
    declarations: [
      [
        "const",
        "ONE",
        "=",
        "1u",
        ";",
        "fn",
        "own_sum",
        "(",
        "a",
        ":",
        "u32",
        ",",
        "b",
        ":",
        "u32",
        ")",
        "->",
        "u32",
        "{",
        "return",
        "a",
        "+",
        "b",
        "*",
        "ONE",
        ";",
        "}",
      ],
      sumOf(DATA),
    ],
    // Nobody's run fits; all get the capacity.
    capacity: [["(", "3u", "+", "4u", ")"], new Uint32Array(DATA.length).fill(7)],
  };
  const [all, expected] = byPlace[slot];
  const text = joined(all, between);
  const title = `${slot} ${JSON.stringify(text)}`;
  const made = await attempt(`a text as ${slot}`, true, useOf(fixture, slot, text));
  await fixture.requireNoError("a text");
  if ("result" in made && String(made.result) !== String(expected)) {
    throw new Fault(`${title} gives ${String(made.result)} instead of ${String(expected)}`);
  }
  return "passed";
}

/** What is left of WGSL without its comments; nothing, where one does not end. */
export function withoutComments(text: string): string | undefined {
  let code = "";
  for (let at = 0; at < text.length; ) {
    if (text.startsWith("//", at)) {
      while (at < text.length && !/[\n\v\f\r\u0085\u2028\u2029]/.test(text[at] ?? "")) {
        at++;
      }
    } else if (text.startsWith("/*", at)) {
      let depth = 0;
      do {
        depth += text.startsWith("/*", at) ? 1 : text.startsWith("*/", at) ? -1 : 0;
        at += text.startsWith("/*", at) || text.startsWith("*/", at) ? 2 : 1;
      } while (depth > 0 && at < text.length);
      if (depth > 0) {
        return undefined;
      }
      code += " ";
    } else {
      code += text[at++];
    }
  }
  return code;
}

/** Whether a text stays in the brackets that it is put into. */
export function staysInside(text: string, isExpression: boolean): boolean {
  const code = withoutComments(text);
  if (code === undefined || (isExpression && /[;{}]/.test(code))) {
    return false;
  }
  const open: string[] = [];
  const closing: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
  for (const character of code) {
    if ("([{".includes(character)) {
      open.push(character);
    } else if (character in closing && open.pop() !== closing[character]) {
      return false;
    }
  }
  return open.length === 0;
}

async function runAttack({ slot, before, attack }: AttackCase, fixture: Fixture): Promise<Verdict> {
  const own =
    slot === "combine" ? "earlier + later " : slot === "map" || slot === "capacity" ? "7u " : before;
  const text = `${own}${attack}`;
  const call = useOf(fixture, slot, text);
  const made = await attempt(`an attack as ${slot}`, false, () =>
    call().catch((cause) => {
      if (cause instanceof CompileFault) {
        return undefined;
      }
      throw cause;
    }),
  );
  await fixture.requireNoError("an attack");
  if ("refusal" in made || made.result === undefined) {
    return "refused";
  }
  if (!staysInside(text, slot === "where" || slot === "capacity")) {
    throw new Fault(`an attack as ${slot} is taken: ${JSON.stringify(text)}`);
  }
  return "passed";
}

/** The names that the modules of a compaction and of a scan declare, as they were compiled. */
async function ownNames(fixture: Fixture): Promise<readonly string[]> {
  const { names } = await fixture.kept("names", async () => {
    const { fold } = fixture;
    const texts: string[] = [];
    const { device } = fold;
    const create = device.createShaderModule;
    Object.defineProperty(device, "createShaderModule", {
      configurable: true,
      value(descriptor: GPUShaderModuleDescriptor) {
        texts.push(descriptor.code);
        return create.call(device, descriptor);
      },
    });
    try {
      // A tile that no other case has, so that each module is compiled now.
      const tuning = { workGroupSize: 6, itemsPerThread: 2 };
      await fold.compact(DATA, { where: "x > 1u", ...tuning });
      await fold.scan(DATA, { map: "x", ...tuning });
    } finally {
      Reflect.deleteProperty(device, "createShaderModule");
    }
    const declared = texts.flatMap((text) =>
      Array.from(
        text.matchAll(/\b(?:fn|const|struct|alias|override|let|var)\b(?:<[^>]*>)?\s+(\w+)/g),
        ([, name]) => name ?? "",
      ),
    );
    return { names: [...new Set(declared)].sort(), destroy: () => {} };
  });
  return names;
}

const isIdentifier = (name: string): boolean =>
  /^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(name) && name !== "_" && !name.startsWith("__");

async function runName({ place, name: given, use = "NAME" }: NameCase, fixture: Fixture): Promise<Verdict> {
  const { fold } = fixture;
  const names = await ownNames(fixture);
  const isOurs = typeof given === "number";
  const name = isOurs ? (names[given % names.length] ?? "x") : given;
  if (place === "expression") {
    if (name === "x" || name === "i") {
      return "passed";
    }
    const text = use.replaceAll("NAME", name);
    const made = await attempt(`where with a name`, false, () =>
      fold.compact(DATA, { where: text, ...TUNING }),
    );
    await fixture.requireNoError("a name in an expression");
    if ("result" in made && isOurs) {
      throw new Fault(`where sees the name ${name}, which is none of the caller's: ${text}`);
    }
    return "result" in made ? "passed" : "refused";
  }
  if (place === "function") {
    const isFree = isIdentifier(name) && /^[^\x20-\x7e]/.test(name);
    const declarations = `fn ${name}(a: u32, b: u32) -> u32 { return a + b; }`;
    return expectSum(
      `declarations of a function ${isFree ? "with letters of any script" : `called ${name}`}`,
      isFree,
      fixture,
      () => fold.reduce(DATA, { op: adder(`${name}(earlier, later)`, declarations), ...TUNING }),
    );
  }
  if (place === "operator") {
    return expectSum(`an operator called ${name}`, false, fixture, () =>
      fold.reduce(DATA, { op: adder("earlier + later", undefined, name), ...TUNING }),
    );
  }
  const structName = place === "struct" ? name : "Own";
  const field = place === "field" ? name : "a";
  const title = place === "struct" ? `a struct called ${name}` : `a field called ${name}`;
  const other = field === "b" ? "c" : "b";
  const items = Array.from(DATA, (x, i): StructValue => ({ [field]: x, [other]: i }));
  const made = await attempt(title, false, async () => {
    const fields: Record<string, ScalarType> = Object.create(null) as Record<string, ScalarType>;
    fields[field] = u32;
    fields[other] = u32;
    const type = struct({ name: structName, fields });
    const op = operator({
      name: "sum",
      type,
      identity: { [field]: 0, [other]: 0 },
      combine: `${structName}(earlier.${field} + later.${field}, max(earlier.${other}, later.${other}))`,
      reference: (earlier) => earlier,
    });
    const array = type.from(items as never);
    const total = (await fold.reduce(array as never, { op, ...TUNING } as never)) as StructValue;
    const kept = await fold.compact(array as never, { where: `x.${field} % 2u == 1u`, ...TUNING });
    return [total[field], total[other], (kept as { length: number }).length];
  });
  await fixture.requireNoError(title);
  if ("refusal" in made) {
    if (made.refusal.name !== "ArgumentError") {
      throw new Fault(`${title} is refused by ${oneLine(made.refusal)}, and not by an ArgumentError`);
    }
    return "refused";
  }
  const expected = [sumOf(DATA), DATA.length - 1, DATA.filter((x) => x % 2 === 1).length];
  if (String(made.result) !== String(expected)) {
    throw new Fault(`${title} gives ${String(made.result)} instead of ${String(expected)}`);
  }
  return "passed";
}

async function expectSum(
  title: string,
  mustWork: boolean,
  fixture: Fixture,
  call: () => Promise<number>,
): Promise<Verdict> {
  const made = await attempt(title, mustWork, async () => call());
  await fixture.requireNoError(title);
  if ("refusal" in made) {
    return "refused";
  }
  if (made.result !== sumOf(DATA)) {
    throw new Fault(`${title} gives ${made.result} instead of ${sumOf(DATA)}`);
  }
  return "passed";
}

/** Seconds that a text may take to be read, for each 100 kB; and for any. */
const SECONDS_PER_100_KB = 1;

/** @throws {Fault} where it takes longer than time that grows as the text does. */
export function requireLinear<T>(title: string, size: number, read: () => T): T {
  const begun = process.cpuUsage();
  const result = read();
  const { user, system } = process.cpuUsage(begun);
  const seconds = (user + system) / 1e6;
  const most = SECONDS_PER_100_KB * (1 + size / 1e5);
  if (seconds > most) {
    throw new Fault(
      `${title} takes ${seconds.toFixed(1)} s for ${size} characters; it may take ${most.toFixed(1)}`,
    );
  }
  return result;
}

function runLong({ slot, before, unit, after, times }: LongCase): Verdict {
  const text = `${before}${unit.repeat(times)}${after}`;
  const functions = [workGroupScan({ type: u32, workGroupSize: 8 })];
  const read = (): unknown => {
    switch (slot) {
      case "kernel":
        return link(text, functions);
      case "directives":
        return linkDirectives(text);
      case "capacity":
        return link("work_group_allocate", [
          workGroupAllocate({ workGroupSize: 8, counter: "used", capacity: text }),
        ]);
      case "where":
      case "map":
      case "declarations": {
        const op = slot === "declarations" ? adder("own_sum(earlier, later)", text) : adder(text);
        return link("work_group_scan_inclusive_sum_u32", [
          workGroupScan({ type: u32, op, workGroupSize: 8 }),
        ]);
      }
      default:
        return slot satisfies never;
    }
  };
  const made = requireLinear(
    `reading ${slot} of ${JSON.stringify(before)} and many ${JSON.stringify(unit)}`,
    text.length,
    () => attemptNow(`reading ${slot}`, false, read),
  );
  return "result" in made ? "passed" : "refused";
}

export async function runText(one: TextCase, fixture: Fixture): Promise<Verdict> {
  switch (one.kind) {
    case "expression":
      return runExpression(one, fixture);
    case "attack":
      return runAttack(one, fixture);
    case "name":
      return runName(one, fixture);
    case "long":
      return runLong(one);
    default:
      return one satisfies never;
  }
}
