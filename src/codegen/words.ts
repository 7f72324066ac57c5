/**
 * How a value of a WGSL type lies in memory: as units of 32 bits (u32), or of 16 where it is made of
 * f16. What generated code takes apart and puts together goes through these.
 */
interface Layout {
  readonly unitBits: 32 | 16;
  /** Expressions of the units, u32 or f16, of the value that an expression names. */
  units(of: string): string[];
  /** The value from expressions of as many units. */
  from(units: readonly string[]): string;
}

const scalars: Readonly<Record<string, Layout>> = {
  u32: { unitBits: 32, units: (of) => [of], from: ([unit = ""]) => unit },
  i32: {
    unitBits: 32,
    units: (of) => [`bitcast<u32>(${of})`],
    from: ([unit]) => `bitcast<i32>(${unit})`,
  },
  f32: {
    unitBits: 32,
    units: (of) => [`bitcast<u32>(${of})`],
    from: ([unit]) => `bitcast<f32>(${unit})`,
  },
  f16: { unitBits: 16, units: (of) => [of], from: ([unit = ""]) => unit },
};

function layoutOf(wgsl: string): Layout {
  const scalar = scalars[wgsl];
  if (scalar !== undefined) {
    return scalar;
  }
  const vector = /^vec([24])<(u32|f16)>$/.exec(wgsl);
  if (vector !== null) {
    return {
      unitBits: vector[2] === "u32" ? 32 : 16,
      units: (of) => [..."xyzw"].slice(0, Number(vector[1])).map((lane) => `${of}.${lane}`),
      from: (units) => `${wgsl}(${units.join(", ")})`,
    };
  }
  const array = /^array<(.+), (\d+)>$/.exec(wgsl);
  if (array === null) {
    throw new Error(`${wgsl} has no layout`);
  }
  const inner = layoutOf(array[1] ?? "");
  const count = Number(array[2]);
  return {
    unitBits: inner.unitBits,
    units: (of) => range(count).flatMap((at) => inner.units(`${of}[${at}]`)),
    from(units) {
      const each = units.length / count;
      const parts = range(count).map((at) => inner.from(units.slice(at * each, (at + 1) * each)));
      return `${wgsl}(${parts.join(", ")})`;
    },
  };
}

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

/** A type of vectors of four units that holds as many items of a type: what is moved is never converted. */
export function vectorOf(wgsl: string, items: number): string {
  const { unitBits, units } = layoutOf(wgsl);
  const vector = unitBits === 32 ? "vec4<u32>" : "vec4<f16>";
  const count = (items * units("x").length) / 4;
  return count === 1 ? vector : `array<${vector}, ${count}>`;
}

/**
 * So many values of a type, from values of another that hold the same bits. A last half of a word is
 * padded with zero. Between f16 and words by way of f32, since naga has no bitcast between them.
 */
export function regrouped(from: string, values: readonly string[], to: string, count = 1): string[] {
  const source = layoutOf(from);
  const target = layoutOf(to);
  let units = values.flatMap((value) => source.units(value));
  if (source.unitBits > target.unitBits) {
    units = units.flatMap((word) => [..."xy"].map((lane) => `f16(unpack2x16float(${word}).${lane})`));
  } else if (source.unitBits < target.unitBits) {
    units = range(Math.ceil(units.length / 2)).map(
      (at) => `pack2x16float(vec2<f32>(vec2<f16>(${units[2 * at]}, ${units[2 * at + 1] ?? "0.0h"})))`,
    );
  }
  const each = target.units("x").length;
  return range(count).map((at) => target.from(units.slice(at * each, (at + 1) * each)));
}
