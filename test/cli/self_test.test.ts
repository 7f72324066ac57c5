import { describe, expect, test } from "vitest";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { operators } from "../../src/algebra/operator_table.ts";
import type { ScalarType, TypeName } from "../../src/algebra/types.ts";
import type { Outcome, SelfTest } from "../../src/cli/self_test.ts";
import { checksEnd, runSelfTests, SELF_TEST_PIPELINES, selfTests } from "../../src/cli/self_test.ts";
import type { Check } from "../../src/cli/self_test_checks.ts";
import { builtinsOn, foldChecks, primitives, scopeOf, ways } from "../../src/cli/self_test_checks.ts";
import { differenceOf, operandsOf } from "../../src/cli/self_test_data.ts";
import type { ScanEach } from "../../src/cli/self_test_operators.ts";
import { operatorChecks, scanEachOn } from "../../src/cli/self_test_operators.ts";
import type { Fold } from "../../src/node.ts";
import { openFold } from "../../src/node.ts";
import { primitives as described } from "../../src/primitives/described.ts";
import type { ReferenceOptions } from "../../src/reference/index.ts";
import { scanReference } from "../../src/reference/index.ts";
import { planAs, useFold } from "../support/fold.ts";
import { nullGpu } from "../support/null_device.ts";

/** A fold without a device, whose calls are these. */
const standIn = (software: boolean, calls: object = {}, features = ["shader-f16", "subgroups"]): Fold =>
  ({ software, device: { features: new Set(features) }, ...calls }) as unknown as Fold;
const titles = (tests: readonly SelfTest[]): string[] => tests.map(({ title }) => title);

/** Whether two operators differ by what they do with NaN alone, and the type has none. `check` is as `u32 min`. */
const isSameOnIntegers = (check: string, opName: string): boolean =>
  /^[ui]\d+ (min|max)/.test(check) && check.split(" ")[1]?.slice(0, 3) === opName.slice(0, 3);

describe("the checks of scans, reductions and compactions", () => {
  const pattern = /^(.+?)<(\w+)(?:, (\w+))?>(.*) \((.+)\)$/;
  /** The values of a check's axes. */
  function axesOf({ title, lengths, way }: Check) {
    const [, call = "", type = "", op = "", how = ""] = pattern.exec(title) ?? [];
    return {
      form: `${call}${how}`,
      kind: call.split(" ").at(-1) ?? "",
      type,
      op,
      way,
      isLong: Math.max(...lengths) > 8000,
    };
  }
  const axes = foldChecks(scopeOf(standIn(false)))
    .filter(({ title }) => pattern.test(title))
    .map(axesOf);
  const has = (part: Partial<ReturnType<typeof axesOf>>): boolean =>
    axes.some((one) =>
      Object.entries(part).every(([name, value]) => one[name as keyof typeof one] === value),
    );
  const valuesOf = <Name extends keyof (typeof axes)[number]>(name: Name) => [
    ...new Set(axes.filter(({ op }) => op !== "compose").map((one) => one[name])),
  ];
  const types = [...Object.keys(elementTypes), "struct"];
  const kinds = ["inclusive scan", "exclusive scan", "reduce"];

  test.each(types)("each way and form has %s, and so has each length", (type) => {
    for (const way of ways) {
      expect(has({ type, way }), `${type} ${way}`).toBe(true);
    }
    for (const form of kinds) {
      expect(has({ type, form }), `${type} ${form}`).toBe(true);
    }
    expect(has({ type, kind: "compact" })).toBe(true);
    expect(has({ type, isLong: false }) && has({ type, isLong: true })).toBe(true);
  });

  test.each([...kinds, "compact where", "compact flags, indices"])(
    "each way and length has the form %s",
    (form) => {
      for (const way of ways) {
        expect(has({ form, way }), `${form} ${way}`).toBe(true);
      }
      expect(has({ form, isLong: false }) && has({ form, isLong: true })).toBe(true);
    },
  );

  test("each operator is scanned, and no two checks are the same", () => {
    const ops = Object.values<Operator>(operators).filter(({ name }) => name !== "exactAdd");
    expect(new Set(valuesOf("op"))).toEqual(new Set(["", ...ops.map(({ name }) => name)]));
    for (const { name } of ops) {
      expect(has({ op: name, kind: "scan" }), name).toBe(true);
    }
    const all = titles(selfTests(standIn(false)));
    // A sort of the same data in another way has the way in its title.
    expect(new Set(all).size).toBe(all.length);
  });

  test("tell operators apart that are not the same", async () => {
    // Every other operator that the type takes stands in for the one that is asked for.
    for (const [at, instead] of Object.values<Operator>(operators).entries()) {
      type Options = ReferenceOptions<TypeName> & { readonly exclusive?: boolean };
      const confused = standIn(at % 2 === 0, {
        scan: async (data: ScalarArray, { type, exclusive }: Options) =>
          scanReference(data, { type, exclusive, op: instead } as Options),
      });
      const some = selfTests(confused).filter(
        ({ primitive, title }) => primitive === "scan" && !/GPU|struct/.test(title),
      );
      expect(some).toHaveLength(14);
      for (const one of some) {
        // The data of sums are not rounded, however they are grouped, so their exact sums are the same.
        const isSame = instead.name === "exactAdd" && one.title.includes(", add>");
        const { type, op } = /<(?<type>\w+), (?<op>\w+)>/.exec(one.title)?.groups ?? {};
        if (
          !isSame &&
          !isSameOnIntegers(`${type} ${op}`, instead.name) &&
          !one.title.includes(`, ${instead.name}>`)
        ) {
          expect(`${one.title} as ${instead.name}: ${(await one.run()).verdict}`).toMatch(/failed$/);
        }
      }
    }
  });
});

