import { refuse, shown } from "../../errors.ts";
import type { LitmusSizes, LitmusTest, Sightings } from "../../kernels/litmus.ts";
import { groupsOf, litmusKernel, litmusTests, MOST_STRIDE, WORDS_BEFORE } from "../../kernels/litmus.ts";
import type { OptionTable } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import type { Context } from "../device/context.ts";
import type { Compilable } from "../device/device.ts";
import { allocate, contextOf, pipelineOf, validated } from "../device/device.ts";
import { explain, requireDevice } from "../device/lost.ts";
import { COPY_DST, COPY_SRC, MAP_READ, STORAGE, UNIFORM } from "../device/usage_flags.ts";
import type { Fold } from "../fold.ts";
import type { LitmusOptions, LitmusResult } from "./litmus_types.ts";

/** For tests of the tests: a fault planted in a kernel, another limit. */
export interface PlantedInLitmus extends LitmusOptions {
  readonly alter?: (kernel: Compilable) => Compilable;
  readonly milliseconds?: number;
}

const TITLE = "litmus tests";
const optionNames = { only: true, onTest: true } as const satisfies OptionTable<LitmusOptions>;
/** After this time for all tests together, the test under way is given up, and no other one begins. */
const LIMIT_MS = 20_000;
/** Software runs each iteration for milliseconds, and a GPU for microseconds. */
const ITERATIONS = { software: 16, gpu: 20 } as const;

const sizesOf = ({ facts }: Context): LitmusSizes =>
  facts.software
    ? { workGroupSize: 32, testers: 64 }
    : { workGroupSize: Math.min(256, facts.limits.maxComputeInvocationsPerWorkgroup), testers: 256 };

/** The words of struct Iteration in run_litmus.wgsl. */
function iterationWords(number: number, { isAlone }: LitmusTest, software: boolean): Uint32Array {
  const shift = Math.imul(number, 2654435761) >>> 12;
  const stride = MOST_STRIDE >> (number % 4);
  const stress = (software ? 16 : 512) >> (number % 3);
  return Uint32Array.of(number, shift, stride, isAlone ? 0 : stress, isAlone ? 0 : 1024, 0);
}

/** What was seen, and what it means. */
export function resultOf(
  { name, usual, weak: whatWeak, forbidden: whatForbidden, reliedOnBy, cure }: LitmusTest,
  { instances, forbidden, weak }: Sightings,
  error: string | null,
  milliseconds: number,
): LitmusResult {
  const times = instances.toLocaleString("en");
  const seen = (count: number, what = ""): string =>
    `${count.toLocaleString("en")} of ${times} times, ${what}`;
  const told = (verdict: LitmusResult["verdict"], detail: string): LitmusResult => {
    return { name, verdict, detail, instances, forbidden, weak, error, milliseconds };
  };
  if (error !== null) {
    return told("note", `it did not run to its end: ${error}`);
  }
  if (forbidden > 0) {
    const relies =
      reliedOnBy === undefined ? "Nothing in Wavefold relies" : `In Wavefold, ${reliedOnBy} rely`;
    return told(
      reliedOnBy === undefined ? "note" : "failed",
      `${seen(forbidden, whatForbidden)}. WebGPU forbids it. ${relies} on that`,
    );
  }
  return told(
    "ok",
    weak > 0 ? `${seen(weak, whatWeak)}. WebGPU allows it, and ${cure}` : `${times} times, ${usual}`,
  );
}

/** @throws {ArgumentError} for options that have no meaning. */
export function runOnFold({ device }: Fold, options: LitmusOptions): Promise<readonly LitmusResult[]> {
  const title = "runLitmusTests";
  requireOptions(title, options, optionNames);
  const { only, onTest } = options;
  const names = litmusTests.map(({ name }) => name);
  const takes = `a list of ${names.map((name) => `"${name}"`).join(", ")}`;
  if (only !== undefined && !Array.isArray(only)) {
    refuse(title, "only", shown(only), takes);
  }
  const unknown = only?.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    refuse(title, "only", `"${String(unknown)}"`, takes);
  }
  if (onTest !== undefined && typeof onTest !== "function") {
    refuse(title, "onTest", shown(onTest), "a function of the name of a test");
  }
  return runOnDevice(device, options);
}

