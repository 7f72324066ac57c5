import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { isStructArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f16, f32, fixedArray, i32, struct, u32, vec2, vec3 } from "../../src/algebra/index.ts";
import type { ElementType, TypeName } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import type { Numbers } from "../../src/cpu/call.ts";
import { newNumbers } from "../../src/cpu/numbers.ts";
import type { Wanted } from "../../src/cpu/texts/program.ts";
import { mapText } from "../../src/cpu/texts.ts";
import type { Fold } from "../../src/node.ts";
import { openFold } from "../../src/node.ts";
import { anyItems, randomBits } from "../support/random.ts";
import type { ShortName, TypedText } from "./simulated_texts.ts";
import { FIRST_INDEX, simulated } from "./simulated_texts.ts";

/** All results of a text, which has code. */
function mapped(text: string, from: ElementType, input: Numbers, to?: Wanted, firstIndex = 0): Numbers {
  const pass = mapText({ text, from, to });
  if (pass === undefined) {
    throw new Error(`there is no code for ${text}`);
  }
  const length = from.kind === "struct" ? (4 * input.length) / from.bytes : input.length;
  const output = newNumbers(pass.type, length);
  new Uint8Array(output.buffer).fill(0xa5);
  pass.run(input, output, firstIndex, length);
  return output;
}

/** The bits of results, in which every NaN is the same. */
const comparable = (type: ShortName | "bool", bits: ArrayLike<number>): readonly number[] =>
  Array.from(bits, (word) => {
    const isNan =
      type === "f32" ? (word & 0x7fffffff) > 0x7f800000 : type === "f16" && (word & 0x7fff) > 0x7c00;
    return isNan ? -1 : word;
  });

const bitsOf = (numbers: Numbers): ArrayLike<number> =>
  numbers instanceof Uint16Array ? numbers : new Uint32Array(numbers.buffer);

/** Requires that texts give on the CPU what they give on the simulator, bit for bit. */
function requireSame(from: ShortName, texts: readonly TypedText[], input: ScalarArray): void {
  const expected = simulated(from, texts, input);
  texts.forEach(({ text, result }, at) => {
    const to = result === "bool" ? undefined : elementTypes[result];
    const given = mapped(text, elementTypes[from], input as Numbers, to, FIRST_INDEX);
    expect(comparable(result, bitsOf(given)), `${text}, of ${from}`).toEqual(
      comparable(result, expected[at] as Uint32Array),
    );
  });
}

const typed = (result: ShortName | "bool", ...texts: readonly string[]): readonly TypedText[] =>
  texts.map((text) => ({ text, result }));

/** Another element, which depends on the index. */
const others = {
  u32: "(i * 2654435769u)",
  i32: "bitcast<i32>(i * 2654435769u)",
  f32: "(f32(i) - 20.5)",
  f16: "(f16(i) - 20.5h)",
} as const satisfies Record<ShortName, string>;

