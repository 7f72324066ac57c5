import { settable, valuesOf } from "../algebra/array_values.ts";
import { arrayLike, arrayOver } from "../algebra/arrays.ts";
import { describe, problemOf } from "../algebra/check_value.ts";
import type { CustomOperator } from "../algebra/custom_operator.ts";
import type { Operator } from "../algebra/monoid.ts";
import type { ElementType, Value } from "../algebra/types.ts";
import { operatorText } from "../cpu/texts.ts";
import { ArgumentError } from "../errors.ts";
import { allocate, contextOf } from "../gpu/device/device.ts";
import { explain } from "../gpu/device/lost.ts";
import { COPY_DST, COPY_SRC, MAP_READ, STORAGE } from "../gpu/device/usage_flags.ts";
import { withNumbers } from "../gpu/executor/plan_with_parts.ts";
import { prepare } from "../gpu/recordings/recording.ts";
import { planCombine } from "../plan/combine_pairs.ts";
import { wholeWords } from "../plan/plan.ts";
import type { ReferenceMonoid } from "../reference/twins.ts";

/** Something that combines values two by two: the place of a value in `earlier` is that of its partner. */
export interface Combiner {
  combine(earlier: readonly Value[], later: readonly Value[]): Promise<readonly Value[]>;
  destroy(): void;
}

/**
 * The operator's CPU twin.
 *
 * @throws {ArgumentError} when a result is no value of the type.
 */
export function cpuCombiner({ title, type, lift, reference }: ReferenceMonoid): Combiner {
  return {
    async combine(earlier, later) {
      return earlier.map((one, at) => {
        const other = later[at] as Value;
        const result = reference(lift(one), lift(other));
        const problem = problemOf(type, result);
        if (problem !== undefined) {
          throw new ArgumentError(
            `checkMonoid<${title}>: reference(${describe(one)}, ${describe(other)}) is ${describe(result)}: ${problem}`,
            "reference",
          );
        }
        return result;
      });
    },
    destroy() {},
  };
}

/** The operator's WGSL as JavaScript, if there is a twin to compare it with, and the CPU has code for it. */
export function textCombiner(op: Operator): Combiner | undefined {
  const given = op as CustomOperator;
  if (given.reference === undefined) {
    return undefined;
  }
  const passes = operatorText(given);
  return (
    passes && {
      combine: async (earlier, later) => earlier.map((one, at) => passes.combine(one, later[at] as Value)),
      destroy() {},
    }
  );
}

/** The most pairs of one dispatch. */
const MOST_PAIRS = 4096;

/**
 * The operator's WGSL.
 *
 * @throws {SourceError} when it does not compile. {@link FeatureError} {@link DeviceLostError}
 */
export async function gpuCombiner(device: GPUDevice, op: Operator, type: ElementType): Promise<Combiner> {
  const context = contextOf(device);
  const plan = await withNumbers(async () =>
    planCombine({ op, type, maxLength: 2 * MOST_PAIRS }, context.facts),
  );
  const { title } = plan;
  const prepared = await prepare(context, plan);
  const owned: { destroy(): void }[] = [prepared];
  const own = async (name: string, items: number, usage: number): Promise<GPUBuffer> => {
    const size = wholeWords(items * type.bytes);
    const buffer = await allocate(context, { label: `wavefold ${title} ${name}`, size, usage }, title);
    owned.push(buffer);
    return buffer;
  };
  const destroy = (): void => {
    for (const one of owned) {
      one.destroy();
    }
  };
  try {
    const input = await own("input", 2 * MOST_PAIRS, STORAGE | COPY_DST);
    const output = await own("output", MOST_PAIRS, STORAGE | COPY_SRC);
    const staging = await own("read-back", MOST_PAIRS, MAP_READ | COPY_DST);

    const run = async (earlier: readonly Value[], later: readonly Value[]): Promise<Value[]> => {
      const { array, set } = settable(
        arrayOver(type, new ArrayBuffer(2 * earlier.length * type.bytes)),
        type,
      );
      earlier.forEach((one, at) => {
        set(2 * at, one);
        set(2 * at + 1, later[at] as Value);
      });
      device.queue.writeBuffer(input, 0, array.buffer as ArrayBuffer, 0, array.byteLength);
      const encoder = device.createCommandEncoder({ label: `wavefold ${title}` });
      prepared.record(encoder, { input, output, length: array.length });
      const bytes = earlier.length * type.bytes;
      encoder.copyBufferToBuffer(output, 0, staging, 0, wholeWords(bytes));
      device.queue.submit([encoder.finish()]);
      await staging.mapAsync(MAP_READ);
      const results = arrayLike(array, staging.getMappedRange().slice(0, bytes));
      staging.unmap();
      return earlier.map((_, at) => valuesOf(results, type)(at));
    };

    return {
      async combine(earlier, later) {
        const results: Value[] = [];
        try {
          for (let at = 0; at < earlier.length; at += MOST_PAIRS) {
            const end = at + MOST_PAIRS;
            results.push(...(await run(earlier.slice(at, end), later.slice(at, end))));
          }
        } catch (cause) {
          throw await explain(context, title, cause);
        }
        return results;
      },
      destroy,
    };
  } catch (cause) {
    destroy();
    throw await explain(context, title, cause);
  }
}
