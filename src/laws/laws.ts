// The laws of a monoid, tried on samples of fast-check's.
import type { Arbitrary, Value as Shrinkable } from "fast-check";
import { Arbitrary as ArbitraryClass, tuple } from "fast-check";
import { describe, problemOf } from "../algebra/check_value.ts";
import type { CustomOperator } from "../algebra/custom_operator.ts";
import type { Monoid, Operator } from "../algebra/monoid.ts";
import { monoid } from "../algebra/monoid.ts";
import type { ElementType, Value } from "../algebra/types.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";
import type { Fold } from "../gpu/fold.ts";
import type { OptionTable } from "../options.ts";
import { requireOptions } from "../options.ts";
import type { ReferenceMonoid } from "../reference/twins.ts";
import { referenceMonoid } from "../reference/twins.ts";
import type { Combiner } from "./combiner.ts";
import { cpuCombiner, gpuCombiner, textCombiner } from "./combiner.ts";
import type { Outcome } from "./nearly.ts";
import { nearly } from "./nearly.ts";
import { anyValues, listedValues, shrinkableSamples } from "./values.ts";

/** What `checkMonoid` takes beside the operator. */
export interface CheckOptions<V extends Value = Value> {
  /** Where to try the operator's WGSL as well. */
  readonly fold?: Pick<Fold, "device">;
  /** Samples for each law; 1,000 where it is left out. */
  readonly cases?: number;
  /** Repeats a run: the report names it. A whole number. */
  readonly seed?: number;
  /**
   * The values to try, where the laws hold only for some: an arbitrary of fast-check's, or a list.
   * Where it is left out, small values, special ones (zeros, ones, extremes, powers of two, −0,
   * infinities, NaN, subnormals) and any bits.
   */
  readonly values?: Arbitrary<V> | readonly V[];
  /**
   * Whether two results are the same. Where it is left out, integers are the same where they are
   * equal. Floats are rounded, and so addition itself is only nearly associative: they are the same
   * where they differ by at most 32 · (d + n). There d is u · m, where u is the unit in the last place of
   * 1 and m the greatest magnitude in the values that were combined, on the way and in the end; or,
   * where larger terms cancel inside a combination, what a change of one unit in the last place of one
   * operand makes of either result. n is the least normal number. The 32 stand for two combinations on
   * either side with up to eight roundings each; WGSL leaves their direction open, hence a whole unit
   * for each, and may flush a subnormal, hence n. −0 is +0, and NaN is NaN. Results that are not finite must be the same as well,
   * unless one of them is in no operand, which is an overflow or arithmetic on infinities.
   */
  equal?(left: V, right: V): boolean;
}

/** What `checkMonoid` found. */
export type CheckReport<V extends Value = Value> = CheckSuccess | CheckFailure<V>;

/** No law was seen broken. */
export interface CheckSuccess {
  /** Tells the two kinds of report apart. */
  readonly ok: true;
  /** Samples for each law. */
  readonly cases: number;
  /** Repeats the run, as the option `seed`. */
  readonly seed: number;
  /** Where the laws were tried. */
  readonly on: readonly ("CPU" | "GPU")[];
}

/** A law is broken. */
export interface CheckFailure<V extends Value = Value> {
  /** Tells the two kinds of report apart. */
  readonly ok: false;
  /** `agreement`: the CPU twin and the WGSL give the same. A `reference` is compared with the WGSL on the CPU, too. */
  readonly law: "associativity" | "left identity" | "right identity" | "agreement";
  /** Where it is broken. */
  readonly on: "CPU" | "GPU";
  /** The simplest values that break it. */
  readonly counterexample: {
    /** The first value. */
    readonly a: V;
    /** The second value, if the law has two. */
    readonly b?: V;
    /** The third value, if the law has three. */
    readonly c?: V;
  };
  /** What should have been the same: in the order in which the message names them. */
  readonly left: V;
  /** As `left`, the other one. */
  readonly right: V;
  /** Repeats the run, as the option `seed`. */
  readonly seed: number;
  /** All of it in a sentence or two. */
  readonly message: string;
}

