import fc from "fast-check";
import type { CpuLengths } from "../../src/adapters/tables.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Fold } from "../../src/node.ts";
import { tuningNames } from "../../src/plan/options.ts";
import { primitives } from "../../src/primitives/described.ts";
import type { Fixture } from "./fixture.ts";

// Calls at hand on the CPU. All else of a case stays on the device.

/** Which calls at hand the CPU takes: all for which it has loops, or short ones. */
export type CpuSpec = "always" | "auto";

export const cpuArbitrary = (): fc.Arbitrary<CpuSpec | undefined> =>
  fc.constantFrom(undefined, undefined, "always", "always", "auto");

/** What is short, so that a case has calls of both kinds. */
const SHORT = 64;
const shortLengths: CpuLengths = { others: SHORT };

const methods: ReadonlySet<string> = new Set([
  ...["scan", "reduce", "compact", "partition", "argMin", "argMax"],
  ...primitives.map(({ primitive }) => primitive.name),
]);

const tuned = Object.keys(tuningNames);

/** A fold whose calls have no options for kernels: with them, calls stay on the GPU. */
const untuned = (fold: Fold): Fold =>
  new Proxy(fold, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") {
        return value;
      }
      const method = value.bind(target) as (...given: unknown[]) => unknown;
      return methods.has(String(name))
        ? (...given: unknown[]) => method(...given.map(withoutTuning))
        : method;
    },
  });

const isPlain = (one: unknown): one is object =>
  typeof one === "object" && one !== null && Object.getPrototypeOf(one) === Object.prototype;

const withoutTuning = (one: unknown): unknown =>
  isPlain(one) ? Object.fromEntries(Object.entries(one).filter(([name]) => !tuned.includes(name))) : one;

/** Runs a case whose calls at hand the CPU takes. */
export async function withCpu<Result>(
  cpu: CpuSpec | undefined,
  fixture: Fixture,
  run: (fixture: Fixture) => Promise<Result>,
): Promise<Result> {
  if (cpu === undefined) {
    return run(fixture);
  }
  const context = contextOf(fixture.fold.device);
  context.cpu = { lengths: cpu === "always" ? undefined : shortLengths };
  try {
    return await run({ ...fixture, fold: untuned(fixture.fold) });
  } finally {
    delete context.cpu;
  }
}