const integerTexts = (type: "u32" | "i32"): readonly TypedText[] => {
  const y = others[type];
  const u = type === "u32" ? "u" : "i";
  return [
    ...typed(
      type,
      ...["+", "-", "*", "/", "%", "&", "|", "^"].flatMap((operator) => [
        `x ${operator} ${y}`,
        `x ${operator} 7`,
        `7${u} ${operator} x`,
        `x ${operator} select(${y}, x - x, i % 3u == 0u)`,
      ]),
      ...["<<", ">>"].flatMap((operator) => [
        `x ${operator} (i % 37u)`,
        `x ${operator} 5`,
        `x ${operator} 0u`,
      ]),
      "~x",
      "abs(x)",
      `min(x, ${y})`,
      `max(x, ${y})`,
      `clamp(x, 3, 100000)`,
      `clamp(x, ${y}, 7)`,
      `select(x, ${y}, x > 5)`,
      ...[
        "countOneBits",
        "countLeadingZeros",
        "countTrailingZeros",
        "reverseBits",
        "firstLeadingBit",
        "firstTrailingBit",
      ].map((name) => `${name}(x)`),
      "extractBits(x, i % 40u, (i * 7u) % 40u)",
      `insertBits(x, ${y}, i % 40u, (i * 7u) % 40u)`,
      `dot(vec3(x, ${y}, x), vec3(${y}, 3, x))`,
      "bitcast<TYPE>(f32(i))".replace("TYPE", type),
      "(0x7fffffff - 3) + x",
    ),
    ...typed(
      "bool",
      ...["==", "!=", "<", "<=", ">", ">="].flatMap((operator) => [`x ${operator} ${y}`, `x ${operator} 7`]),
    ),
    ...typed("f32", "f32(x)", "bitcast<f32>(x)", "f32(x) * 0.5", "f32(x / 3) + 1"),
    ...typed("f16", "f16(x)", "f16(x % 100)"),
    ...typed(type === "u32" ? "i32" : "u32", type === "u32" ? "i32(x)" : "u32(x)"),
    ...typed("bool", "bool(x)", "x > 3 && x < 1000", "x < 3 || x > 1000", "!(x == 0)"),
    ...typed("u32", "u32(x > 5)", "select(0u, 1u, x > 5)"),
    ...(type === "i32" ? typed("i32", "-x", "sign(x)", "-abs(-x)") : []),
  ];
};

const floatFunctions =
  `abs acos acosh asin asinh atan atanh ceil cos cosh degrees exp exp2 floor fract inverseSqrt log log2 radians round
  saturate sign sin sinh sqrt tan tanh trunc`.split(/\s+/);

const floatTexts = (type: "f32" | "f16"): readonly TypedText[] => {
  const y = others[type];
  return [
    ...typed(
      type,
      ...["+", "-", "*", "/", "%"].flatMap((operator) => [
        `x ${operator} ${y}`,
        `x ${operator} 3`,
        `0.1${type === "f16" ? "h" : ""} ${operator} x`,
      ]),
      "-x",
      "x",
      "x * 0.1 + 1.0 / 3.0",
      ...floatFunctions.map((name) => `${name}(x)`),
      ...["atan2", "max", "min", "pow", "step"].map((name) => `${name}(x, ${y})`),
      "pow(abs(x), 0.5)",
      ...["fma", "mix", "smoothstep", "clamp", "faceForward"].map((name) => `${name}(x, ${y}, 2.5)`),
      "clamp(x, -1.0, 1.0)",
      "mix(x, 2.0, 0.25)",
      "ldexp(x, i32(i) - 10)",
      "frexp(x).fract",
      "modf(x).fract",
      "modf(x).whole",
      `select(x, ${y}, x != x)`,
      `dot(vec2(x, ${y}), vec2(${y}, x))`,
      `length(vec3(x, ${y}, 2))`,
      `distance(vec2(x, ${y}), vec2(${y}, 1))`,
      `normalize(vec3(x, ${y}, 2)).y`,
      `cross(vec3(x, ${y}, 2), vec3(1, x, ${y})).z`,
      `reflect(vec2(x, ${y}), vec2(0, 1)).y`,
      `refract(vec2(x, ${y}), vec2(0, 1), 0.5).x`,
      `(vec4(x, ${y}, 1, 2).wzyx * 2).x`,
    ),
    ...typed(
      "bool",
      ...["==", "!=", "<", "<=", ">", ">="].flatMap((operator) => [
        `x ${operator} ${y}`,
        `x ${operator} 0.5`,
      ]),
    ),
    ...typed("bool", "bool(x)", `all(vec2(x, ${y}) < vec2(1, 2))`, `any(vec2(x, ${y}) > vec2(1, 2))`),
    ...typed("i32", "i32(x)", "frexp(x).exp"),
    ...typed("u32", "u32(x)"),
    ...(type === "f32"
      ? [
          ...typed("f16", "f16(x)"),
          ...typed("f32", "quantizeToF16(x)", "sqrt(2.0) * x", "x * 1e-40"),
          ...typed(
            "u32",
            "pack4x8snorm(vec4(x, -x, x * 0.5, 1))",
            "pack4x8unorm(vec4(x, -x, x * 0.5, 1))",
            "pack2x16float(vec2(x, 1))",
            "pack2x16unorm(vec2(x, 0.5))",
          ),
        ]
      : typed("f32", "f32(x)", "f32(x) * 0.1")),
  ];
};

