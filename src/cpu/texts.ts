import type { CustomOperator } from "../algebra/custom_operator.ts";
import { f16, f32 } from "../algebra/floats.ts";
import { i32, u32 } from "../algebra/integers.ts";
import type { DeclaredParams } from "../algebra/seen_params.ts";
import type { ElementType, Value } from "../algebra/types.ts";
import { f64, i64, u64 } from "../algebra/types_64_later.ts";
import { Recent } from "../simulator/recent.ts";
import type { Numbers } from "./call.ts";
import { keyOf, scalarsOfValue, valueOfScalars } from "./texts/elements.ts";
import type {
  ClassLoop,
  ConditionLoops,
  MapLoop,
  OperatorLoops,
  Scalars,
  SumLoops,
  ToBins,
} from "./texts/loops.ts";
import { classLoop, conditionLoops, mapLoop, operatorLoops, sumLoops } from "./texts/loops.ts";
import { noCode } from "./texts/no_code.ts";
import type { Beside, OperatorText, Wanted } from "./texts/program.ts";
import { readMap, readOperator } from "./texts/program.ts";

// Callers' texts as JavaScript: each becomes a loop over typed arrays.

/** A text over elements as a loop. */
export interface MapPass {
  /** The type of the results. Those of a condition are u32: 0 or 1. */
  readonly type: ElementType;
  /**
   * Writes the results for as many elements, from the first ones of both arrays on. The first element's index is `firstIndex`. The scalars are
   * those of the params' values.
   */
  run: MapLoop;
}

/** A text over an element `x` and its index `i`. */
export interface TextToMap {
  /** An expression, or statements that end in `return`. */
  readonly text: string;
  /** The type of the elements. */
  readonly from: ElementType;
  /**
   * The type that the text must give; or what an expression's number is taken for: whether it is not 0, or the number of a class or a bin, as
   * u32. Without it, the results have the text's own type.
   */
  readonly to?: Wanted | undefined;
  /** Whether the text may name `i`. It may if this is left out. */
  readonly hasIndex?: boolean;
  /** The values that the text may name beside. */
  readonly params?: DeclaredParams | undefined;
  /** Elements of other arrays that it may name beside, and their types. */
  readonly beside?: Beside | undefined;
}

/**
 * An operator of a caller's own as loops. Without `start`, the first prefix is the first element itself; an exclusive scan gives the identity
 * before it, and so does a reduction of nothing.
 */
export interface OperatorPasses {
  /** Combines all elements with those before them, and gives the last result. Both arrays may be the same. */
  scan(input: Numbers, output: Numbers, exclusive: boolean, start: Value | undefined): Value;
  reduce(input: Numbers, start: Value | undefined): Value;
  /** The CPU twin of the operator's text. */
  combine(earlier: Value, later: Value): Value;
}

const scalars: Readonly<Record<string, ElementType>> = { u32, i32, f32, f16, u64, i64, f64, bool: u32 };

/** How many texts are kept at least. */
const LEAST_TEXTS = 64;

/** What a text has become, or why it has no code: a text that is wrong, or a page that forbids to make functions of texts. */
interface Attempt<Made> {
  readonly made?: Made;
  readonly cause?: unknown;
}

const maps = /* @__PURE__ */ new Recent<string, Attempt<MapPass>>(LEAST_TEXTS);
const conditions = /* @__PURE__ */ new Recent<string, Attempt<ConditionLoops>>(LEAST_TEXTS);
const operators = /* @__PURE__ */ new Recent<string, Attempt<OperatorLoops>>(LEAST_TEXTS);

function attempted<Made>(make: () => Made): Attempt<Made> {
  try {
    return { made: make() };
  } catch (cause) {
    return { cause };
  }
}

function required<Made>(attempt: Attempt<Made>): Made {
  if (attempt.made === undefined) {
    throw attempt.cause;
  }
  return attempt.made;
}

/** Tells texts apart that become other loops. */
function keyOfText({ text, from, to, hasIndex = true, params, beside = {} }: TextToMap): string {
  const wanted = typeof to === "object" ? keyOf(to) : to;
  const others = Object.entries(beside).map(([name, type]) => [name, keyOf(type)]);
  return JSON.stringify([text, keyOf(from), wanted, hasIndex, params?.key, others]);
}

const attemptedMap = (given: TextToMap): Attempt<MapPass> =>
  maps.of(keyOfText(given), () => attempted(() => madeMap(given)));

/**
 * A caller's text as a loop. Undefined if the CPU has no code for it: then the call runs on another machine, which reports what is wrong with
 * the text, if anything is.
 */
export const mapText = (text: TextToMap): MapPass | undefined => attemptedMap(text).made;

/** A caller's text as a loop. @throws {Error} that says why, if the CPU has no code for it. */
export const requireMapText = (text: TextToMap): MapPass => required(attemptedMap(text));

/**
 * A text that gives the numbers of bins as a loop: it counts them in its output, or adds up the weights that it has beside. Undefined if the CPU has
 * no code for it, or none that counts.
 */