/** The verdict on each check of operators, and the difference that it found. */
async function outcomesOf(scanEach: ScanEach): Promise<Map<string, string | undefined>> {
  const outcomes = new Map<string, string | undefined>();
  for (const { title, lengths, run } of operatorChecks(scanEach)) {
    const found = await run(lengths[0] as number).then(
      (results) => differenceOf(...results),
      (cause: unknown) => (cause as Error).message,
    );
    outcomes.set(title.replace(/^.*<(\w+), (\w+)>.*$/, "$1 $2"), found);
  }
  return outcomes;
}

const prefixesOf = (type: ScalarType, op: Operator, operands: ScalarArray): ScalarArray =>
  scanReference(operands, { type, op: op as never, exclusive: true }) as ScalarArray;

describe("the checks of operators", () => {
  const right: ScanEach = async (type, ops, operands) =>
    ops.map((op, at) => prefixesOf(type, op, operands[at] as ScalarArray));
  const names = Object.values<ScalarType>(elementTypes).flatMap((type) =>
    builtinsOn(type).map((op) => `${type.name} ${op.name}`),
  );
  const failuresOf = async (scanEach: ScanEach): Promise<string[]> =>
    [...(await outcomesOf(scanEach))].flatMap(([name, found]) => (found === undefined ? [] : [name]));

  test("there is one for each operator on each of its types", async () => {
    expect(names).toHaveLength(4 * 12 + 3 * 9);
    const outcomes = await outcomesOf(right);
    expect([...outcomes.keys()].sort()).toEqual([...names].sort());
    expect(await failuresOf(right)).toEqual([]);
    // All types come before the second operator, since each type has a kernel.
    expect([...outcomes.keys()].slice(0, 8)).toEqual([
      ...Object.keys(elementTypes).map((type) => `${type} add`),
      "u32 mul",
    ]);
  });

  test("they tell operators apart", async () => {
    for (const instead of Object.values<Operator>(operators)) {
      const failed = await failuresOf(async (type, _, operands) =>
        operands.map((one) => prefixesOf(type, instead, one)),
      );
      const isSame = (name: string): boolean =>
        name.endsWith(` ${instead.name}`) ||
        isSameOnIntegers(name, instead.name) ||
        (instead.name === "exactAdd" && /^f\d+ add$/.test(name));
      expect(failed.sort(), instead.name).toEqual(names.filter((name) => !isSame(name)).sort());
    }
  });

  test("the kernel of all operators of a type compiles on a device that has no more than any device has", async () => {
    const adapter = await nullGpu().requestAdapter();
    const device = await adapter?.requestDevice({ requiredFeatures: ["shader-f16"] });
    expect(device?.limits.maxComputeWorkgroupStorageSize).toBe(16_384);
    for (const type of Object.values<ScalarType>(elementTypes)) {
      const ops = builtinsOn(type);
      const results = await scanEachOn({ device: device as GPUDevice })(
        type,
        ops,
        ops.map(({ name }) => operandsOf(type, name, 64)),
      );
      expect(results).toHaveLength(ops.length);
    }
    device?.destroy();
  });

  test("they name the operator whose results are wrong, or which a compiler refuses", async () => {
    const wrong: ScanEach = async (type, ops, operands) =>
      (await right(type, ops, operands)).map((one, at) =>
        type.name === "i64" && ops[at]?.name === "mul" ? new BigInt64Array(one.length) : one,
      );
    expect(await failuresOf(wrong)).toEqual(["i64 mul"]);
    const refused: ScanEach = async (type, ops, operands) => {
      if (type.name === "f64" && ops.some(({ name }) => name === "max")) {
        throw new Error("it does not compile");
      }
      return right(type, ops, operands);
    };
    expect(await failuresOf(refused)).toEqual(["f64 max"]);
  });
});

