import type { ScalarArray } from "../algebra/arrays.ts";
import { arrayOver, valuesOf } from "../algebra/arrays.ts";
import { elementTypes } from "../algebra/element_types.ts";
import { u32 } from "../algebra/integers.ts";
import { monoid } from "../algebra/monoid.ts";
import type { ElementType, Scalar, ScalarType, TypeName } from "../algebra/types.ts";
import type { TuningOptions } from "../plan/options.ts";
import { UsageError } from "./errors.ts";
import { openTarget, withInput } from "./files.ts";
import { formatValue, parseValue } from "./format.ts";
import { dumpElements, readElements, readFlags } from "./npy.ts";
import type { AdapterOption, InitialOption, MapOption, OperatorOption, TuningOption } from "./options.ts";
import { withFold } from "./options.ts";
import { print } from "./print.ts";
import type { Progress } from "./progress.ts";
import { startProgress } from "./progress.ts";

interface OutputOption {
  readonly output: string;
}

const tuningOf = ({ algorithm }: TuningOption): TuningOptions =>
  algorithm === undefined ? {} : { algorithm };

async function withProgress<Result>(
  total: number,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const progress = startProgress(total);
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}

/** The types of what goes in and comes out, and the map from one to the other, where there is one. */
interface Mapped {
  readonly from: ElementType<TypeName>;
  readonly type: ScalarType;
  readonly map: string;
}

function mappedOf(from: ScalarType, { map, type }: MapOption, caller: string): Mapped {
  if (type !== undefined && map === undefined) {
    throw new UsageError(`${caller}: --type says what --map EXPR gives; it takes both`);
  }
  const result = type === undefined ? from : elementTypes[type];
  // Without a map both types are one, and the call is one that takes none.
  return { from, type: result, ...(map !== undefined && { map }) } as Mapped;
}

/** The value of `--initial`, of the result's type. */
const initialOf = ({ initial }: InitialOption, type: ScalarType): { readonly initial?: Scalar } =>
  initial === undefined ? {} : { initial: parseValue(initial, type, "--initial") };

/** The bits of a result, which are what a file takes, whatever the runtime has for f16. */
const bitsOf = (result: ScalarArray, type: ScalarType): ScalarArray =>
  type.name === "f16" ? new Uint16Array(result.buffer as ArrayBuffer) : result;

/** `wavefold scan` */
export async function scanFile(
  input: string,
  options: OutputOption &
    OperatorOption &
    MapOption &
    TuningOption &
    InitialOption &
    AdapterOption & { readonly exclusive?: boolean; readonly total?: boolean },
): Promise<void> {
  const { op, exclusive = false } = options;
  const printed = await withProgress(4, async (progress) => {
    progress.step("reading");
    const target = await openTarget(options.output);
    const { type: own, data, shape } = await withInput(input, readElements);
    const mapped = mappedOf(own, options, "scan");
    monoid(op, mapped.type, "scan");
    const total = arrayOver(mapped.type, new ArrayBuffer(mapped.type.bytes));
    const ends = { ...initialOf(options, mapped.type), ...(options.total && { total }) } as object;
    progress.step("opening the adapter");
    const result = await withFold(options, (fold) => {
      progress.step("running");
      return fold.scan(data, { ...tuningOf(options), ...mapped, ...ends, op, exclusive });
    });
    progress.step("writing");
    await target.write(dumpElements({ type: mapped.type, data: bitsOf(result, mapped.type), shape }));
    return options.total ? `${formatValue(valuesOf(total, mapped.type)(0) as Scalar, mapped.type)}\n` : "";
  });
  await print(printed);
}

/** `wavefold reduce` */
export async function reduceFile(
  input: string,
  options: OperatorOption & InitialOption & MapOption & TuningOption & AdapterOption,
): Promise<void> {
  const { op } = options;
  const value = await withProgress(3, async (progress) => {
    progress.step("reading");
    const { type: own, data } = await withInput(input, readElements);
    const mapped = mappedOf(own, options, "reduce");
    monoid(op, mapped.type, "reduce");
    const initial = initialOf(options, mapped.type) as object;
    progress.step("opening the adapter");
    const total = await withFold(options, (fold) => {
      progress.step("running");
      return fold.reduce(data, { ...tuningOf(options), ...mapped, ...initial, op });
    });
    return formatValue(total, mapped.type);
  });
  await print(`${value}\n`);
}

/** `wavefold compact` */
export async function compactFile(
  input: string,
  options: OutputOption &
    TuningOption &
    MapOption &
    AdapterOption & { readonly where?: string; readonly flags?: string; readonly indices?: boolean },
): Promise<void> {
  const { where, indices = false } = options;
  if ((where === undefined) === (options.flags === undefined)) {
    throw new UsageError("compact takes one of --where EXPR and --flags FLAGS.npy, and not both");
  }
  if (options.map !== undefined && indices) {
    throw new UsageError("compact takes --map EXPR or --indices, which are not mapped, and not both");
  }
  await withProgress(4, async (progress) => {
    progress.step("reading");
    const target = await openTarget(options.output);
    const { type: own, data } = await withInput(input, readElements);
    const mapped = mappedOf(own, options, "compact");
    const flags =
      options.flags === undefined ? undefined : await readFlagsFor(options.flags, data.length, input);
    progress.step("opening the adapter");
    const kept = await withFold(options, (fold) => {
      progress.step("running");
      const all = {
        ...tuningOf(options),
        ...mapped,
        ...(where !== undefined && { where }),
        ...(flags !== undefined && { flags }),
      };
      return indices ? fold.compact(data, { ...all, indices }) : fold.compact(data, all);
    });
    progress.step("writing");
    const type = indices ? u32 : mapped.type;
    await target.write(dumpElements({ type, data: bitsOf(kept, type), shape: [kept.length] }));
  });
}

async function readFlagsFor(path: string, length: number, input: string): Promise<Uint8Array> {
  const { flags } = await withInput(path, readFlags);
  if (flags.length !== length) {
    throw new UsageError(
      `${path}: it holds ${flags.length} flags, and ${input} holds ${length} elements; it takes one flag for each`,
    );
  }
  return flags;
}
