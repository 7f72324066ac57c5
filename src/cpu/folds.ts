import { decodeFloat16, encodeFloat16 } from "../algebra/float16.ts";
import type { Operator } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { ElementType, Scalar, ScalarType, TypeName } from "../algebra/types.ts";
import { loadOtherElements } from "../parts.ts";
import type { FoldInput, Numbers, ScanOutput } from "./call.ts";
import type { Family, FamilyLoops, Loop, Operation, Task } from "./fold_words.ts";
import {
  addWords,
  andWords,
  anyWord,
  leastWord,
  mulWords,
  oddWords,
  orWords,
  xorWords,
} from "./fold_words.ts";
import { bitsOf, isShifted, numbersLike } from "./numbers.ts";

// Scans and reductions by the operators of the table. Integers, `min`, `max`, `minimum`, `maximum` and logical operators give the bits of the reference. Sums and
// products of floats go from left to right, from the initial value on, and are rounded after each operation.

/** What a fold reads, and its operator. */
export interface FoldCall extends FoldInput {
  readonly op: FoldName;
}

/** A scan, and where its prefixes go. */
export type ScanCall = FoldCall & ScanOutput;

// Each operator: what its loops compute, and whether they see its elements with all bits flipped.
const operations = {
  add: ["sum", 0],
  mul: ["product", 0],
  min: ["least", 0],
  max: ["least", -1],
  minimum: ["leastOrNan", 0],
  maximum: ["leastOrNan", -1],
  and: ["and", 0],
  or: ["or", 0],
  xor: ["xor", 0],
  logicalAnd: ["any", -1],
  logicalOr: ["any", 0],
  logicalXor: ["odd", 0],
} as const satisfies Record<string, readonly [operation: Operation, flip: 0 | -1]>;

type TableName = keyof typeof operations;

/** An operator that has loops. Those of `exactAdd` are in exact_folds.ts. */
export type FoldName = TableName | "exactAdd";

/** The loops over u32 and i32. Those of the other families are in floats_and_pairs.ts. */
export const wordLoops = {
  sum: addWords,
  product: mulWords,
  least: leastWord,
  leastOrNan: leastWord,
  and: andWords,
  or: orWords,
  xor: xorWords,
  any: anyWord,
  odd: oddWords,
} as const satisfies FamilyLoops;

/** What folds by operators of the table take beside {@link FoldCall}. */
export interface LoopsOfCall {
  readonly loops: FamilyLoops;
}

/** The loops over the elements of a type. Those over words are there, and the others are loaded. */
export async function loopsOver(type: ElementType): Promise<FamilyLoops> {
  const family = familyOf(type);
  return family === "words" ? wordLoops : (await loadOtherElements()).loopsByFamily[family];
}

/** The name of an operator of the table or of `exactAdd`, if there are loops for it on a type. */
export function foldNameOf(op: Operator, { kind }: ElementType): FoldName | undefined {
  if (op.mostBytes) {
    return "exactAdd";
  }
  // Callers' operators may have any name.
  const isBuiltIn = op.on === add.on && Object.hasOwn(operations, op.name);
  return isBuiltIn && kind !== "struct" ? (op.name as TableName) : undefined;
}

type Bits = Int32Array | Uint16Array;

/** The loop of an operator on a type, and memory for single elements. It is kept: to make it takes longer than to fold a short array. */
export interface Loops {
  readonly loop: Loop<Numbers>;
  readonly viewOf: (numbers: Numbers) => Numbers;
  readonly settings: ReturnType<typeof settingsOf>;
  /** What a task carries: as the type has it, as the loop sees it, and as bits. */
  readonly carried: Numbers;
  readonly carry: Numbers;
  readonly carryBits: Bits;
  /** The initial value. */
  readonly initial: Numbers;
  readonly initialView: Numbers;
  /** How many numbers of its bits an element has. */
  readonly size: number;
  /** What the operator starts from, and what a result shows that combines no element. */
  readonly identity: Bits;
  readonly nothing: Bits;
  /** The same for the fold that goes on, whose initial value may be in it. */
  readonly start: Bits;
  readonly shown: Bits;
}

/** A fold that goes on. */
export interface Fold {
  readonly kept: Loops;
  readonly task: Task<Numbers>;
  readonly outputBits: Bits;
}

const familyOf = ({ name, kind, bytes }: ElementType): Family =>
  kind === "float" ? (name as Family) : bytes === 4 ? "words" : "pairs";

/** What an operator starts from: sums of floats from −0, so that −0 is the sum of nothing but −0. */
function identityOf(name: TableName, { kind, zero, one, lowest, greatest, round }: ScalarType): Scalar {
  switch (name) {
    case "add":
      return kind === "float" ? -0 : zero;
    case "mul":
    case "logicalAnd":
      return one;
    case "min":
    case "minimum":
      return greatest;
    case "max":
    case "maximum":
      return lowest;
    case "and":
      return round((typeof zero === "bigint" ? -1n : -1) as never);
    default:
      return zero;
  }
}

/** Puts a value into an array of one element. */
function put(array: Numbers, value: Scalar): void {
  array[0] = (array instanceof Uint16Array ? encodeFloat16(value as number) : value) as never;
}

const scalarIn = (array: Numbers): Scalar =>
  array instanceof Uint16Array ? decodeFloat16(array[0] as number) : (array[0] as Scalar);

/** How a loop sees the elements of a type. */
function settingsOf({ kind, name }: ScalarType, operation: string, flip: number) {
  const sign = -0x80000000;
  const isFloat = kind === "float";
  const one = isFloat ? (name === "f64" ? 0x3ff00000 : 0x3f800000) : 1;
  return {
    // Words compare as signed numbers.
    flip: kind === "unsigned" && operation.startsWith("least") ? flip ^ sign : flip,
    lowFlip: flip ^ sign,
    mask: isFloat ? 0x7fffffff : -1,
    one: name === "f64" ? ([0, one] as const) : ([one, 0] as const),
  };
}