describe("the self-test", () => {
  test("calls each primitive of a fold, in the order of importance, in software as on a GPU", async () => {
    const called = new Set<string>();
    const recorder = (software: boolean): Fold =>
      new Proxy(standIn(software), {
        get: (own, name) =>
          name in own
            ? own[name as keyof Fold]
            : () => {
                called.add(String(name));
                throw new Error("it is only called");
              },
      });
    const tests = selfTests(recorder(false));
    await Promise.all(tests.map((one) => one.run()));
    const names = described.map(({ primitive }) => primitive.name);
    const others = ["argMax", "argMin", "compact", "partition", "reduce", "scan", "upload"];
    expect([...called].sort()).toEqual([...names, ...others].sort());
    expect([...new Set(tests.map(({ primitive }) => primitive))]).toEqual([...primitives]);
    expect(titles(selfTests(recorder(true)))).toEqual(titles(tests));
  });

  test.each(Object.keys(elementTypes))("checks each primitive on %s alone, too", (type) => {
    const tests = selfTests(standIn(true), { types: [type] });
    const names = described.map(({ primitive }) => primitive.name);
    for (const name of [...names, "scan", "reduce", "compact"]) {
      expect(
        tests.some(({ primitive }) => primitive === name),
        name,
      ).toBe(true);
    }
  });

  test("has the checks of the types that were asked for, and skips what the device lacks", async () => {
    const verdicts = async (features: string[], passed: boolean) => {
      const singlePass = { passed, detail: "", milliseconds: 1 };
      const fold = standIn(true, {}, features);
      const tests = selfTests(fold, { types: ["f16", "u64"], singlePass });
      expect(new Set(tests.map(({ type }) => type))).toEqual(new Set(["f16", "u64"]));
      const outcomes = await Promise.all(tests.map((one) => one.run()));
      return outcomes.filter(({ verdict }) => verdict === "skipped");
    };
    const reasons = (some: readonly Outcome[], type: string) =>
      new Set(some.filter((one) => one.type === type).map(({ detail }) => detail));
    const none = await verdicts([], true);
    expect(reasons(none, "f16")).toEqual(new Set(["no shader-f16"]));
    expect(reasons(none, "u64")).toEqual(new Set(["no subgroups"]));
    expect(reasons(await verdicts(["subgroups", "shader-f16"], false), "u64")).toEqual(
      new Set(["single passes do not work"]),
    );
    expect(await verdicts(["subgroups", "shader-f16"], true)).toEqual([]);
  });

  const outcomeOf = (
    verdict: Outcome["verdict"],
    primitive: Outcome["primitive"],
    title: string,
  ): Outcome => ({
    primitive,
    type: "u32",
    title,
    verdict,
    detail: "",
  });
  /** Checks that end when they are let go. */
  function heldTests(names: readonly Outcome["primitive"][]) {
    const ends: (() => void)[] = [];
    const tests = names.map((primitive, at): SelfTest => {
      const title = `${primitive} ${at}`;
      const run = (): Promise<Outcome> =>
        new Promise((resolve) => {
          ends[at] = () => resolve(outcomeOf("passed", primitive, title));
        });
      return { primitive, type: "u32", title, run };
    });
    return { tests, end: (at: number) => ends[at]?.() };
  }

  test("tells of a primitive when all its checks are done, and those before it", async () => {
    const { tests, end } = heldTests(["scan", "scan", "sort", "unique"]);
    const told: number[] = [];
    const run = runSelfTests(tests, { step: () => {}, done: (some) => told.push(some.length) });
    const toldAfter = async (at: number): Promise<number[]> => {
      end(at);
      await new Promise((resolve) => setTimeout(resolve, 0));
      return told;
    };
    expect(await toldAfter(2)).toEqual([]);
    expect(await toldAfter(0)).toEqual([]);
    expect(await toldAfter(1)).toEqual([3]);
    expect(await toldAfter(3)).toEqual([3, 4]);
    expect(await run).toHaveLength(4);
  });

  test("starts no check after its time, and says which it left out", async () => {
    let ran = 0;
    const { tests } = heldTests(Array.from({ length: 20 }, () => "scan"));
    const quick = tests.map((one) => ({
      ...one,
      run: async () => {
        ran++;
        await new Promise((resolve) => setTimeout(resolve, 60));
        return outcomeOf("passed", one.primitive, one.title);
      },
    }));
    const outcomes = await runSelfTests(quick, { step: () => {}, until: performance.now() + 30 });
    // As many as run at the same time.
    expect(ran).toBe(16);
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(
      quick.map((_, at) => (at < 16 ? "passed" : "left out")),
    );
    // The litmus tests come after that.
    expect(checksEnd({ software: false }, 1000)).toBeLessThan(1000 + 18_000);
    expect(checksEnd({ software: true }, 1000)).toBeLessThan(1000 + 55_000);
  });
});

