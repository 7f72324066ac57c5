import type { ScanPrimitive } from "../src/adapters/tables.ts";
import { u32 } from "../src/algebra/integers.ts";
import type { ElementType } from "../src/algebra/types.ts";
import type { Fold } from "../src/gpu/fold.ts";
import type { prepareFor } from "../src/gpu/recordings/prepare_folds.ts";
import type { Ranges } from "../src/gpu/recordings/recording.ts";
import type { TuningOptions } from "../src/plan/options.ts";
import type { Source, WhileUploading } from "./buffers.ts";
import { createBuffer, NoRoomError, readerOf, upload, uploadPlaces } from "./buffers.ts";
import type { Copy } from "./copy.ts";
import { prepareCopy, preparePoison } from "./copy.ts";
import type { BenchTypeName, OperatorName } from "./elements.ts";
import { benchTypes, operatorOn } from "./elements.ts";
import type { BenchPrimitive } from "./suite.ts";
import type { Work } from "./timer.ts";
import { verifyCompact, verifyReduce, verifyScan } from "./verify.ts";
import { verifyPairs, verifySort } from "./verify_sort.ts";

const RESULT_BYTES = 64;

/** What a task reads and writes. */
export interface Buffers {
  /** Filled with an operator's data. */
  readonly input: GPUBuffer;
  /** Of a scan, a compaction or a sort; as long as the input. */
  readonly output: GPUBuffer;
  /** The value of a reduction, or the number that a compaction kept. */
  readonly result: GPUBuffer;
  /**
   * Where pairs are sorted, and there is room: the values of the keys, which are their places, and the values in the order of the sorted
   * keys.
   */
  readonly values?: GPUBuffer;
  readonly reordered?: GPUBuffer;
}

/** Buffers, and the copy that every time on them is compared with. */
export interface Stage {
  readonly buffers: Buffers;
  readonly copy: Copy;
  /** Gives the output the input's bytes, for what works in place. */
  reset(encoder: GPUCommandEncoder): void;
  /** Runs work once on poisoned outputs, to its end; in place, on the input's bytes. */
  runOnce(work: Work, inPlace: boolean): Promise<void>;
  destroy(): void;
}

/** How a stage is opened. */
export interface StageOptions extends WhileUploading {
  /** Whether there are values, too, if the adapter has room for them. */
  readonly hasPairs?: boolean;
}

/**
 * Buffers for an operator's data, filled.
 *
 * @throws {NoRoomError} when the adapter has no room for them.
 * @throws {EndedError} if the run is over before.
 */
export async function openStage(
  device: GPUDevice,
  type: BenchTypeName,
  op: OperatorName,
  length: number,
  options: StageOptions = {},
): Promise<Stage> {
  const bytes = length * benchTypes[type].type.bytes;
  const made: GPUBuffer[] = [];
  const destroy = (): void => {
    for (const buffer of made) {
      buffer.destroy();
    }
  };
  const make = async (name: string, size: number): Promise<GPUBuffer> => {
    const buffer = await createBuffer(device, name, size);
    made.push(buffer);
    return buffer;
  };
  const makeIfRoom = (name: string, size: number): Promise<GPUBuffer | undefined> =>
    make(name, size).catch((cause: unknown) => {
      if (cause instanceof NoRoomError) {
        return undefined;
      }
      throw cause;
    });
  try {
    const input = await make("input", bytes);
    const output = await make("output", bytes);
    const result = await make("result", RESULT_BYTES);
    await upload(device, input, type, op, length, options);
    const values = options.hasPairs ? await makeIfRoom("values", 4 * length) : undefined;
    const reordered = values && (await makeIfRoom("reordered values", 4 * length));
    if (values !== undefined && reordered !== undefined) {
      await uploadPlaces(device, values, length, options);
    }
    const copy = await prepareCopy(device, input, output, bytes);
    const poison = await Promise.all(
      [output, result, ...(reordered ? [reordered] : [])].map((one) => preparePoison(device, one)),
    );
    const reset = (encoder: GPUCommandEncoder): void =>
      encoder.copyBufferToBuffer(input, 0, output, 0, input.size);
    return {
      buffers: { input, output, result, ...(values && { values }), ...(reordered && { reordered }) },
      copy,
      reset,
      destroy,
      async runOnce(work, inPlace) {
        const encoder = device.createCommandEncoder({ label: "bench verify" });
        const inPass = (record: (pass: GPUComputePassEncoder) => void): void => {
          const pass = encoder.beginComputePass({ label: "bench verify" });
          record(pass);
          pass.end();
        };
        for (const one of poison) {
          inPass(one.record);
        }
        if (inPlace) {
          reset(encoder);
        }
        if ("pass" in work) {
          inPass(work.pass);
        } else if ("encode" in work) {
          work.encode(encoder);
        }
        device.queue.submit([encoder.finish()]);
        if ("submit" in work) {
          work.submit();
        }
        await device.queue.onSubmittedWorkDone();
      },
    };
  } catch (cause) {
    destroy();
    throw cause;
  }
}