const statements: readonly TypedText[] = typed(
  "u32",
  "if (x > 5u) { return 1u; }\nreturn x;",
  "if x > 5u { return 1u; } else if (x > 2u) { return 2u; } else { return x; }",
  "var sum = 0u;\nfor (var k = 0u; k < x % 7u; k++) { if (k == 3u) { continue; } sum += k * k; }\nreturn sum;",
  "var n = x; var steps = 0u;\nwhile (n > 1u && steps < 20u) { n = select(n / 2u, 3u * n + 1u, n % 2u == 1u); steps++; }\nreturn steps;",
  "var n = x % 100u;\nloop { if (n > 50u) { break; } n += 7u; continuing { let m = n; break if m % 5u == 0u; } }\nreturn n;",
  "var k = 0u;\nloop { let step = k + 1u; if (step % 2u == 0u) { k = step; continue; } continuing { k += step; break if k > x % 30u; } }\nreturn k;",
  "switch (x % 4u) { case 0u, 1u: { return 10u; } case 2u: { break; } default: { return x; } }\nreturn 20u;",
  "for (var k = 0u; ; k++) { switch k { case 3u: { continue; } case 5u: { return k; } default: { } } if (k > x) { return 100u; } }",
  "let v = vec4(x, i, 2u, 3u);\nreturn v[x & 3u] + v.w;",
  "var v = vec3(x, i, 7u);\nv = v.zxy;\nv.y += 2u;\nv[i % 3u] *= 3u;\nreturn v.x ^ (v.y << 3u) ^ (v.z << 7u);",
  "var a = array<u32, 3>(x, i, 1u);\na[x % 3u] = 9u;\na[1] -= 1u;\nlet b = a;\na[0] = 77u;\nreturn a[0] + b[0] + b[x % 3u];",
  "const K = 3; const V = vec2(K, 4);\nlet a = V * vec2(2i, i32(i));\nreturn u32(a.x + a.y) * K;",
  "var x2 = x; { var x2 = 5u; x2 = x2 + x; } x2++; return x2;",
  "let x2 = x + 1u; { let x2 = x2 * 2u; return x2; }",
  "var t = x; t <<= 3u; t |= 1u; t ^= i; t >>= 1u; t %= 1000u; t /= 3u; t--; return t;",
  "var s = 0.0; for (var k = 0; k < 5; k++) { s += sqrt(f32(k) + f32(x)); } return u32(s);",
  "var swap = vec2(x, i); swap = vec2(swap.y, swap.x); return swap.x * 3u + swap.y;",
  "let c = x > 3u && (i / x) % 2u == 0u; return u32(c) + select(0u, 4u, c || x % (i + 1u) > 2u);",
  "return unpack4xU8(x).y + pack4xU8(vec4(x, i, 1u, 2u)) + u32(unpack2x16float(x & 0x3bff3bffu).y);",
);

describe("texts of one scalar give what the simulator gives", () => {
  const length = 100;
  test.for(["u32", "i32"] as const)("%s", (type) => {
    requireSame(type, integerTexts(type), anyItems(type, length, `texts of ${type}`));
  });
  test.for(["f32", "f16"] as const)("%s", (type) => {
    requireSame(type, floatTexts(type), anyItems(type, length, `texts of ${type}`));
  });
  test("statements", () => {
    requireSame("u32", statements, anyItems("u32", length, "statements"));
    requireSame(
      "u32",
      statements,
      Uint32Array.from({ length: 64 }, (_, k) => k),
    );
  });
});