/** A law: results that should be the same, for samples of `values` values each. */
interface Law {
  readonly name: CheckFailure["law"];
  readonly values: 1 | 2 | 3;
  outcomes(samples: readonly (readonly Value[])[]): Promise<Outcome[]>;
  /** The message's middle. */
  readonly broken: string;
  readonly leftIs: string;
  readonly rightIs: string;
}

/** The names of {@link CheckOptions}, and the type. */
const checkNames = {
  fold: true,
  cases: true,
  seed: true,
  values: true,
  equal: true,
  type: true,
} as const satisfies OptionTable<CheckOptions & Record<"type", unknown>>;

/** `checkMonoid`. */
export async function checkLaws(
  op: Operator,
  options: CheckOptions & { readonly type?: ElementType },
): Promise<CheckReport> {
  requireOptions("checkMonoid", options, checkNames);
  const { fold, cases = 1000, seed = (Math.random() * 2 ** 31) >>> 0 } = options;
  for (const [name, value, least] of [
    ["cases", cases, 1],
    ["seed", seed, Number.MIN_SAFE_INTEGER],
  ] as const) {
    if (!Number.isInteger(value) || value < least) {
      refuse("checkMonoid", name, shown(value), `a whole number${least === 1 ? " from 1 up" : ""}`);
    }
  }
  const own = (op as Partial<CustomOperator>).type;
  if (own === undefined && options.type === undefined) {
    throw new ArgumentError(`checkMonoid: ${op.name} is for many types; say for which with type`, "type");
  }
  const type = options.type ?? (own as ElementType);
  const { title } = monoid(op, type, "checkMonoid");
  const values = valuesFor(options.values, type, title);
  const { equal } = options;
  const isSame = equal === undefined ? nearly(type) : ({ left, right }: Outcome) => equal(left, right);

  // Compiled before anything is tried: what does not compile is the first to know.
  const gpu = fold && (await gpuCombiner(fold.device, op, type));
  try {
    // What would have to be rounded is a mistake to tell of.
    const combine = referenceMonoid(op, type, "checkMonoid", false);
    const tried = triedLaws(combine, gpu, textCombiner(op));
    for (const [on, laws] of tried) {
      for (const law of laws) {
        const found = await simplestFailure(law, values, cases, seed, isSame, (value) =>
          requireValue(type, title, value),
        );
        if (found !== undefined) {
          return failureOf(combine, law, on, seed, found);
        }
      }
    }
    return { ok: true, cases, seed, on: [...new Set(tried.map(([on]) => on))] };
  } finally {
    gpu?.destroy();
  }
}

/** The laws, where they are tried, in order. */
function triedLaws(
  combine: ReferenceMonoid,
  gpu: Combiner | undefined,
  text: Combiner | undefined,
): readonly (readonly [on: CheckFailure["on"], laws: readonly Law[]])[] {
  const cpu = cpuCombiner(combine);
  return [
    ["CPU", lawsOf(combine, cpu)],
    ...(gpu ? [["GPU", [...lawsOf(combine, gpu), agreement(combine, cpu, gpu, "GPU")]] as const] : []),
    ...(text ? [["CPU", [agreement(combine, cpu, text, "CPU")]] as const] : []),
  ];
}

function valuesFor(given: unknown, type: ElementType, title: string): Arbitrary<Value> {
  if (given === undefined) {
    return anyValues(type);
  }
  if (given instanceof ArbitraryClass) {
    return given as Arbitrary<Value>;
  }
  if (!Array.isArray(given) || given.length === 0) {
    refuse(
      `checkMonoid<${title}>`,
      "values",
      Array.isArray(given) ? "empty" : typeof given,
      "an arbitrary of fast-check's, or a list of values",
    );
  }
  return listedValues(given);
}

