import type { Random } from "fast-check";
import { Arbitrary, nat, record, Value as Shrinkable, Stream, sample, tuple } from "fast-check";
import { problemOf } from "../algebra/check_value.ts";
import type { FieldType, NestedType } from "../algebra/fields.ts";
import type { ElementType, Scalar, ScalarType, Value } from "../algebra/types.ts";

/** Any values of a type: small ones, special ones, and any bits, one as likely as the others. */
export function anyValues(type: ElementType): Arbitrary<Value> {
  return anyFields(type as ScalarType | NestedType) as Arbitrary<Value>;
}

function anyFields(type: FieldType): Arbitrary<unknown> {
  switch (type.kind) {
    case "struct":
      return record(Object.fromEntries(type.layout.parts.map((part) => [part.key, anyFields(part.type)])), {
        noNullPrototype: true,
      });
    case "vector":
    case "array":
      return tuple(...type.layout.parts.map((part) => anyFields(part.type)));
    default:
      return new AnyScalars(type);
  }
}

/** Values out of a list. */
export const listedValues = (values: readonly Value[]): Arbitrary<Value> =>
  nat({ max: values.length - 1 }).map((index) => values[index] as Value);

/** Samples that can be shrunk later. */
export const shrinkableSamples = <T>(values: Arbitrary<T>, count: number, seed: number): Shrinkable<T>[] =>
  sample(new WithContext(values), { numRuns: count, seed });

