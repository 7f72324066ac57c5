import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { link } from "wesl";
import { runKernel } from "../examples/in-kernel/kernel.ts";
import { scanReference } from "../src/reference/index.ts";
import weslBundle, { weslBundle as named } from "../src/wesl.ts";
import { useFold } from "./support/fold.ts";
import { failures, useNullDevice } from "./support/null_device.ts";
import { randomBits } from "./support/random.ts";

const device = useNullDevice();
const fold = useFold();

/** A module's functions that kernels call: those whose names do not start with an underscore. */
const functionsOf = (module: string): RegExpMatchArray[] => [
  ...module.matchAll(/^fn ([a-z]\w*)\(([^)]*)\) -> (\w+)/gm),
];

/** A kernel as WESL's linker links it. */
async function linked(kernel: string): Promise<string> {
  const { dest } = await link({
    weslSrc: { "main.wesl": kernel },
    rootModuleName: "main",
    libs: [weslBundle],
  });
  expect(dest).not.toMatch(/\bimport\b/);
  return dest;
}

const kernelOf = (size: number, imports: readonly string[], calls: string): string => `${imports.join("\n")}
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(${size})
fn main(@builtin(local_invocation_index) local_index: u32) {
  let value = data[local_index];
  var count = 0u;
  ${calls}
}`;

/** What kernels give for each type of parameter. `count` is a variable of theirs. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  u32: "value",
  i32: "i32(value)",
  f32: "f32(value)",
  bool: "value == 3u",
  "ptr<function, u32>": "&count",
};

/** Calls a function of the module, and keeps its result. */
const callOf = ([, name, parameters = "", type = ""]: RegExpMatchArray): string => {
  const given = Array.from(parameters.matchAll(/(\w+): (ptr<.*?>|\w+)/g), ([, parameter, of = ""]) =>
    parameter === "local_index" || parameter === "source" ? "local_index" : ARGUMENTS[of],
  );
  const kept = ["u32", "i32", "f32"].includes(type) ? "u32(result)" : "1u";
  return `let result = ${name}(${given.join(", ")});\n    data[local_index] = ${kept};`;
};

const SIZES = [32, 64, 128, 256, 512, 1024];
const moduleOf = (size: number): string => weslBundle.modules[`wesl/size_${size}.wesl`] ?? "";

test("there is a module for each size, which has the same functions", () => {
  expect(named).toBe(weslBundle);
  expect(Object.keys(weslBundle.modules)).toEqual(SIZES.map((size) => `wesl/size_${size}.wesl`));
  const [first = [], ...others] = [32, 256, 1024].map((size) =>
    functionsOf(moduleOf(size)).map(([, name]) => name),
  );
  expect(first).toEqual(
    expect.arrayContaining([
      ...["work_group_scan_inclusive_add_u32", "work_group_scan_exclusive_max_f32_total"],
      ...["work_group_reduce_xor_i32", "work_group_segmented_scan_inclusive_min_f32"],
      ...["work_group_broadcast_f32", "work_group_split", "work_group_compact"],
    ]),
  );
  expect(new Set(first).size).toBe(first.length);
  for (const one of others) {
    expect(one).toEqual(first);
  }
});

test("WESL's linker links each function, and what it links compiles", async () => {
  const size = 64;
  const functions = functionsOf(moduleOf(size));
  expect(functions.length).toBeGreaterThan(100);
  const kernels = [];
  // A linker parses the module each time, so each kernel calls several.
  for (let at = 0; at < functions.length; at += 8) {
    const some = functions.slice(at, at + 8);
    const imports = some.map(([, name]) => `import wavefold::wesl::size_${size}::${name};`);
    const calls = some.map((one) => `  {\n    ${callOf(one)}\n  }`);
    const kernel = kernelOf(size, imports, calls.join("\n"));
    kernels.push({ title: some.map(([, name]) => name).join(" "), code: await linked(kernel) });
  }
  expect(await failures(device(), kernels)).toEqual([]);
});

test.each([32, 256])("what it links for %i threads gives what the functions give", async (size) => {
  const name = "work_group_scan_exclusive_add_u32";
  const code = await linked(
    kernelOf(
      size,
      [`import wavefold::wesl::size_${size}::${name};`],
      `data[local_index] = ${name}(value, local_index);`,
    ),
  );
  const next = randomBits(`wesl ${size}`);
  const data = Uint32Array.from({ length: size }, () => next());
  const [prefixes] = await runKernel(fold().device, code, [data]);
  expect(prefixes).toEqual(scanReference(data, { exclusive: true }));
});

test("two sizes in one kernel are kept apart, and what is not called is left out", async () => {
  const code = await linked(
    kernelOf(
      64,
      [64, 128].map(
        (size) => `import wavefold::wesl::size_${size}::work_group_reduce_add_u32 as sum_${size};`,
      ),
      "data[local_index] = sum_64(value, local_index) + sum_128(value, local_index);",
    ),
  );
  expect(code).not.toContain("scan_exclusive");
  expect(await failures(device(), [{ title: "two sizes", code }])).toEqual([]);
});

test("WESL's tools find the bundle by the import's path", async () => {
  // They try wavefold/wesl/size_64, wavefold/wesl and wavefold, in this order, and import the first that package.json exports.
  const { exports } = JSON.parse(await readFile("package.json", "utf8")) as { exports: object };
  expect(Object.keys(exports)).toContain("./wesl");
  expect(Object.keys(exports).filter((path) => path.startsWith("./wesl/") || path.includes("*"))).toEqual([]);
});