function requireValue(type: ElementType, title: string, value: Value): void {
  const problem = problemOf(type, value);
  if (problem !== undefined) {
    throw new ArgumentError(`checkMonoid<${title}>: in values, ${problem}`, "values");
  }
}

const column = (samples: readonly (readonly Value[])[], at: number): Value[] =>
  samples.map((sample) => sample[at] as Value);

/** The CPU twin over items. */
const twinOf =
  ({ lift, reference }: ReferenceMonoid) =>
  (earlier: Value, later: Value): Value =>
    reference(lift(earlier), lift(later));

/** Associativity, and the identity on either side. */
function lawsOf(monoid: ReferenceMonoid, { combine }: Combiner): Law[] {
  const { identity, lift } = monoid;
  const twin = twinOf(monoid);
  const identities = (side: "left" | "right"): Law => ({
    name: `${side} identity`,
    values: 1,
    async outcomes(samples) {
      const a = column(samples, 0);
      const e = a.map(() => identity);
      const combined = await (side === "left" ? combine(e, a) : combine(a, e));
      return a.map((value, at) => ({
        left: combined[at] as Value,
        right: lift(value),
        operands: side === "left" ? [identity, value] : [value, identity],
        between: [],
        again: ([earlier, later]) => [
          twin(earlier as Value, later as Value),
          lift((side === "left" ? later : earlier) as Value),
        ],
      }));
    },
    broken: `its identity ${describe(identity)} changes a value ${side === "left" ? "after" : "before"} it`,
    leftIs: side === "left" ? "combine(identity, a)" : "combine(a, identity)",
    rightIs: "a itself",
  });
  return [
    {
      name: "associativity",
      values: 3,
      async outcomes(samples) {
        const [a, b, c] = [column(samples, 0), column(samples, 1), column(samples, 2)];
        const first = await combine([...a, ...b], [...b, ...c]);
        const [ab, bc] = [first.slice(0, a.length), first.slice(a.length)];
        const second = await combine([...ab, ...a], [...c, ...bc]);
        return samples.map((operands, at) => ({
          left: second[at] as Value,
          right: second[at + a.length] as Value,
          operands,
          between: [ab[at] as Value, bc[at] as Value],
          again: ([x, y, z]) => [
            twin(twin(x as Value, y as Value), z as Value),
            twin(x as Value, twin(y as Value, z as Value)),
          ],
        }));
      },
      broken: "it is not associative",
      leftIs: "combine(combine(a, b), c)",
      rightIs: "combine(a, combine(b, c))",
    },
    identities("left"),
    identities("right"),
  ];
}

/** The operator's twin gives what its WGSL gives: on the GPU, or as JavaScript. */
const agreement = (monoid: ReferenceMonoid, twin: Combiner, text: Combiner, on: CheckFailure["on"]): Law => ({
  name: "agreement",
  values: 2,
  async outcomes(samples) {
    const [a, b] = [column(samples, 0), column(samples, 1)];
    const [left, right] = [await twin.combine(a, b), await text.combine(a, b)];
    return samples.map((operands, at) => ({
      left: left[at] as Value,
      right: right[at] as Value,
      operands,
      between: [],
      again([earlier, later]) {
        const result = twinOf(monoid)(earlier as Value, later as Value);
        return [result, result];
      },
    }));
  },
  ...(on === "GPU"
    ? {
        broken: "its CPU twin and its WGSL do not agree",
        leftIs: "combine(a, b) on the CPU",
        rightIs: "on the GPU it",
      }
    : {
        broken: "its reference and its combine do not agree",
        leftIs: "reference(a, b)",
        rightIs: "combine(a, b)",
      }),
});

/** Failing samples that are shrunk, simpler ones that are tried at once, and how often. */
const STARTS = 4;
const SHRINKS = 1024;
const ROUNDS = 1000;
/** How many of the simplest values that were drawn are tried in every combination. */
const SIMPLEST = 12;