/** Texts that WGSL has not: over numbers of 64 bits. */
const longTexts = {
  u64: {
    u64: [
      "x + 1",
      "x * x - i",
      "x / 7 + x % 1000u",
      "x / (x >> 60) + x % (x & 3)",
      "(x << (i * 3u)) | (x >> 7u)",
      "~x ^ (0xff & x)",
      "clamp(min(x, 1000000007), 5, max(x, 3))",
      "select(x, abs(x) * sign(x), x > 1000)",
      "x + (1 << i)",
      "add_u64(x, mul_u64(x, u64_from_u32(i))) - shr_u64(x, 3u) + max_u64(x, 5)",
      "u64(u32(x)) + u64(i32(x)) + u64(f32(i) * 1e10) + u64(x != 0)",
      "var y = x; y += 5u; y *= 3; y <<= 2u; y++; return y;",
      "bitcast<u64>(bitcast<vec2<u32>>(x).yx)",
    ],
    f64: ["f64(x)", "f64(x) / 3"],
    f32: ["f32(x)"],
    f16: ["f16(x)"],
    i32: ["i32(x)", "i32(x >= 5 && x < 0xffffffffffff)"],
  },
  i64: {
    i64: [
      "-x",
      "x / 7 + x % -1000",
      "x / (x >> 62u)",
      "x % (x >> 61u)",
      "x >> (i * 5u)",
      "max(abs(x), -5) + sign(x)",
      "clamp(x, -1000, 1000) * i",
      "i64(f64(x) * 1.5)",
      "i64(f32(x))",
      "add_u64(x, x) / div_i64(x, 3) + i64(less_i64(x, 5)) + i64(less_u64(x, 5))",
      "let y = -5; return x + y;",
    ],
    u64: ["u64(x)"],
    u32: ["u32(x)", "u32(x < -5 || x == 0)"],
    f32: ["f32(x)"],
    f64: ["f64(x)"],
  },
  f64: {
    f64: [
      "x * x + 1",
      "x / 3 - i",
      "x % 0.75",
      "-x",
      "1 / x",
      "abs(x) * sign(x)",
      "floor(x) + ceil(x)",
      "trunc(x)",
      "round(x)",
      "round(f64(i) / 2)",
      "fract(x)",
      "min(x, 0.5) + max(x, 0)",
      "min(x, -0.0)",
      "clamp(x, -1, 1)",
      "select(x, 2, x >= 0)",
      "f64(f32(x)) + f64(i)",
      "f64(i32(x)) + f64(u32(x)) + f64(i64(x)) + f64(u64(x))",
      "x * (1 << i)",
      "add_f64(mul_f64(x, x), f64_from_u32(i)) + min_f64(x, negate_f64(x))",
      "if (x < 0) { return -1.5; }\nvar s = x; for (var k = 0u; k < 3u; k++) { s += 0.1; }\nreturn s;",
    ],
    f32: ["f32(x)"],
    f16: ["f16(x)"],
    i32: ["i32(x)"],
    u32: ["u32(x)", "u32(bool(x)) + 2 * u32(x != x) + 4 * u32(x <= 1)"],
    u64: ["u64(x)"],
    i64: ["i64(x)"],
  },
} as const;

// The simulator has f16, and rounds as WGSL lets it.
let opened: Fold | undefined;
beforeAll(async () => {
  opened = await openFold({ adapter: "simulated" });
});
afterAll(() => opened?.destroy());
const fold = (): Fold => opened as Fold;

/** Numbers as they are compared: by their bits, but for NaN. */
const shown = (numbers: ArrayLike<number | bigint>): readonly string[] =>
  Array.from(numbers, (one) => (Object.is(one, -0) ? "-0" : String(one)));

/** What a call gives that maps elements, and keeps all. */
async function mappedByCall(
  text: string,
  input: Numbers,
  from: ElementType,
  to: ElementType,
): Promise<Numbers> {
  const data = from.kind === "struct" ? (from as typeof particle).over(input.buffer as ArrayBuffer) : input;
  const type = { ...(from.name === "f16" && { from }), type: to };
  const all = await fold().compact(data as Uint32Array, { where: "true", map: text, ...type } as never);
  return (isStructArray(all) ? new Uint32Array(all.buffer) : all) as unknown as Numbers;
}

