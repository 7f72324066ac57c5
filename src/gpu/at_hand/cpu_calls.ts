import { bytesOfValue, valueOfBytes } from "../../algebra/array_values.ts";
import type { CustomOperator } from "../../algebra/custom_operator.ts";
import type { Operator } from "../../algebra/monoid.ts";
import { monoid } from "../../algebra/monoid.ts";
import { add } from "../../algebra/operators.ts";
import { paramsIn } from "../../algebra/seen_params.ts";
import type { ElementType, Scalar, Value } from "../../algebra/types.ts";
import { isSameType, namesNarrow } from "../../algebra/types.ts";
import type { CpuArray, Numbers } from "../../cpu/call.ts";
import type { FoldCall, FoldName, LoopsOfCall } from "../../cpu/folds.ts";
import { foldNameOf, loopsOver, reduceNumbers, scanNumbers } from "../../cpu/folds.ts";
import { bytesIn, isShifted, numbersOver } from "../../cpu/numbers.ts";
import type { OperatorPasses } from "../../cpu/texts.ts";
import { afterLoad, loadCpuTexts, loadOtherElements } from "../../parts.ts";
import { requireFeature } from "../../plan/require_feature.ts";
import type { CheckedEnds } from "../device/check_ends.ts";
import type { Context } from "../device/context.ts";
import type { Given, Place, Target } from "../device/given.ts";
import { bytesOf } from "../device/given.ts";

// Scans and reductions at hand on the CPU, and what all calls there share. Each call gives undefined if the CPU has no loop for it. Texts that a
// compiler would refuse have none: the device reports them.

/** A scan or a reduction at hand. */
export interface FoldAtHand {
  readonly primitive: "scan" | "reduce";
  readonly options: {
    readonly op?: Operator;
    readonly map?: string;
    readonly params?: unknown;
    readonly exclusive?: boolean;
    readonly reverse?: boolean;
  };
  readonly given: Given;
  readonly types: { readonly from?: ElementType; readonly type: ElementType };
  readonly ends: Partial<Omit<CheckedEnds, "options">>;
}

/** The elements of a call's array, as they are now. @throws {ArgumentError} if they are not there any more. */
export function arrayOf(
  given: Given,
  type: ElementType,
  caller: string,
  name = "data",
): CpuArray | Promise<CpuArray> {
  return type.wide
    ? afterLoad(loadOtherElements(), ({ widened }) => widened(bytesOf(given, caller, name, name), type))
    : { type, length: given.length, numbers: numbersOver(bytesOf(given, caller, name, name), type) };
}

/** Numbers that loops have made, as an array of the type holds them. */
export const packed = (numbers: Numbers, type: ElementType): Numbers | Promise<Numbers> =>
  type.wide ? afterLoad(loadOtherElements(), (narrow) => narrow.packed(numbers, type)) : numbers;

/** Options as loops take them: with types of 32 bits in the place of those of 8 and 16. */
export const wideIn = <Options extends object>(options: Options): Options | Promise<Options> =>
  namesNarrow(options) ? afterLoad(loadOtherElements(), (narrow) => narrow.wideOptions(options)) : options;

/**
 * Computes with arrays of a call, which have to stay where they are: loops would read nothing in their place.
 *
 * @throws {ArgumentError} if one was transferred meanwhile, or became shorter.
 */
export async function withArrays<Made>(
  caller: string,
  arrays: Readonly<Record<string, Place>>,
  compute: () => Made | Promise<Made>,
): Promise<Made> {
  try {
    return await compute();
  } finally {
    for (const name in arrays) {
      bytesOf(arrays[name] as Place, caller, name, name);
    }
  }
}

/** Whether loops can take elements of these types: those of structs are whole words. Types whose feature is missing are left to the device. */
export const areTaken = ({ facts }: Context, ...types: readonly ElementType[]): boolean =>
  types.every(
    ({ kind, bytes, feature }) =>
      (kind !== "struct" || bytes % 4 === 0) && (feature === undefined || facts.features.has(feature)),
  );

/** What folds a call's elements: loops of an operator of the table, or loops made of the caller's text. */
interface Folding {
  readonly array: CpuArray;
  /** What its loops take; undefined for an operator of the caller's. */
  readonly call: (FoldCall & LoopsOfCall) | undefined;
  /** Writes prefixes, and gives the total. */
  scan(output: Numbers, exclusive: boolean): Value;
  reduce(): Value;
}

/**
 * What folds a call's elements; undefined if the CPU has no code for it. With `isWhole`, they are no segments.
 *
 * @throws {ArgumentError} {@link FeatureError}
 */