/** A sample that breaks a law. */
interface Failure {
  readonly sample: readonly Value[];
  readonly outcome: Outcome;
}

/** The samples that break a law, made as simple as they can be, and of those the simplest. */
async function simplestFailure(
  law: Law,
  values: Arbitrary<Value>,
  cases: number,
  seed: number,
  isSame: (outcome: Outcome) => boolean,
  check: (value: Value) => void,
): Promise<Failure | undefined> {
  const samples = tuple(...Array.from({ length: law.values }, () => values)) as Arbitrary<Value[]>;
  const failures = async <S>(
    tried: readonly S[],
    valuesOf: (sample: S) => Value[],
  ): Promise<[S, Outcome][]> => {
    const given = tried.map(valuesOf);
    for (const value of given.flat()) {
      check(value);
    }
    const outcomes = await law.outcomes(given);
    return tried
      .map((sample, at): [S, Outcome] => [sample, outcomes[at] as Outcome])
      .filter(([, outcome]) => !isSame(outcome));
  };
  const drawn = (sample: Shrinkable<Value[]>): Value[] => sample.value_;
  const given = shrinkableSamples(samples, cases, seed);
  const found = await failures(given, drawn);
  if (found.length === 0) {
    return undefined;
  }
  const simple: Failure[] = [];
  for (let [sample, outcome] of found.slice(0, STARTS)) {
    for (let round = 0; round < ROUNDS; round++) {
      const [simpler] = await failures(
        [...samples.shrink(sample.value_, sample.context).take(SHRINKS)],
        drawn,
      );
      if (simpler === undefined) {
        break;
      }
      [sample, outcome] = simpler;
    }
    simple.push({ sample: sample.value_, outcome });
  }
  // One value at a time, 2 and 2 become no simpler where only equal values fail.
  const few = bySimplicity(
    [...new Map(given.flatMap(drawn).map((value) => [describe(value), value])).values()],
    describe,
  ).slice(0, SIMPLEST);
  let combinations: Value[][] = [[]];
  for (let at = 0; at < law.values; at++) {
    combinations = combinations.flatMap((sample) => few.map((value) => [...sample, value]));
  }
  for (const [sample, outcome] of await failures(combinations, (one) => one)) {
    simple.push({ sample, outcome });
  }
  return bySimplicity(simple, ({ sample }) => sample.map((one) => describe(one)).join())[0];
}

/** What takes fewer letters to write down comes first: 0 before 16, 1 before −1, and that before 0.25. */
const bySimplicity = <T>(all: readonly T[], textOf: (one: T) => string): T[] =>
  all
    .map((one) => ({ one, text: textOf(one) }))
    .sort((a, b) => a.text.length - b.text.length || (a.text < b.text ? -1 : Number(a.text > b.text)))
    .map(({ one }) => one);

function failureOf(
  { title }: Monoid,
  law: Law,
  on: "CPU" | "GPU",
  seed: number,
  { sample: values, outcome: { left, right } }: Failure,
): CheckFailure {
  const [a, b, c] = values as [Value, Value?, Value?];
  const names = ["a", "b", "c"].slice(0, values.length);
  const shown = names.map((name, at) => `${name} = ${describe(values[at])}`);
  const withValues = [shown.slice(0, -1).join(", "), shown.at(-1)].filter(Boolean).join(" and ");

  const where = law.name === "agreement" ? "" : ` on the ${on}`;
  return {
    ok: false,
    law: law.name,
    on,
    counterexample: { a, ...(b !== undefined && { b }), ...(c !== undefined && { c }) },
    left,
    right,
    seed,
    message: `${title.replace(/(.*), (.*)/, "$2 on $1")} is no monoid: ${law.broken}${where}. With ${withValues}, ${law.leftIs} is ${describe(left)}, and ${law.rightIs} is ${describe(right)}. The seed ${seed} repeats it.`,
  };
}