const pair = struct({ name: "Pair", fields: { key: u32, value: f32 } });
const particle = struct({
  name: "Particle",
  fields: {
    position: vec3(f32),
    size: f16,
    pairs: fixedArray(pair, 2),
    uv: vec2(i32),
    id: u64,
    weight: f64,
  },
});

describe("texts over structs give what a call gives", () => {
  const count = 40;
  const particles = particle.array(count);
  const next = randomBits("particles");
  for (let at = 0; at < count; at++) {
    const float = (): number => Math.fround(next() / 2 ** 28 - 8);
    particles.set(at, {
      position: [float(), float(), float()],
      size: (next() % 64) / 8,
      pairs: [
        { key: next(), value: float() },
        { key: next(), value: float() },
      ],
      uv: [next() | 0, next() | 0],
      id: (BigInt(next()) << 32n) | BigInt(next()),
      weight: float() / 3,
    });
  }
  const words = new Uint32Array(particles.buffer);
  test.for([
    ["x.position.z", f32],
    ["dot(x.position, x.position.zyx) + f32(x.size)", f32],
    ["x.size * 2.0h", f16],
    ["x.pairs[1].key ^ x.pairs[i % 2u].key", u32],
    ["x.pairs[0].value + x.pairs[i & 1u].value", f32],
    ["(x.uv * vec2(3, -1)).y", i32],
    ["x.id * 3 + u64(x.uv.x)", u64],
    ["x.weight * x.weight - f64(x.position.x)", f64],
    ["Pair(x.pairs[0].key, x.pairs[1].value).key", u32],
    [
      "var p = x; p.pairs[1].key += 3u; p.position.y = 2.0; return p.pairs[1].key + u32(abs(p.position.y));",
      u32,
    ],
  ] as const)("%s", async ([text, to]) => {
    expect(shown(mapped(text, particle, words, to))).toEqual(
      shown(await mappedByCall(text, words, particle, to)),
    );
  });
  test("structs at any word", () => {
    const whole = new Uint32Array(words.length + 1);
    whole.set(words, 1);
    for (const text of ["x.weight + f64(x.size)", "f64(x.id >> 3u)"]) {
      expect(mapped(text, particle, whole.subarray(1), f64), text).toEqual(
        mapped(text, particle, words, f64),
      );
    }
  });

  test("a struct of a text's own type, and one of another", async () => {
    for (const [text, to] of [
      ["x", undefined],
      ["var p = x; p.uv = p.uv.yx; p.id += 1u; p.pairs[0] = p.pairs[1]; return p;", particle],
      ["Pair(x.pairs[0].key + i, f32(x.size))", pair],
    ] as const) {
      expect(mapped(text, particle, words, to), text).toEqual(
        await mappedByCall(text, words, particle, to ?? particle),
      );
    }
  });
});

describe("texts over numbers of 64 bits give what a call gives", () => {
  const cases = Object.entries(longTexts).flatMap(([from, results]) =>
    Object.entries<readonly string[]>(results).flatMap(([to, texts]) =>
      texts.map((text) => [from, to, text] as const),
    ),
  );
  test.for(cases)("%s to %s: %s", async ([from, to, text]) => {
    const input = anyItems(from as TypeName, 33, text) as Numbers;
    const type = elementTypes[to as TypeName];
    const longs: Readonly<Record<string, ElementType>> = { u64, i64, f64 };
    const [start, end] = [longs[from] ?? type, longs[to] ?? type];
    expect(shown(mapped(text, start, input, end))).toEqual(
      shown(await mappedByCall(text, input, start, end)),
    );
  });
});