class WithContext<T> extends Arbitrary<Shrinkable<T>> {
  readonly #inner: Arbitrary<T>;
  constructor(inner: Arbitrary<T>) {
    super();
    this.#inner = inner;
  }
  override generate(random: Random, bias: number | undefined): Shrinkable<Shrinkable<T>> {
    return new Shrinkable(this.#inner.generate(random, bias), undefined);
  }
  override canShrinkWithoutContext(_value: unknown): _value is Shrinkable<T> {
    return false;
  }
  override shrink(): Stream<Shrinkable<Shrinkable<T>>> {
    return Stream.nil();
  }
}

class AnyScalars extends Arbitrary<Scalar> {
  readonly #type: ScalarType;
  readonly #specials: readonly Scalar[];
  constructor(type: ScalarType) {
    super();
    this.#type = type;
    this.#specials = specialsOf(type);
  }
  override generate(random: Random, _bias: number | undefined): Shrinkable<Scalar> {
    const type = this.#type;
    const kind = random.nextInt(0, 2);
    const value =
      kind === 0
        ? smallScalar(type, random)
        : kind === 1
          ? this.#specials[random.nextInt(0, this.#specials.length - 1)]
          : anyBits(type, random);
    return new Shrinkable(value as Scalar, undefined);
  }
  override canShrinkWithoutContext(value: unknown): value is Scalar {
    return problemOf(this.#type, value) === undefined;
  }
  override shrink(value: Scalar): Stream<Shrinkable<Scalar>> {
    const type = this.#type;
    const simpler = new Set<Scalar>(
      typeof value === "bigint" ? [...simplerBigints(value)] : [...simplerNumbers(value)],
    );
    return Stream.of(
      ...[...simpler]
        .map((one) => (type.kind === "float" ? type.round(one) : one))
        .filter((one) => !Object.is(one, value) && problemOf(type, one) === undefined)
        .map((one) => new Shrinkable<Scalar>(one, undefined)),
    );
  }
}

const isBig = (type: ScalarType): boolean => typeof type.zero === "bigint";

/** −8 to 8; floats in steps of 1/16. */
function smallScalar(type: ScalarType, random: Random): Scalar {
  if (type.kind === "float") {
    return random.nextInt(-128, 128) / 16 || 0;
  }
  const value = random.nextInt(type.kind === "signed" ? -8 : 0, 8);
  return isBig(type) ? BigInt(value) : value;
}

/** Any bits: an integer of any number of bits, any float. */
function anyBits(type: ScalarType, random: Random): Scalar {
  const bits = random.nextBigInt(0n, 2n ** BigInt(8 * type.bytes) - 1n);
  if (type.kind !== "float") {
    const some = bits >> BigInt(random.nextInt(0, 8 * type.bytes - 1));
    const value = random.nextInt(0, 1) === 1 && type.kind === "signed" ? -some : some;
    return type.round(isBig(type) ? value : Number(value));
  }
  // Half of them near 1: of two with any exponents, a sum is one of them.
  if (random.nextInt(0, 1) === 1) {
    return type.round((random.nextInt() / 2 ** 31) * 2 ** random.nextInt(-4, 4)) as number;
  }
  const view = new DataView(new ArrayBuffer(8));
  if (type.bytes === 8) {
    view.setBigUint64(0, bits);
    return view.getFloat64(0);
  }
  view.setUint32(0, type.bytes === 4 ? Number(bits) : random.nextInt() >>> 0);
  return type.round(view.getFloat32(0));
}

/** What a float type rounds to: one unit in the last place of 1, and the least normal number. */
export const precisions = {
  f32: { unit: 2 ** -23, least: 2 ** -126, greatest: (2 - 2 ** -23) * 2 ** 127, smallest: 2 ** -149 },
  f16: { unit: 2 ** -10, least: 2 ** -14, greatest: 65504, smallest: 2 ** -24 },
  f64: {
    unit: 2 ** -52,
    least: 2 ** -1022,
    greatest: Number.MAX_VALUE,
    smallest: Number.MIN_VALUE,
  },
} as const satisfies Record<
  "f32" | "f16" | "f64",
  { readonly unit: number; readonly least: number; readonly greatest: number; readonly smallest: number }
>;

/** Zeros, ones, extremes and powers of two; of floats, infinities, NaN and subnormals too. */
export function specialsOf(type: ScalarType): readonly Scalar[] {
  if (type.kind === "float") {
    const { least, greatest, smallest } = precisions[type.name as keyof typeof precisions];
    const positive = [0, 1, 0.5, 2, 1024, least, least / 2, smallest, greatest, Infinity];
    return [...positive, ...positive.map((one) => -one), Number.NaN].map((one) => type.round(one));
  }
  const width = 8 * type.bytes;
  const powers = [0, 1, 2, width / 2 - 1, width / 2, width - 2, width - 1].map((at) => 2n ** BigInt(at));
  const around = [0n, ...powers.flatMap((one) => [one, one - 1n, -one, -one - 1n])];
  return [
    ...new Set(around.map((one) => type.round(isBig(type) ? BigInt.asUintN(width, one) : Number(one)))),
  ];
}

/** Nearer to 0, the simplest first; a positive one is simpler than its negative. */
function* simplerBigints(value: bigint): Generator<bigint> {
  const magnitude = value < 0n ? -value : value;
  if (magnitude === 0n) {
    return;
  }
  yield 0n;
  if (value < 0n) {
    yield magnitude;
  }
  for (let one = 1n; one < magnitude && one <= 16n; one++) {
    yield value < 0n ? -one : one;
  }
  for (let step = magnitude / 2n; step > 0n; step /= 2n) {
    yield value < 0n ? step - magnitude : magnitude - step;
  }
}

/** As {@link simplerBigints}; whole numbers are simpler than fractions, those than infinity, and NaN the least simple. */
function* simplerNumbers(value: number): Generator<number> {
  if (Object.is(value, 0)) {
    return;
  }
  yield 0;
  if (!Number.isInteger(value)) {
    yield 1;
    yield -1;
  }
  if (Number.isNaN(value)) {
    yield Infinity;
  } else if (value < 0) {
    yield -value;
  }
  if (!Number.isFinite(value)) {
    return;
  }
  if (!Number.isInteger(value)) {
    yield Math.trunc(value);
    for (const parts of [2, 16, 256, 4096]) {
      yield Math.trunc(value * parts) / parts;
    }
  } else if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) {
    for (const one of simplerBigints(BigInt(value))) {
      yield Number(one);
    }
  } else {
    yield Math.sign(value) * 2 ** Math.floor(Math.log2(Math.abs(value)) / 2);
    yield Math.trunc(value / 2);
  }
}
