import type { Expression } from "../../text/syntax.ts";
import type { Constant } from "../../text/typing.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { textOfType } from "../../text/wgsl_types.ts";
import type { Parts } from "./constants.ts";
import { pairsOf } from "./constants.ts";
import { scalarIn } from "./operators.ts";

// What functions refuse of constant arguments: https://www.w3.org/TR/WGSL/#numeric-builtin-functions, #pack-builtin-functions,
// #subgroup-builtin-functions

/** What an argument is, where it is constant and known. */
export interface ConstantArguments {
  readonly name: string;
  readonly args: readonly Expression[];
  /** The type of the first argument, or of the result, where numbers without a type have taken one. */
  readonly type: Type;
  of(one: Expression): Parts | undefined;
  isConstant(one: Expression): boolean;
}

/** What is wrong, and the argument that is at fault. */
export type ArgumentProblem = readonly [problem: string, at: Expression];

/** The greatest number of f16. */
const MOST_F16 = 65504;
/** The most lanes that a subgroup may have. */
const MOST_LANES = 128n;
const BITS = 32n;

type Check = (call: ConstantArguments) => ArgumentProblem | undefined;

/** Compares two arguments, part by part. */
const compared =
  (low: number, isWrong: (low: Constant, high: Constant) => boolean, problem: string): Check =>
  ({ name, args, of }) => {
    const [first, second] = [args[low], args[low + 1]];
    const parts = [first && of(first), second && of(second)] as const;
    const wrong = parts[0] && parts[1] && pairsOf([parts[0], parts[1]]).find(([a, b]) => isWrong(a, b));
    return (
      wrong && [`${name} takes ${problem}, and these are ${wrong[0]} and ${wrong[1]}`, first as Expression]
    );
  };

const bitsOf = (offset: number): Check =>
  compared(
    offset,
    (from, count) => BigInt(from) + BigInt(count) > BITS,
    "an offset and a count whose sum is at most 32",
  );

/** An argument each of whose parts is in a range. */
const within =
  (at: number, isRight: (part: Constant, type: Type) => boolean, problem: string): Check =>
  ({ name, args, of, type }) => {
    const arg = args[at];
    const wrong = arg && of(arg)?.find((part) => !isRight(part, type));
    return wrong === undefined
      ? undefined
      : [`${name} takes ${problem}, and this is ${wrong}`, arg as Expression];
  };

const isHalf = (part: Constant): boolean => Math.abs(Number(part)) <= MOST_F16;
const halves = within(0, isHalf, "numbers that f16 holds, from -65504 to 65504");

const laneBelow = (most: bigint): Check =>
  within(1, (part) => part >= 0n && part < most, `a constant from 0 to ${most - 1n}`);

/** The most that ldexp may add to an exponent of a type. */
const mostExponents: Readonly<Record<string, number>> = { f16: 16, f32: 128 };

const constantLane =
  (most: bigint): Check =>
  (call) => {
    const [, lane] = call.args;
    return lane && !call.isConstant(lane)
      ? [`${call.name} takes a constant lane, and this is none; subgroupShuffle takes any`, lane]
      : laneBelow(most)(call);
  };

const checks: Readonly<Record<string, Check>> = {
  clamp: compared(1, (low, high) => low > high, "a low end that is not above the high one"),
  smoothstep: compared(0, (low, high) => Number(low) === Number(high), "two ends that differ"),
  extractBits: bitsOf(1),
  insertBits: bitsOf(2),
  ldexp: within(
    1,
    (part, type) => Number(part) <= (mostExponents[textOfType(scalarIn(type))] ?? 1024),
    "an exponent that is not above the greatest of the type by more than 1",
  ),
  pow: compared(
    0,
    (base, by) => base < 0 || (Number(base) === 0 && by <= 0),
    "a base above 0, or 0 with an exponent above 0",
  ),
  pack2x16float: halves,
  quantizeToF16: halves,
  normalize({ name, args: [arg], of }) {
    const squares = (arg && of(arg))?.map((part) => Math.fround(Number(part) ** 2));
    const sum = squares?.reduce((all, one) => Math.fround(all + one), 0);
    return arg === undefined || sum === undefined || (sum > 0 && Number.isFinite(sum))
      ? undefined
      : [`${name} takes a vector that has a length, and the square of this one's is ${sum}`, arg];
  },
  subgroupShuffle: laneBelow(MOST_LANES),
  subgroupShuffleXor: laneBelow(MOST_LANES),
  subgroupShuffleUp: laneBelow(MOST_LANES),
  subgroupShuffleDown: laneBelow(MOST_LANES),
  subgroupBroadcast: constantLane(MOST_LANES),
  quadBroadcast: constantLane(4n),
};

/** What is wrong with constants among the arguments of one of WGSL's functions; undefined if nothing is. */
export const constantArgumentProblem: Check = (call) =>
  Object.hasOwn(checks, call.name) ? checks[call.name]?.(call) : undefined;
