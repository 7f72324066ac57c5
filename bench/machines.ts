// Times calls at hand beside both machines that may take them: a loop on the CPU, and the GPU. `openFold()` chooses by length, and should
// take at most 1.2 times what the faster one takes, and 20 microseconds.
// usage: node build/bench/machines.js [--adapter gpu|software] [--powers 4,10,16] [--milliseconds 300] [--json FILE]
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Fold } from "../src/node.ts";
import { openFold } from "../src/node.ts";
import { timeInTurn } from "./at_hand.ts";
import { headOf, hostOf } from "./host.ts";
import { lineOfWidths } from "./line.ts";
import { loopOf } from "./loops.ts";
import type { Timing } from "./timer.ts";
import { wordAt, wordsBy } from "./words.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { adapter: text, powers: text, milliseconds: text, json: text } });
const adapter = values.adapter as "gpu" | "software" | undefined;
const powers = (values.powers ?? "4,6,8,10,11,12,13,14,15,16,17,18,20,22,24,27").split(",").map(Number);
const milliseconds = Number(values.milliseconds ?? 300);
const gpu = await openFold({ cpu: "never", ...(adapter !== undefined && { adapter }) });
// One device for both: a program has one, and Dawn asks each device in turn whether something is done.
const folds = {
  auto: await openFold({ cpu: "auto", device: gpu.device }),
  gpu,
  cpu: await openFold({ cpu: "always" }),
};

type Words = Uint32Array<ArrayBuffer> | Float32Array<ArrayBuffer>;
const primitives = ["scan", "reduce", "compact", "sort"] as const;
type PrimitiveName = (typeof primitives)[number];

/** The call as a program writes it. */
const callOf = (fold: Fold, primitive: PrimitiveName, data: Words, into: Words) => (): Promise<unknown> => {
  switch (primitive) {
    case "scan":
      return fold.scan(data, { into });
    case "reduce":
      return fold.reduce(data);
    case "compact":
      return fold.compact(data, { where: data instanceof Float32Array ? "x > 0.0" : "(x & 1u) == 1u", into });
    case "sort":
      return fold.sort(data, { into });
    default:
      return primitive satisfies never;
  }
};

/** What a program without a library would write. */
const plainOf = (primitive: PrimitiveName, data: Words, into: Words): (() => unknown) => {
  if (primitive !== "sort") {
    const loop = loopOf(primitive, data instanceof Float32Array ? "f32" : "u32");
    return () => loop(data, into);
  }
  return () => {
    into.set(data);
    into.sort();
  };
};

const lineOf = lineOfWidths([16, 6, 11, 11, 11, 11, 6, 7]);
const print = (cells: readonly string[]): void => console.log(lineOf(cells));

const host = hostOf(folds.gpu);
console.log(headOf(host));
print(["", "length", "openFold()", "GPU alone", "CPU alone", "plain", "times", ""]);
const results: object[] = [];
for (const type of ["u32", "f32"] as const) {
  for (const primitive of primitives) {
    for (const power of powers) {
      const length = 2 ** power;
      const words = wordsBy(length, wordAt);
      const data = type === "u32" ? words : new Float32Array(words).map((word) => word / 2 ** 31 - 1);
      const into = type === "u32" ? new Uint32Array(length) : new Float32Array(length);
      const onGpu = callOf(folds.gpu, primitive, data, into);
      // The GPU's clock falls while the CPU computes: what runs there comes behind a call that does.
      const prepare = async (): Promise<void> => {
        await onGpu();
      };
      const isOnGpu = folds.auto.explain(primitive, length).machine === "gpu";
      const works = [
        { ...(isOnGpu && { prepare }), run: callOf(folds.auto, primitive, data, into) },
        { prepare, run: onGpu },
        { run: callOf(folds.cpu, primitive, data, into) },
        { run: plainOf(primitive, data, into) },
      ];
      const [auto, gpu, cpu, plain] = (
        await timeInTurn(works, { warmUpMs: 40, least: 3, most: 501, milliseconds: milliseconds / 4 })
      ).map(({ median }: Timing) => median) as [number, number, number, number];
      const best = Math.min(gpu, cpu, plain);
      const isMet = auto <= 1.2 * best + 20;
      results.push({ primitive, type, length, auto, gpu, cpu, plain, isMet });
      print([
        `${primitive} of ${type}`,
        `2^${power}`,
        ...[auto, gpu, cpu, plain].map((micros) => micros.toFixed(1)),
        (auto / best).toFixed(2),
        isMet ? "met" : "short",
      ]);
      if (values.json !== undefined) {
        writeFileSync(values.json, `${JSON.stringify({ ...host, results }, undefined, 1)}\n`);
      }
    }
  }
}
for (const fold of Object.values(folds)) {
  fold.destroy();
}