test("compiles few kernels, and short ones, on a GPU", async () => {
  const adapter = (await nullGpu().requestAdapter()) as GPUAdapter;
  const own = await openFold({ adapter, maxPipelines: SELF_TEST_PIPELINES });
  planAs(own, {
    software: false,
    vendor: "nvidia",
    lookBack: true,
    subgroupMinSize: 32,
    subgroupMaxSize: 32,
  });
  const { device } = own;
  const codes: string[] = [];
  // It compiles nothing, since only texts are looked at here. Below, all checks run.
  const nothing = device.createShaderModule({ code: "@compute @workgroup_size(1) fn nothing() {}" });
  device.createShaderModule = ({ code }) => {
    codes.push(code.replace(/\/\/.*/g, "").replace(/\s+/g, " "));
    return nothing;
  };
  const { createComputePipelineAsync } = device;
  device.createComputePipelineAsync = ({ layout }) =>
    createComputePipelineAsync.call(device, { layout, compute: { module: nothing } });
  // This adapter runs nothing, so all results are wrong.
  const tests = selfTests(own);
  await runSelfTests(tests, { step: () => {} });
  expect(codes.length).toBeGreaterThan(100);
  // A sort takes several, and so does one before `unique`, or before weights of bins are added up.
  expect(codes.length).toBeLessThanOrEqual(1.35 * tests.length);
  expect(codes.join("").length).toBeLessThan(15_200 * tests.length);
  own.destroy();
});

/** Each check compiles its kernels. */

describe("on a device", () => {
  const fold = useFold();
  const keepAll = (): Promise<Fold> => openFold({ device: fold().device, maxPipelines: SELF_TEST_PIPELINES });

  /** Changes all bits of every second pair of the last element; of what is no array, the first part. */
  function spoil(result: unknown): unknown {
    if (typeof result === "number" || typeof result === "bigint") {
      return typeof result === "number" ? 12_345.5 : 12_345n;
    }
    const array = result as ScalarArray;
    if (array?.buffer !== undefined) {
      if (array.length > 0) {
        const bytes = array.byteLength / array.length;
        const own = new Uint8Array(
          array.buffer as ArrayBuffer,
          array.byteOffset + array.byteLength - bytes,
          bytes,
        );
        own.forEach((byte, at) => {
          own[at] = byte ^ 0x55;
        });
      }
      return result;
    }
    const [name] = Object.keys(result as object);
    return {
      ...(result as object),
      [name as string]: spoil((result as Record<string, unknown>)[name as string]),
    };
  }

  const wrong = (own: Fold): Fold =>
    new Proxy(own, {
      get(of, name) {
        const value = Reflect.get(of, name, of) as unknown;
        return typeof value !== "function"
          ? value
          : async (...given: unknown[]) => {
              const result = (await Reflect.apply(value, of, given)) as { read?: () => Promise<unknown> };
              // An array on the GPU is read by the check.
              return name === "upload"
                ? result
                : result?.read === undefined
                  ? spoil(result)
                  : { read: async () => spoil(await result.read?.()), destroy: () => {} };
            };
      },
    });

  for (const primitive of primitives) {
    test(`checks of ${primitive} pass, and none of them passes a result with a wrong element`, async () => {
      const own = await keepAll();
      const some = (of: Fold): SelfTest[] => selfTests(of).filter((one) => one.primitive === primitive);
      const outcomes = await runSelfTests(some(own), { step: () => {} });
      expect(outcomes.filter(({ verdict }) => verdict === "failed")).toEqual([]);
      expect(outcomes.some(({ verdict }) => verdict === "passed")).toBe(true);
      if (primitive !== "operators") {
        const spoilt = await runSelfTests(some(wrong(own)), { step: () => {} });
        expect(spoilt.filter(({ verdict }) => verdict === "passed")).toEqual([]);
      }
    });
  }

  test("no check of operators passes a result with a wrong element", async () => {
    const own = await keepAll();
    const outcomes = await outcomesOf(async (...given) =>
      (await scanEachOn(own)(...given)).map((one) => spoil(one) as ScalarArray),
    );
    expect([...outcomes.values()].filter((found) => found === undefined)).toEqual([]);
  });
});