describe("conditions and classes are what a call takes", () => {
  const texts = {
    u32: ["x & 3", "x > 5", "f32(x) - 3.5", "if (x > 3u) { return true; } return i % 2u == 0u;"],
    i32: ["x / 7", "x != 0 && i > 2u", "x < -7"],
    f32: ["x", "x > 0.5", "fract(x)", "x * 0.0"],
    f16: ["x", "x < 1"],
    u64: ["x", "x >> 60", "x == 5"],
    i64: ["x", "x >> 62", "x < 0"],
    f64: ["x", "x - x", "x < 0.5"],
  } as const;
  const cases = Object.entries(texts).flatMap(([from, all]) =>
    all.map((text) => [from as TypeName, text] as const),
  );
  const types: Readonly<Record<TypeName, ElementType>> = { u32, i32, f32, f16, u64, i64, f64 };

  test.for(cases)("%s: %s", async ([from, text]) => {
    const input = anyItems(from, 33, text) as Numbers;
    const type = from === "f16" ? { type: f16 } : {};
    const kept = await fold().compact(
      input as Uint32Array,
      { where: text, indices: true, ...type } as never as { where: string },
    );
    const flags = mapped(text, types[from], input, "condition");
    expect(shown(kept as unknown as Numbers)).toEqual(
      shown(Uint32Array.from({ length: flags.length }, (_, at) => at).filter((at) => flags[at] === 1)),
    );
  });

  test.for(cases.filter(([, text]) => !/[<>=!]/.test(text) || text.includes(">> ")))(
    "class of %s: %s",
    async ([from, text]) => {
      const input = anyItems(from, 33, text) as Numbers;
      const type = from === "f16" ? { type: f16 } : {};
      const options = { class: text, classes: 5, indices: true, ...type };
      const partitioned = await fold().partition(
        input as Uint32Array,
        options as { class: string; classes: number },
      );
      const { offsets } = partitioned as unknown as { offsets: Uint32Array };
      const given = mapped(text, types[from], input, "class") as Uint32Array;
      const classes = Array.from(given, (one) => Math.min(4, one));
      expect(Array.from(offsets)).toEqual(
        [0, 1, 2, 3, 4, 5].map((of) => classes.filter((one) => one < of).length),
      );
    },
  );
});

test("a text has its own type where none is asked for", () => {
  const types: Readonly<Record<string, ElementType>> = { u32, i32, f32, f16, u64, i64, f64 };
  for (const [text, from, to] of [
    ["x > 1", "u32", "u32"],
    ["1", "u32", "i32"],
    ["0.5", "u32", "f32"],
    ["f32(x)", "u32", "f32"],
    ["i32(x)", "f64", "i32"],
    ["u64(x)", "f64", "u64"],
    ["x", "f16", "f16"],
    ["x < 1", "i64", "u32"],
    ["x + 1", "i64", "i64"],
    ["if (i > 1u) { return 2.5; } return 1.5;", "u32", "f32"],
    ["if (i > 1u) { return x; } return x * x;", "f64", "f64"],
  ] as const) {
    expect(mapText({ text, from: types[from] as ElementType })?.type.name, text).toBe(to);
  }
});