/** Something to compute on a stage's buffers. Scans are exclusive. */
export interface Question {
  readonly primitive: BenchPrimitive;
  readonly type: BenchTypeName;
  readonly op: OperatorName;
  readonly length: number;
}

/** Compares what a question's answer is with the CPU's, element by element: what is wrong, or nothing. */
export function verifyTask(
  device: GPUDevice,
  { primitive, ...question }: Question,
  { output, result, reordered }: Buffers,
): Promise<string | undefined> {
  const from = (buffer: GPUBuffer): Source => {
    return () => readerOf(device, buffer);
  };
  switch (primitive) {
    case "scan":
      return verifyScan({ ...question, exclusive: true }, { output: from(output) });
    case "reduce":
      return verifyReduce(question, { output: from(result) });
    case "compact":
      return verifyCompact({ ...question, indices: false }, { output: from(output), count: from(result) });
    case "sort":
      return verifySort(question, { output: from(output) });
    case "pairs":
      return verifyPairs(question, { output: from(output), positions: from(reordered as GPUBuffer) });
    default:
      return primitive satisfies never;
  }
}

/** One of ours, ready to be recorded. */
export interface Task {
  record(pass: GPUComputePassEncoder): void;
  destroy(): void;
}

/** A task on ranges that each recording gives. */
export interface PreparedPrimitive {
  record(pass: GPUComputePassEncoder, ranges: Ranges): void;
  destroy(): void;
}

/** The ranges of a primitive in a stage's buffers, from an input. */
export const rangesOf = (
  primitive: ScanPrimitive,
  input: GPUBuffer,
  { output, result }: Buffers,
  length: number,
): Ranges => ({
  ...{ input, length, output: primitive === "reduce" ? result : output },
  ...(primitive === "compact" && { count: result }),
});

/** The options by which a question is planned. */
export function optionsOf(
  { primitive, type, op, length }: Question & { readonly primitive: ScanPrimitive },
  tuning: TuningOptions,
): Parameters<typeof prepareFor>[2] {
  const own = {
    ...(primitive === "compact" ? { where: benchTypes[type].where } : { op: operatorOn(op, type) }),
    ...(primitive === "scan" && { exclusive: true }),
  };
  return { type: benchTypes[type].type, maxLength: length, ...own, ...tuning } as ReturnType<
    typeof optionsOf
  >;
}

const methods = { scan: "prepareScan", reduce: "prepareReduce", compact: "prepareCompact" } as const;

/** @throws what `prepareScan` and the like throw. */
export async function prepareTask(
  fold: Fold,
  question: Question,
  buffers: Buffers,
  options: TuningOptions & { readonly inPlace?: boolean } = {},
): Promise<Task> {
  const { primitive, length } = question;
  const { input, output, values, reordered } = buffers;
  const { inPlace = false, ...tuning } = options;
  const type = benchTypes[question.type].type as ElementType;
  switch (primitive) {
    case "scan":
    case "reduce":
    case "compact": {
      const planned = optionsOf({ ...question, primitive }, tuning);
      const plan: PreparedPrimitive = await fold[methods[primitive]](planned as never);
      const ranges = rangesOf(primitive, inPlace ? output : input, buffers, length);
      return { record: (pass) => plan.record(pass, ranges), destroy: () => plan.destroy() };
    }
    case "sort": {
      const sort = await fold.prepareSort({ type, maxLength: length });
      return {
        record: (pass) => sort.record(pass, { input, output, length }),
        destroy: () => sort.destroy(),
      };
    }
    case "pairs": {
      const sort = await fold.prepareSort({ type, values: u32, maxLength: length });
      const ranges = {
        input,
        output,
        length,
        values: values as GPUBuffer,
        reordered: reordered as GPUBuffer,
      };
      return { record: (pass) => sort.record(pass, ranges), destroy: () => sort.destroy() };
    }
    default:
      return primitive satisfies never;
  }
}
