import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import { SourceError } from "../../src/errors.ts";
import { shaderError } from "../../src/gpu/device/shader_errors.ts";
import { link } from "../../src/in_kernel/link.ts";
import type { Algorithm } from "../../src/kernels/algorithms.ts";
import type { Passes } from "../../src/plan/options.ts";
import { MARK } from "../../src/text/mark.ts";
import { declared } from "../../src/text/module.ts";
import { isReserved } from "../../src/text/reserved.ts";
import { algorithmNames } from "../support/fold.ts";
import type { TitledKernel } from "../support/kernels.ts";
import { eachFileOnce, factsWith, operatorFunctions } from "../support/kernels.ts";
import { failures, useNullDevice } from "../support/null_device.ts";
import { planCompact, planReduce, planScan } from "../support/plans.ts";

const device = useNullDevice();
const shaders = new URL("../../shaders/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, shaders), "utf8");
const files = readdirSync(shaders, { recursive: true, encoding: "utf8" }).filter((path) =>
  path.endsWith(".wgsl"),
);

/** All that our files declare, and the members that they have. */
const ours = [
  ...new Set(
    declared(files.map((path) => ({ name: path, text: read(path) }))).declarations.map(({ name }) => name),
  ),
  // What generated text declares beside.
  "keep_value",
  "map_value",
  "value_from_item",
  "item_from_value",
  "mapped_item",
  "stored",
  "words",
  "items",
  "vector",
];
/** What our files call of WGSL. */
const builtins = [
  "min",
  "max",
  "select",
  "bitcast",
  "countOneBits",
  "u32",
  "vec4",
  "subgroupAdd",
  "subgroupBallot",
];

const planned = ["scan", "compact", "reduce"] as const;

/** Every kind of kernel with an operator on a type, or those of some primitives. */
async function kernelsWith(
  type: ElementType,
  op: Operator<string>,
  texts: { readonly where?: string; readonly map?: string } = {},
  algorithms: readonly Algorithm[] = algorithmNames,
  ways: readonly Passes[] = ["single", "reduce-then-scan"],
  primitives: readonly (typeof planned)[number][] = planned,
): Promise<TitledKernel[]> {
  const { where = "i > 0u", map } = texts;
  const plans = algorithms.flatMap((algorithm) => {
    const sizes = { algorithm, workGroupSize: 32, itemsPerThread: 4, maxLength: 1e5 } as const;
    const mapped = map === undefined ? {} : { map, from: u32 };
    return ways.flatMap((passes) => {
      const makers = {
        scan: () => planScan({ type, op, passes, ...sizes, ...mapped }, factsWith()),
        compact: () => planCompact({ type, passes, where, ...sizes, ...mapped }, factsWith()),
        reduce: () => planReduce({ type, op, ...sizes, ...mapped }, factsWith()),
      };
      return primitives.map((primitive) => makers[primitive]());
    });
  });
  const kernels = (await Promise.all(plans)).flatMap((plan) => plan.kernels);
  expect(kernels.length).toBeGreaterThanOrEqual(2 * primitives.length);
  return kernels.map((kernel) => ({ title: kernel.label, code: kernel.code, kernel }));
}

test("none of our names begins as those of a caller's do beside ours", () => {
  expect(ours.length).toBeGreaterThan(100);
  expect(ours.filter((name) => name.startsWith(MARK))).toEqual([]);
  expect(ours.filter(isReserved)).toEqual([]);
});

const ways: readonly Passes[] = ["single", "reduce-then-scan"];

const upperCase = (name: string): string => `${name[0]?.toUpperCase()}${name.slice(1)}`;

/** A struct of a name whose fields have names of ours, too, and an operator on it. */
function structOf(name: string, fields: readonly string[]): [ElementType, Operator<string>] {
  const [first = "a", ...others] = fields;
  const type = struct({
    name,
    fields: { [first]: u32, ...Object.fromEntries(others.map((one) => [one, u32])) },
  });
  const identity = Object.fromEntries([first, ...others].map((one) => [one, 0]));
  const rest = others.map((one) => `earlier.${one} | later.${one}`);
  const op = operator({
    name: "both",
    type: type as unknown as ElementType<string, Record<string, number>>,
    identity,
    combine: `${name}(${[`earlier.${first} + later.${first}`, ...rest].join(", ")})`,
    reference: (earlier) => earlier,
  });
  return [type as ElementType, op as unknown as Operator<string>];
}

/** A call of an in-kernel function, in a kernel that has a variable `total`. */
const callOf = (name: string, value: string): string =>
  `_ = ${name}(${[
    value,
    ...(name.startsWith("coalesced") ? ["true"] : []),
    "0u",
    ...(name.endsWith("_uniform") ? ["&total"] : []),
  ].join(", ")});`;

describe("a struct of the caller's", () => {
  // Our types, and as many constants that their fields have all our names.
  const types = [
    ...new Set([
      ...ours.filter((name) => /^[A-Z]\w*[a-z]/.test(name)),
      "Pair",
      ...ours.filter((name) => /^[A-Z]/.test(name)),
    ]),
  ].slice(0, Math.ceil(ours.length / 16));
  test("all our types are among them", () => {
    expect(ours.filter((name) => /^[A-Z]\w*[a-z]/.test(name) && !types.includes(name))).toEqual([]);
  });
  test.each(types.map((name, at) => [name, at] as const))(
    "may be called %s, and its fields as anything of ours",
    async (name, at) => {
      const most = Math.ceil(ours.length / types.length);
      expect(most).toBeLessThanOrEqual(16);
      const fields = ours.slice(at * most, (at + 1) * most);
      const [type, op] = structOf(name, fields.length === 0 ? ["a"] : fields);
      const where = `x.${fields[0] ?? "a"} > i`;
      const map = `${name}(x${", x".repeat(Math.max(0, fields.length - 1))})`;
      const algorithm = algorithmNames[at % algorithmNames.length] ?? "blelloch";
      const texts = at % 4 < 2 ? { where } : { map, where: "x > 1u" };
      // A struct is declared, loaded and stored in the same way in all kernels, so they take turns.
      const primitive = planned[Math.floor(at / 4) % 3] ?? "scan";
      const way = ways[at % 2] ?? "single";
      const kernels = await kernelsWith(type, op, texts, [algorithm], [way], [primitive]);
      const taken = eachFileOnce()(kernels, [name]);
      if (at % 4 > 0) {
        expect(await failures(device(), taken)).toEqual([]);
        return;
      }
      const functions = operatorFunctions(type, op, algorithm, 32, false, [8]);
      const calls = functions.flatMap(({ names }) => names).map((one) => callOf(one, "x"));
      const kernel = `fn all() { let x = ${name}(); var total = x; ${calls.join(" ")} }`;
      expect(
        await failures(device(), [...taken, { title: "in a kernel", code: link(kernel, functions) }]),
      ).toEqual([]);
    },
  );

  test("may be called by a name that is ours with another first letter", async () => {
    const [type, op] = structOf(upperCase("load_items"), ["x", "i", "earlier", "later"]);
    expect(await failures(device(), await kernelsWith(type, op, { where: "x.x > x.i" }))).toEqual([]);
  });
});

describe("what an operator declares", () => {
  const names = [...ours, ...builtins].filter(
    (name) => /^[a-z]/.test(name) && !/^(u32|vec4|bitcast)$/.test(name),
  );
  const constants = ours.filter((name) => /^[A-Z_0-9]+$/.test(name));
  const declarations = [
    ...names.map((name) => `fn ${name}(x: u32) -> u32 { return x; }`),
    ...constants.map((name) => `const ${name} = 1u;`),
    "struct Call { ITEMS: u32, load_items: u32, @align(16) min: u32 }",
    "alias Element = Call;",
  ].join("\n");
  const combine = [
    "var sum = earlier + later;",
    ...names.map((name) => `sum = ${name}(sum);`),
    ...constants.map((name) => `sum *= ${name};`),
    "let identity = Element(0u, 0u, sum);",
    "return identity.ITEMS + identity.load_items + identity.min;",
  ].join("\n");
  const op = operator({
    name: "everything",
    type: u32,
    identity: 0,
    combine,
    declarations,
    reference: (a, b) => a + b,
  }) as Operator as Operator<string>;
  const notCompiled = eachFileOnce();

  test.each(algorithmNames.map((algorithm, at) => ({ algorithm, way: ways[at % 2] ?? "single" })))(
    "may have all our names, and those of WGSL's own functions: $algorithm",
    async ({ algorithm, way }) => {
      const kernels = await kernelsWith(u32, op, {}, [algorithm], [way]);
      expect(await failures(device(), notCompiled(kernels, ["alone"]))).toEqual([]);
    },
  );

  test("may have them beside a map, where `min` is WGSL's", async () => {
    const kernels = await kernelsWith(u32, op, { map: "min(x, max(i, 3u))" }, ["blelloch"], ["single"]);
    expect(await failures(device(), notCompiled(kernels, ["beside a map"]))).toEqual([]);
    expect(kernels.filter(({ code }) => /\nmin\(x, max\(i, 3u\)\)\n/.test(code)).length).toBeGreaterThan(1);
  });

  test("may have them in a kernel of the caller's", async () => {
    const functions = operatorFunctions(u32, op, "subgroup", 32, false, [8]);
    const calls = functions.flatMap((one) => one.names).map((one) => callOf(one, "1u"));
    const code = link(`fn all() { var total = 0u; ${calls.join(" ")} }`, functions);
    expect(await failures(device(), [{ title: "all", code }])).toEqual([]);
  });

  test("may hide a function that is at hand, and call others", async () => {
    const wide = operator({
      name: "wide",
      type: u64,
      identity: 0n,
      declarations: "fn add_u64(a: u64, b: u64) -> u64 { return max_u64(a, b); }",
      combine: "add_u64(earlier, later)",
      reference: (a, b) => [a, b].sort()[1] ?? a,
    }) as unknown as Operator<string>;
    const kernels = await kernelsWith(u64, wide, { where: "less_u64(x, vec2(i))" });
    expect(await failures(device(), kernels)).toEqual([]);
    const functions = operatorFunctions(u64, wide, "blelloch", 32, false, [8]);
    const code = link("fn all(x: vec2<u32>) { _ = work_group_reduce_wide_u64(x, 0u); }", functions);
    expect(code).toContain("return _max_u64(a, b);");
    expect(await failures(device(), [{ title: "all", code }])).toEqual([]);
  });

  test.each([
    ["twice", "fn one() {} /* \r\n */ fn one() {}", 2, "the name one is taken; choose another"],
    ["as its element", "\u2028const Pair = 1u;", 2, "the name Pair is taken; choose another"],
    [
      "as a binding",
      "//\n@group(0) @binding(7) var<uniform> size: u32;",
      2,
      "size is a binding; an operator takes functions, constants and structs",
    ],
  ])("is refused %s", async (_, text, line, problem) => {
    const [type] = structOf("Pair", ["a"]);
    const wrong = operator({
      name: "wrong",
      type: type as never,
      identity: { a: 0 } as never,
      combine: "earlier",
      declarations: text,
      reference: (a) => a,
    }) as unknown as Operator<string>;
    const cause = await planScan({ type, op: wrong, maxLength: 100 }, factsWith()).catch((error) => error);
    expect(cause).toBeInstanceOf(SourceError);
    expect(cause.message).toBe(`declarations of the operator wrong, line ${line}: ${problem}`);
    expect(cause).toMatchObject({ line, source: text });
  });
});

describe("no text of a caller's sees", () => {
  const sizes = { maxLength: 100, algorithm: "blelloch", workGroupSize: 32, itemsPerThread: 4 } as const;

  /** A predicate, a map and an operator whose texts have an expression. */
  const plansWith = (expression: string) => {
    const op = operator({
      name: "seeing",
      type: u32,
      identity: 0,
      combine: `let a = ${expression};\nreturn a;`,
      reference: (a) => a,
    }) as Operator as Operator<string>;
    return Promise.all([
      planCompact({ type: u32, where: `x == ${expression}`, ...sizes }, factsWith()),
      planReduce({ type: u32, map: `x + ${expression}`, ...sizes }, factsWith()),
      planScan({ type: u32, op, ...sizes }, factsWith()),
    ]);
  };

  test("any name of ours: a kernel declares none that such a text has", async () => {
    for (const { kernels } of await plansWith(ours.join(" + "))) {
      let seeing = 0;
      for (const { label, code } of kernels) {
        const names = declared([{ name: label, text: code }]).declarations.map(({ name }) => name);
        // The line of the caller's text, as it stands in the kernel.
        const line = code.split("\n").find((one) => one.split(" + ").length >= ours.length) ?? "";
        const words = new Set(line.match(/\w+/g));
        seeing += words.size > ours.length / 2 ? 1 : 0;
        expect(
          names.filter((name) => words.has(name)),
          label,
        ).toEqual([]);
      }
      expect(seeing).toBeGreaterThan(0);
    }
  });

  // Some of them are enough to show what the compiler says.
  const some = ours.filter((_, at) => at % 50 === 0);
  test.each([...some, "ITEMS", "call.length", "callers_ITEMS"])("%s", async (name) => {
    for (const { kernels } of await plansWith(name)) {
      const kernel = kernels.find(({ code }) => code.includes(name.split(".")[0] ?? ""));
      device().pushErrorScope("validation");
      const info = await device()
        .createShaderModule({ code: kernel?.code ?? "" })
        .getCompilationInfo();
      await device().popErrorScope();
      const [message] = info.messages;
      expect(message?.message).toMatch(/unresolved/);
      const error = shaderError(kernel as never, "kernel", message, null) as SourceError;
      expect(error).toBeInstanceOf(SourceError);
      // The name and the place are theirs.
      expect(error.message).toContain(`unresolved value '${name.split(".")[0]}'`);
      expect(error.source.split("\n")[error.line - 1]?.indexOf(name)).toBe(error.column - 1);
    }
  });
});