export const binText = (given: TextToMap, to: ToBins): MapLoop | undefined =>
  maps.of(`${keyOfText(given)} ${to}`, () => attempted(() => madeMap(given, to))).made?.run;

/** The types that loops add up. */
const SUMMED: readonly string[] = ["u32", "i32", "f32", "f64"];
const sums = /* @__PURE__ */ new Recent<string, Attempt<SumLoops>>(LEAST_TEXTS);

/** A text as loops that add up what it gives; undefined if the CPU has no code for it. */
export const sumText = (given: TextToMap & { readonly to: ElementType }): SumLoops | undefined =>
  SUMMED.includes(given.to.name)
    ? sums.of(keyOfText(given), () =>
        attempted(() => {
          const { text, from, to, params } = given;
          const { program } = readMap({ text, from, wanted: to, hasIndex: true, params });
          return sumLoops(program, from, to, params);
        }),
      ).made
    : undefined;

function madeMap(
  { text, from, to, hasIndex = true, params, beside = {} }: TextToMap,
  toBins?: ToBins,
): MapPass {
  const { program, type } = readMap({ text, from, wanted: to, hasIndex, params, beside });
  const result = (typeof type === "string" ? scalars[type] : type) ?? noCode("a value of no element type");
  if (toBins && result.bytes === 8) {
    noCode("counts of bins whose numbers have 64 bits");
  }
  const stored = toBins ?? (type === "bool" ? type : result);
  return { type: result, run: mapLoop(program, from, stored, params, Object.values(beside)) };
}

/** What becomes of the elements that are kept: the text of a map, and the type that it gives. */
export interface KeptText {
  readonly text: string;
  readonly to: ElementType;
}

/**
 * A condition over an element `x`, its index `i` and params as loops; undefined if the CPU has no code for it. With `keptAs`, they store what
 * that text gives for the elements that are kept.
 */
export const conditionText = (
  given: Pick<TextToMap, "text" | "from" | "params">,
  keptAs?: KeptText,
): ConditionLoops | undefined =>
  conditions.of(keyOfText(given) + (keptAs ? keyOfText({ ...given, ...keptAs }) : ""), () =>
    attempted(() => {
      const read = (text: string, wanted: Wanted) =>
        readMap({ ...given, text, wanted, hasIndex: true }).program;
      return conditionLoops(
        read(given.text, "condition"),
        given.from,
        given.params,
        keptAs && { program: read(keptAs.text, keptAs.to), to: keptAs.to },
      );
    }),
  ).made;

const classes = /* @__PURE__ */ new Recent<string, Attempt<ClassLoop>>(LEAST_TEXTS);

/** A text that gives the class of each element as a loop; undefined if the CPU has no code for it. */
export const classText = (given: Pick<TextToMap, "text" | "from" | "params">): ClassLoop | undefined =>
  classes.of(keyOfText(given), () =>
    attempted(() => {
      const { program, type } = readMap({ ...given, wanted: undefined, hasIndex: true });
      const number = typeof type === "string" ? scalars[type] : type;
      return number === undefined || number.kind === "struct"
        ? noCode("a class that is no number")
        : classLoop(program, given.from, given.params, number.bytes === 8 && number.kind !== "float");
    }),
  ).made;

function attemptedLoops(op: OperatorText): Attempt<OperatorLoops> {
  const { name, combine, declarations, type, swapped = false } = op;
  const key = JSON.stringify([name, combine, declarations, keyOf(type), swapped]);
  return operators.of(key, () =>
    attempted(() => operatorLoops(readOperator({ name, combine, declarations, type, swapped }), type)),
  );
}

/** The CPU twin of an operator's text. @throws {Error} that says why, if the CPU has no code for it. */
export const operatorTwin = (op: OperatorText): OperatorPasses["combine"] =>
  twinOf(required(attemptedLoops(op)), op.type);

const twinOf =
  (loops: OperatorLoops, type: ElementType): OperatorPasses["combine"] =>
  (earlier, later) =>
    valueOfScalars(type, loops.combine(scalarsOfValue(type, earlier), scalarsOfValue(type, later)));

/** An operator's text as loops; undefined if the CPU has no code for it. */
export function operatorText(
  op: OperatorText & Pick<CustomOperator, "identity">,
): OperatorPasses | undefined {
  const { type, identity } = op;
  const { made: loops } = attemptedLoops(op);
  if (loops === undefined) {
    return undefined;
  }
  const perElement = type.kind === "struct" ? type.bytes / 4 : 1;
  const count = ({ length }: Numbers): number => length / perElement;
  const scalarsOf = (value: Value): Scalars => scalarsOfValue(type, value);
  const valueFrom = (of: Scalars): Value => valueOfScalars(type, of);
  return {
    scan: (input, output, exclusive, start) =>
      valueFrom(
        loops.scan(input, output, count(input), exclusive, scalarsOf(start ?? identity), start !== undefined),
      ),
    reduce: (input, start) =>
      valueFrom(loops.reduce(input, count(input), scalarsOf(start ?? identity), start !== undefined)),
    combine: twinOf(loops, type),
  };
}