test("texts that a compiler of WGSL refuses have no code, nor have those that the CPU does not know", () => {
  for (const [text, from, to] of [
    ["", u32, u32],
    ["x +", u32, u32],
    ["x;", u32, u32],
    ["(x", u32, u32],
    ["x } fn more() -> u32 { return 1u;", u32, u32],
    ["y", u32, u32],
    ["f(x)", u32, u32],
    ["x + 1.5", u32, u32],
    ["x + 1i", u32, u32],
    ["x + i32(x)", u32, undefined],
    ["f32(x)", u32, u32],
    ["x > 1u", u32, u32],
    ["-x", u32, u32],
    ["!x", u32, u32],
    ["x && true", u32, "condition"],
    ["x / 0u", u32, u32],
    ["x << 32u", u32, u32],
    ["x + 4294967296", u32, u32],
    ["sqrt(-1.0) * x", f32, f32],
    ["x * 1e39", f32, f32],
    ["x * 65536h", f16, f16],
    ["f32(1e38) * 10.0 + x", f32, f32],
    ["f64(x)", u32, undefined],
    ["u64(x)", u32, u32],
    ["u32(u64(x))", u32, u32],
    ["u32(u64(x) >> 1u)", u32, u32],
    ["f32(f64(x))", f32, f32],
    ["x.y", u32, u32],
    ["vec2(x, 1.5).x", u32, u32],
    ["vec2(x, x)", u32, undefined],
    ["vec2(x, x).z", u32, u32],
    ["mat2x2(x, x, x, x)[0].x", f32, f32],
    ["subgroupAdd(x)", u32, u32],
    ["return 1.5;", u32, u32],
    ["if (x > 1u) { return x; }", u32, u32],
    ["let a = x; a = 1u; return a;", u32, u32],
    ["x = 1u; return x;", u32, u32],
    ["var a = x; let p = &a; return *p;", u32, u32],
    ["var<private> a = x; return a;", u32, u32],
    ["var a: array<u32, 3>; return a[3];", u32, u32],
    ["var a: array<u32, 300>; return a[x];", u32, u32],
    ["break; return x;", u32, u32],
    ["workgroupBarrier(); return x;", u32, u32],
    ["(1 << i) + x", u32, u32],
    ["const A = x; return A;", u32, u32],
    ["const A = vec2(x, 1u); return A.x;", u32, u32],
    ["x * x", f64, f32],
    ["x % 1u", f64, i32],
    ["x & 1", f64, f64],
    ["x + f32(1)", u64, u64],
    ["value_of_text(x, i)", u64, u64],
    ["value_of_text(x, i)", u32, u32],
    ["quotient_f64(vec3(1u), vec3(1u))", f64, f64],
    ["zero_before_f64(x)", f64, f64],
    ["x.foo", particle, f32],
    ["Pair(1u, x.id).key", particle, u32],
  ] as const) {
    expect(mapText({ text, from, ...(to && { to }) }), `${text} of ${from.name}`).toBeUndefined();
  }
  expect(mapText({ text: "x + i", from: u32, to: u32 })).toBeDefined();
  expect(mapText({ text: "x + i", from: u32, to: u32, hasIndex: false })).toBeUndefined();
});

test("an index past the end chooses the last element, as compilers of WGSL have it", () => {
  const input = Uint32Array.of(0, 2, 3, 4294967295);
  expect(mapped("var a = array(5u, 6u, 7u); return a[x];", u32, input, u32)).toEqual(
    Uint32Array.of(5, 7, 7, 7),
  );
  expect(
    mapped("var a = vec3(5u, 6u, 7u); a[i32(x)] = 1u; return a.x * 100u + a.y * 10u + a.z;", u32, input, u32),
  ).toEqual(Uint32Array.of(167, 561, 561, 561));
});

test("a 64-bit integer becomes an f32 or an f16 in one rounding", () => {
  // Right behind the middle of two f32, and of two f16 of another length.
  const input = BigUint64Array.of(
    0x8000_0080_0000_0001n,
    0x8000_0180_0000_0000n,
    0x8000_0080_0000_0000n,
    2n ** 64n - 1n,
  );
  expect(mapped("f32(x)", u64, input, f32)).toEqual(
    Float32Array.of(2 ** 63 + 2 ** 40, 2 ** 63 + 2 ** 41, 2 ** 63, 2 ** 64),
  );
});

test("a const has the value of the names before it", () => {
  const text = "const K = vec2(5u, 7u); { const A = K; let K = x; return A.y * 10u + K; }";
  expect(mapped(text, u32, Uint32Array.of(1, 2), u32)).toEqual(Uint32Array.of(71, 72));
});

test("a loop that does not end throws", () => {
  const pass = mapText({ text: "var k = 1u; while (k > 0u) { k |= x; } return k;", from: u32, to: u32 });
  expect(() => pass?.run(Uint32Array.of(1), new Uint32Array(1), 0, 1)).toThrow("a text's loops must end");
});

test("where a page forbids to make functions of texts, there is no code", () => {
  const { Function: own } = globalThis;
  globalThis.Function = function forbidden() {
    throw new EvalError("the page forbids it");
  } as never;
  try {
    expect(mapText({ text: "x + 123u", from: u32, to: u32 })).toBeUndefined();
  } finally {
    globalThis.Function = own;
  }
  expect(mapText({ text: "x + 124u", from: u32, to: u32 })).toBeDefined();
});