/** Runs litmus tests on a device. If the device is lost, the tests that are left do not run. */
export async function runOnDevice(
  device: GPUDevice,
  {
    alter = (kernel) => kernel,
    milliseconds: limit = LIMIT_MS,
    only,
    onTest = () => {},
  }: PlantedInLitmus = {},
): Promise<readonly LitmusResult[]> {
  const context = contextOf(device);
  const sizes = sizesOf(context);
  const tests = litmusTests.filter(({ name }) => only === undefined || only.includes(name));
  const end = performance.now() + limit;
  const results: LitmusResult[] = [];
  for (const test of tests) {
    onTest(test.name);
    const start = performance.now();
    let sightings: Sightings = { instances: 0, forbidden: 0, weak: 0 };
    let error: string | null = null;
    try {
      requireDevice(context, TITLE);
      if (start >= end) {
        throw new Error(`the limit of ${limit / 1000} s for all tests was over before it began`);
      }
      sightings = await run(context, test, sizes, alter, end);
    } catch (cause) {
      const why = await explain(context, TITLE, cause);
      // A shader that does not compile has its whole text in its message.
      [error = ""] = (why instanceof Error ? why.message : String(why)).split("\n");
    }
    results.push(resultOf(test, sightings, error, Math.round(performance.now() - start)));
  }
  return results;
}

/** Runs all iterations of a test in one pass, and counts their outcomes. */
async function run(
  context: Context,
  test: LitmusTest,
  sizes: LitmusSizes,
  alter: (kernel: Compilable) => Compilable,
  end: number,
): Promise<Sightings> {
  const { device, facts } = context;
  const { started, running } = groupsOf(test, sizes);
  const instances = running * sizes.workGroupSize;
  const kernel = alter(litmusKernel(test, sizes));
  const { pipeline, layout } = await pipelineOf(context, kernel);
  const iterations = facts.software ? ITERATIONS.software : ITERATIONS.gpu;
  const label = `wavefold ${TITLE}`;
  const owned: GPUBuffer[] = [];
  const buffer = async (size: number, usage: number): Promise<GPUBuffer> => {
    const one = await allocate(context, { label, size, usage }, TITLE);
    owned.push(one);
    return one;
  };
  try {
    const places = await buffer(4 * (WORDS_BEFORE + 2 * MOST_STRIDE * instances), STORAGE);
    const plainPlaces = await buffer(8 * instances, STORAGE);
    const bytes = 8 * instances;
    const results = await buffer(iterations * bytes, STORAGE | COPY_SRC);
    const staging = await buffer(iterations * bytes, MAP_READ | COPY_DST);
    const spacing = device.limits.minUniformBufferOffsetAlignment;
    const uniforms = await buffer(iterations * spacing, UNIFORM | COPY_DST);
    // Commands that the device refuses leave zeros, which must not be counted as outcomes.
    await validated(context, TITLE, () => {
      const encoder = device.createCommandEncoder({ label });
      const pass = encoder.beginComputePass({ label });
      pass.setPipeline(pipeline);
      for (let iteration = 0; iteration < iterations; iteration++) {
        const words = iterationWords(iteration + 1, test, facts.software);
        device.queue.writeBuffer(uniforms, iteration * spacing, words as Uint32Array<ArrayBuffer>);
        const resources: Record<string, GPUBufferBinding> = {
          iteration: {
            buffer: uniforms,
            offset: iteration * spacing,
            size: words.byteLength,
          },
          places: { buffer: places },
          results: { buffer: results, offset: iteration * bytes, size: bytes },
          plain_places: { buffer: plainPlaces },
        };
        const entries = [...kernel.bindings].map(([variable, { number }]) => ({
          binding: number,
          resource: resources[variable] as GPUBufferBinding,
        }));
        pass.setBindGroup(0, device.createBindGroup({ label, layout, entries }));
        pass.dispatchWorkgroups(started);
      }
      pass.end();
      encoder.copyBufferToBuffer(results, 0, staging, 0, iterations * bytes);
      device.queue.submit([encoder.finish()]);
    });
    await inTime(staging.mapAsync(MAP_READ), end);
    const found = new Uint32Array(staging.getMappedRange());
    const sum = { instances: 0, forbidden: 0, weak: 0 };
    for (let iteration = 0; iteration < iterations; iteration++) {
      const own = found.subarray(2 * iteration * instances, 2 * (iteration + 1) * instances);
      const counts = test.count(own, { ...sizes, testers: running });
      sum.instances += counts.instances;
      sum.forbidden += counts.forbidden;
      sum.weak += counts.weak;
    }
    return sum;
  } finally {
    for (const one of owned) {
      one.destroy();
    }
  }
}

/** Rejects if it is not done by `end`. */
async function inTime(work: Promise<unknown>, end: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it was not done in time")), end - performance.now());
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    // When time is up, the buffers are destroyed, and then this rejects, too.
    work.catch(() => {});
  }
}