export async function foldingOf(
  context: Context,
  { primitive, options, given, types, ends }: FoldAtHand,
  isWhole = false,
): Promise<Folding | undefined> {
  const { type, from = type } = types;
  const wide = await wideIn({ map: options.map, from, type });
  const op = options.op === undefined ? add : options.op;
  const combination = monoid(op, type, primitive);
  const title = `${primitive}<${combination.title}>`;
  requireFeature(type, title, context.facts);
  const name = foldNameOf(op, type);
  const texts =
    types.from && (wide.map !== undefined || !isSameType(wide.from, type)) ? await loadCpuTexts() : undefined;
  const map = texts?.mapOf(wide, type, title, context.facts.features);
  if (!areTaken(context, from, type)) {
    return undefined;
  }
  const items = await arrayOf(given, from, primitive);
  const mapping = map && { text: map.text, to: type, params: paramsIn(options) };
  const initial = ends.initial && valueOfBytes(bytesOf(ends.initial, primitive, "initial", "initial"), type);
  const { reverse: swapped, exclusive } = options;
  // The first prefix of floats is 0, and their sums start from −0.
  if (mapping && isWhole && name === "add" && !swapped && !(exclusive && type.kind === "float")) {
    const sums = texts?.summed(context, items, mapping, initial);
    if (sums) {
      return { array: items, call: undefined, ...sums };
    }
  }
  const array = mapping ? texts?.mapped(context, items, mapping) : items;
  if (array === undefined) {
    return undefined;
  }
  const passes =
    name === undefined && combination.callers
      ? (await loadCpuTexts()).operatorText({ ...(op as CustomOperator), swapped })
      : undefined;
  const foldingBy = name
    ? await tableFolding(name, array.type, initial as Scalar | undefined)
    : passes && ((own: CpuArray) => textFolding(own, passes, initial));
  return foldingBy && (swapped ? (await loadOtherElements()).inReverse(array, foldingBy) : foldingBy(array));
}

/** What folds arrays of a type by an operator of the table. */
async function tableFolding(
  op: FoldName,
  type: ElementType,
  initial: Scalar | undefined,
): Promise<(array: CpuArray) => Folding> {
  const isExact = op === "exactAdd";
  const folds = isExact ? (await loadOtherElements()).exact : { reduceNumbers, scanNumbers };
  const loops = isExact ? {} : await loopsOver(type);
  return (array) => {
    const input = array.numbers;
    const call = { type, op, loops, input, initial };
    return {
      array,
      call,
      scan: (output, exclusive) => folds.scanNumbers({ type, op, loops, input, initial, output, exclusive }),
      reduce: () => folds.reduceNumbers(call),
    };
  };
}

const textFolding = (array: CpuArray, passes: OperatorPasses, initial: Value | undefined): Folding => {
  const { numbers } = array;
  return {
    array,
    call: undefined,
    scan(output, exclusive) {
      // Loops write from the first element on: those that they have not read must still be there.
      const input = isShifted(numbers, output) ? (numbers.slice() as Numbers) : numbers;
      return passes.scan(input, output, exclusive, initial);
    },
    reduce: () => passes.reduce(numbers, initial),
  };
};

/** `Fold.scan`. */
export const scan = (
  context: Context,
  call: FoldAtHand & { readonly target: Target },
): Promise<Uint8Array | undefined> =>
  folded(context, call, (folding) => {
    const { options, given, types, ends, target } = call;
    const bytes = target(given.length * types.type.bytes)();
    const output = numbersOver(bytes, types.type);
    const total = folding.scan(output, options.exclusive === true);
    putIn(bytes, output);
    ends.total?.().set(bytesOfValue(total, types.type));
    return bytes;
  });

/** `Fold.reduce`. */
export const reduce = (context: Context, call: FoldAtHand): Promise<Uint8Array | undefined> =>
  folded(context, call, (folding) => bytesOfValue(folding.reduce(), call.types.type));

/** What is made of a call's elements; undefined if the CPU has no code for that. */
const folded = (
  context: Context,
  call: FoldAtHand,
  make: (folding: Folding) => Uint8Array,
): Promise<Uint8Array | undefined> =>
  withArrays(call.primitive, { data: call.given }, async () => {
    const folding = await foldingOf(context, call, true);
    return folding && make(folding);
  });

/** Puts elements where they go, unless they are there: an array of structs may start where no word does, and then {@link numbersOver} copies it. */
export function putIn(bytes: Uint8Array, numbers: Numbers): void {
  if (numbers.buffer !== bytes.buffer) {
    bytes.set(bytesIn(numbers).subarray(0, bytes.length));
  }
}