const known: { [Op in TableName]?: Partial<Record<TypeName, Loops>> } = {};

function loopsOf(op: TableName, type: ScalarType, loops: FamilyLoops, like: Numbers): Loops {
  const made = known[op]?.[type.name] ?? makeLoops(op, type, loops, like);
  known[op] ??= {};
  known[op][type.name] = made;
  return made;
}

function makeLoops(op: TableName, type: ScalarType, loops: FamilyLoops, like: Numbers): Loops {
  const [operation, flip] = operations[op];
  const takesNumbers = operation === "sum" || operation === "product" || operation.startsWith("least");
  const viewOf =
    type.kind === "float" && takesNumbers ? (numbers: Numbers) => numbers : (bitsOf as Loops["viewOf"]);
  const [carried, initial, element] = [1, 1, 1].map((length) => numbersLike(like, length)) as [
    Numbers,
    Numbers,
    Numbers,
  ];
  const bits = bitsOf(element);
  const bitsFor = (value: Scalar): Bits => {
    put(element, value);
    return bits.slice();
  };
  const identity = bitsFor(identityOf(op, type));
  return {
    loop: loops[operation] as Loop<Numbers>,
    viewOf,
    settings: settingsOf(type, operation, flip),
    carried,
    carry: viewOf(carried),
    carryBits: bitsOf(carried),
    initial,
    initialView: viewOf(initial),
    size: bits.length,
    identity,
    nothing: op === "add" ? bitsFor(type.zero) : identity,
    start: bits.slice(),
    shown: bits.slice(),
  };
}

/** A fold from the initial value. Its elements are `step` apart. `output` is undefined if only totals are asked for. */
export function foldOf(
  { type, op, loops, input: given, initial }: FoldCall & LoopsOfCall,
  output: Numbers | undefined,
  isExclusive = false,
  step = 1,
): Fold {
  const kept = loopsOf(op as TableName, type as ScalarType, loops, given);
  const { viewOf, carry, carryBits, size, identity, nothing, start, shown, initialView } = kept;
  const { flip, lowFlip, mask, one } = kept.settings;
  // A loop reads what it has not yet written only if both arrays start at the same place.
  const input = viewOf(output && isShifted(given, output) ? (given.slice() as Numbers) : given);
  const view = output === undefined || output === given ? input : viewOf(output);
  const stores = output !== undefined;
  const task: Task<Numbers> = {
    input,
    output: view,
    stores,
    carry,
    from: 0,
    to: 0,
    step,
    flip,
    lowFlip,
    mask,
    one,
  };
  if (initial !== undefined) {
    put(kept.initial, initial);
    copyElement(identity, 0, carryBits, 0, size);
    kept.loop({ ...task, input: initialView, output: initialView, stores: false, to: 1, step: 1 });
    copyElement(carryBits, 0, start, 0, size);
    copyElement(carryBits, 0, shown, 0, size);
  } else {
    // An exclusive sum of f64 starts from 0, which shows in the prefixes of nothing but −0.
    copyElement(isExclusive && type.name === "f64" ? nothing : identity, 0, start, 0, size);
    copyElement(nothing, 0, shown, 0, size);
    copyElement(start, 0, carryBits, 0, size);
  }
  return { kept, task, outputBits: output && isExclusive ? bitsOf(output) : carryBits };
}

/** Copies the bits of an element. */
export function copyElement(from: Bits, index: number, to: Bits, place: number, size: number): void {
  for (let at = 0; at < size; at++) {
    to[place * size + at] = from[index * size + at] as number;
  }
}

/** So many elements are scanned before they are moved by one place, while they lie in the fastest memory. */
export const BLOCK = 4096;

/** Writes the prefixes of all elements to the output, and gives the total, the initial value included. */
export function scanNumbers(call: ScanCall & LoopsOfCall): Scalar {
  const { op, input, output, initial, exclusive = false } = call;
  const { length } = input;
  // Only then is the sum −0. The scan may overwrite its input.
  const isMinusZero = op === "add" && initial === undefined && isAllMinusZero(input);
  const { kept, task, outputBits } = foldOf(call, output, exclusive);
  const { loop, carryBits, size, shown, carried } = kept;
  if (length === 0) {
    copyElement(shown, 0, carryBits, 0, size);
  }
  if (!exclusive) {
    task.to = length;
    loop(task);
    return scalarIn(carried);
  }
  for (let from = 0; from < length; from += BLOCK) {
    const to = Math.min(from + BLOCK, length);
    task.from = from;
    task.to = to;
    loop(task);
    output.copyWithin(from + 1, from, to - 1);
    copyElement(shown, 0, outputBits, from, size);
    copyElement(carryBits, 0, shown, 0, size);
  }
  return isMinusZero ? -0 : scalarIn(carried);
}

/** Whether there are elements, and all of them are −0. */
const isAllMinusZero = (numbers: Numbers): boolean =>
  Object.is(numbers[0], -0) && (numbers as Float64Array).every((item) => Object.is(item, -0));

/** The total of all elements, the initial value included. */
export function reduceNumbers(call: FoldCall & LoopsOfCall): Scalar {
  const { length } = call.input;
  const { kept, task } = foldOf(call, undefined);
  const { loop, carryBits, size, shown, carried } = kept;
  if (length === 0) {
    copyElement(shown, 0, carryBits, 0, size);
  }
  task.to = length;
  loop(task);
  return scalarIn(carried);
}
