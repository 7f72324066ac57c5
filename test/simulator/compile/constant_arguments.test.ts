import { expect, test } from "vitest";
import { u32 } from "../../../src/algebra/integers.ts";
import { mapText } from "../../../src/cpu/texts.ts";
import { readModule } from "../../../src/simulator/program.ts";
import { TextFault } from "../../../src/text/syntax.ts";
import { failures, useNullDevice } from "../../support/null_device.ts";

// Constants that WGSL refuses, and their neighbours that it takes: what Dawn says of each.

const device = useNullDevice();

const expressions = [
  "clamp(x, 5u, 1u)",
  "clamp(x, 1u, 1u)",
  "clamp(xf, 5f, 1f)",
  "clamp(xf, 5, 1.0)",
  "clamp(vec2(x), vec2(0u,5u), vec2(1u,4u))",
  "clamp(vec2(xf), vec2(0,5), vec2(1,4))",
  "clamp(5u,7u,1u)",
  "clamp(xi, 1, -1)",
  "clamp(xi, -1, 1)",
  "extractBits(x, 31u, 2u)",
  "extractBits(x, 33u, y)",
  "extractBits(x, y, 33u)",
  "extractBits(x, 32u, 0u)",
  "extractBits(x, 0u, 32u)",
  "extractBits(x, 32, 1)",
  "extractBits(vec2(x), 32, 1)",
  "extractBits(x, y, 32u)",
  "extractBits(x,4294967295u,1u)",
  "extractBits(xi, 31u, 2u)",
  "insertBits(x, y, 31u, 2u)",
  "insertBits(x, y, 33u, y)",
  "insertBits(x, y, y, 33u)",
  "insertBits(x, y, 32u, 0u)",
  "insertBits(x, y, 16, 17)",
  "pack2x16float(vec2(65536.0, 0.0))",
  "pack2x16float(vec2(65519.0, 0.0))",
  "pack2x16float(vec2(65520.0, 0.0))",
  "pack2x16float(vec2f(0, -1e9))",
  "pack2x16float(vec2(xf, 70000.0))",
  "pack2x16float(vec2f(1e30))",
  "pack2x16snorm(vec2(9.0))",
  "pack4xI8(vec4(1000))",
  "pack4x8unorm(vec4(9.0))",
  "quantizeToF16(70000.0)",
  "quantizeToF16(65519.0)",
  "quantizeToF16(65504.0)",
  "quantizeToF16(65520.0)",
  "quantizeToF16(vec2(70000.0, 1))",
  "quantizeToF16(70000f)",
  "quantizeToF16(-1e30)",
  "smoothstep(1.0, 1.0, xf)",
  "smoothstep(2.0, 1.0, xf)",
  "smoothstep(1.0, 2.0, xf)",
  "smoothstep(2.0, 1.0, 0.5)",
  "smoothstep(1.0, 1.0, 0.5)",
  "smoothstep(vec2(1,2), vec2(2,2), vec2(xf))",
  "ldexp(xf, 128)",
  "ldexp(xf, 129)",
  "ldexp(xf, 129i)",
  "ldexp(1.0, 129)",
  "ldexp(1.0, 128)",
  "ldexp(1.0,127)",
  "ldexp(1f,128)",
  "ldexp(0.5f,128)",
  "ldexp(0f,129)",
  "ldexp(xf,-200)",
  "ldexp(vec2(xf),vec2(129,1))",
  "ldexp(1.0, 1024)",
  "ldexp(vec2(xf),vec2(1,128))",
  "ldexp(2.0, 1024)",
  "ldexp(1.0f, 129i)",
  "ldexp(0.0, 200)",
  "ldexp(0.0,1025)",
  "acos(2.0)",
  "acos(1.0)",
  "asin(-1.5)",
  "acos(2f)",
  "acosh(0.5)",
  "acosh(1.0)",
  "atanh(1.0)",
  "atanh(0.5)",
  "sqrt(-1.0)",
  "sqrt(0.0)",
  "inverseSqrt(0.0)",
  "inverseSqrt(-1.0)",
  "log(0.0)",
  "log(-1.0)",
  "log2(0.0)",
  "log(1.0)",
  "exp(1000.0)",
  "exp(89.0)",
  "exp(88.0)",
  "exp(89f)",
  "exp2(128.0)",
  "exp2(128f)",
  "exp2(127f)",
  "exp2(1024.0)",
  "pow(-1.0, 0.5)",
  "pow(0.0, 0.0)",
  "pow(2.0, 128.0)",
  "pow(2f,128f)",
  "pow(0.0,-1.0)",
  "pow(-2.0,2.0)",
  "pow(0f,1f)",
  "sinh(100.0)",
  "cosh(100f)",
  "sinh(1000.0)",
  "sinh(89.0)",
  "tan(1.5707963)",
  "atan2(0.0, 0.0)",
  "atan2(1.0,0.0)",
  "normalize(vec2(0.0))",
  "normalize(vec2f())",
  "normalize(vec2(1e30f))",
  "normalize(vec2(1e-30f))",
  "length(vec2(3e38f))",
  "length(1e39)",
  "distance(vec2(3e38f,0), vec2(-3e38f,0))",
  "dot(vec2(1e30f), vec2(1e30f))",
  "dot(vec2(1e30), vec2(1e30))",
  "cross(vec3(1e30f,2,1), vec3(1,1e30f,1e30f))",
  "degrees(1e38f)",
  "degrees(1e38)",
  "radians(1e38f)",
  "fma(1e30f, 1e30f, 1f)",
  "mix(3e38f, -3e38f, 2f)",
  "mix(1.0, 2.0, xf)",
  "reflect(vec2(1e30f),vec2(1e30f))",
  "refract(vec2(1f,0),vec2(0f,1),2f)",
  "modf(1e30f).fract",
  "frexp(1f).fract",
  "step(1.0,2.0)",
  "sign(1e30)",
  "trunc(1e30)",
  "abs(-2147483648i)",
  "max(1,2147483648)",
  "countOneBits(-1)",
  "dot(vec2(2147483647i), vec2(2i))",
  "dot(vec2(4294967295u),vec2(4294967295u))",
  "dot4U8Packed(4294967295u,4294967295u)",
  "bitcast<f32>(0x7f800000u)",
  "bitcast<f32>(0x7fc00000u)",
  "bitcast<f32>(0xff800000u)",
  "bitcast<f32>(2139095040)",
  "bitcast<vec2f>(vec2(0x7f800000u, 0u))",
  "bitcast<f32>(0x3f800000u)",
  "bitcast<u32>(-1)",
  "bitcast<u32>(1e39)",
  "unpack2x16float(0x7c00u)",
  "unpack2x16float(0x7e00u)",
  "unpack2x16float(0x3c00u)",
  "unpack2x16float(0xfc000000u)",
  "1.0/0.0",
  "1f/0f",
  "xf/0.0",
  "0.0/0.0",
  "1e38f*10f",
  "3e38f+3e38f",
  "1e38*10.0",
  "1e39*1.0",
  "1e308*10.0",
  "1e39f",
  "xf*1e39",
  "1f % 0f",
  "xf % 0.0",
  "-3e38f-3e38f",
  "vec2(1f)/vec2(0f,1f)",
  "vec2(3e38f)*2f",
  "f32(1e39)",
  "f32(3.5e38)",
  "vec2f(1e39, 0)",
  "-1e39",
  "xf + 1e39",
  "2147483647+1",
  "2147483647i+1i",
  "4294967295u+1u",
  "9223372036854775807+1",
  "-2147483648i/-1i",
  "(-2147483647i-1i)/(-1i)",
  "(-2147483647i-1i)%(-1i)",
  "x/0u",
  "x%0u",
  "1/0",
  "1%0",
  "xi/0",
  "vec2(x)/vec2(1u,0u)",
  "vec2(xi)%vec2(0,1)",
  "0u-1u",
  "2147483648i",
  "-2147483649",
  "xi+2147483648",
  "x+(-1)",
  "1u<<32u",
  "1u<<31u",
  "2u<<31u",
  "1i<<31u",
  "1i<<30u",
  "-1i<<31u",
  "1<<63",
  "1<<62",
  "1<<64",
  "x<<32u",
  "x>>32u",
  "xi<<32",
  "vec2(x)<<vec2(0u,32u)",
  "3u<<31u",
  "1073741824i<<1u",
  "-1073741824i<<1u",
  "-1073741824i<<2u",
  "x<<y",
  "vec2(1u,2u)<<vec2(31u,31u)",
  "u32(-1)",
  "u32(-1i)",
  "u32(4294967296)",
  "u32(1e10)",
  "u32(1e10f)",
  "i32(3e9)",
  "i32(3e9f)",
  "u32(-1.5)",
  "u32(-1.5f)",
  "i32(4294967295u)",
  "vec2u(-1, 1)",
  "vec2<u32>(vec2(-1,1))",
  "vec2<u32>(vec2(-1f,1))",
  "i32(2147483648)",
  "f32(2147483648)",
  "u32(1.5)",
  "bool(2)",
  "subgroupShuffle(x, 128u)",
  "subgroupShuffle(x, 127u)",
  "subgroupShuffleXor(x, 128u)",
  "subgroupShuffleUp(x, 128u)",
  "subgroupShuffleDown(x, 200u)",
  "subgroupBroadcast(x, 128u)",
  "subgroupBroadcast(x, y)",
  "quadBroadcast(x, 4u)",
  "quadBroadcast(x, 3)",
  "quadBroadcast(x, y)",
  "subgroupShuffle(x, -1)",
  "subgroupBroadcast(x, -1)",
  "vec2(1,2)[2]",
  "vec2(1,2)[-1]",
  "array(1,2)[2]",
  "mat2x2f()[2]",
  "vec2(x)[y]",
  "firstLeadingBit(-1)",
  "firstTrailingBit(0)",
  "reverseBits(1)",
  "select(1/1, 2, true)",
  "max(xf, 1e39)",
  "abs(-1e39)",
  "floor(1e39)",
  "fract(1e39f)",
  "cos(1e30f)",
  "exp(-1000.0)",
  "tanh(1000.0)",
  "clamp(xf, LOW, HIGH)",
  "clamp(xf, HIGH, LOW)",
  "clamp(vec2f(xf), ENDS.xy, ENDS.yx)",
  "clamp(vec2f(xf), ENDS.yx, ENDS.xy)",
  "clamp(x, y, 1u)",
  "clamp(xf, -LOW, -HIGH)",
  "clamp(xh, 2h, 1h)",
  "clamp(xh, 1h, 2h)",
  "clamp(xh, 2, 1)",
  "smoothstep(1h, 1h, xh)",
  "xh * 65536.0",
  "65504h * 2h",
  "vec2h(65520.0)",
  "ldexp(xh, 17)",
  "ldexp(xh, 16)",
  "sqrt(vec2(-1h))",
  "f16(70000.0)",
  "subgroupBroadcast(x, WHERE)",
  "quadBroadcast(x, WHERE)",
  "subgroupBroadcast(x, array(1u, 2u)[1])",
  "pow(-0.0, 1.0)",
  "sqrt(LOW - HIGH)",
  "1.0 / (HIGH - HIGH)",
  "x << WHERE",
  "WHERE << 31u",
  "vec2(WHERE) / vec2(0u, 1u)",
];

const moduleOf = (expression: string): string => `enable f16, subgroups;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
const LOW = 1f; const HIGH = 2.5; const ENDS = vec3f(LOW, HIGH, 0); const WHERE = 3u;
@compute @workgroup_size(32) fn main() {
  let x = data[0]; let xi = i32(data[1]); let xf = bitcast<f32>(data[2]); let y = data[3]; let xh = f16(xf);
  let found =
${expression};
  data[4] = x + u32(xi) + y + u32(xf) + u32(xh);
}`;
const LINE = 6;

/** The line and the text of what is wrong with a module; undefined if nothing is. */
function problemIn(code: string): string | undefined {
  try {
    readModule(code);
    return undefined;
  } catch (cause) {
    const { at } = cause as TextFault;
    expect(cause).toBeInstanceOf(TextFault);
    expect(code.slice(0, at).split("\n").length, (cause as Error).message).toBe(LINE + 1);
    return (cause as Error).message;
  }
}

test("constants are refused where Dawn refuses them", async () => {
  const differing: string[] = [];
  let refused = 0;
  for (const expression of expressions) {
    const code = moduleOf(expression);
    const [told] = await failures(device(), [{ title: expression, code }]);
    const own = problemIn(code);
    if ((own === undefined) !== (told === undefined)) {
      differing.push(`${expression}: ${told ?? own}`);
    }
    refused += own === undefined ? 0 : 1;
  }
  expect(differing).toEqual([]);
  expect(refused).toBeGreaterThan(100);
});

test.each([
  ["clamp(x, 5u, 1u)", "5u", "clamp takes a low end that is not above the high one, and these are 5 and 1"],
  ["extractBits(x, 31u, 2u)", "31u", "extractBits takes an offset and a count whose sum is at most 32"],
  [
    "pack2x16float(vec2f(70000))",
    "vec2f(",
    "pack2x16float takes numbers that f16 holds, from -65504 to 65504",
  ],
  ["sqrt(-1.0)", "sqrt(", "sqrt(…) is NaN, and a constant of f32 is finite"],
  ["1f / 0f", "1f", "'/' is Infinity, and a constant of f32 is finite"],
  ["2u << 31u", "2u", "2 << 31 is more than u32 holds"],
  ["xf * 1e39", "1e39", "1e+39 is more than f32 holds"],
  ["subgroupBroadcast(x, y)", "y", "subgroupBroadcast takes a constant lane, and this is none"],
])("%s", (expression, from, message) => {
  const code = moduleOf(expression);
  expect(problemIn(code)).toContain(message);
  try {
    readModule(code);
  } catch (cause) {
    expect(code.slice((cause as TextFault).at).startsWith(from)).toBe(true);
  }
});

test("the CPU has no code for them", () => {
  for (const text of [
    "clamp(x, 5u, 1u)",
    "extractBits(x, 31u, 2u)",
    "insertBits(x, i, 20u, 20u)",
    "x / (1u - 1u)",
  ]) {
    expect(mapText({ text, from: u32, to: u32 }), text).toBeUndefined();
  }
  expect(mapText({ text: "pack2x16float(vec2f(70000, f32(x)))", from: u32, to: u32 })).toBeDefined();
  expect(mapText({ text: "pack2x16float(vec2f(70000, 0)) + x", from: u32, to: u32 })).toBeUndefined();
  expect(mapText({ text: "clamp(x, 1u, 5u)", from: u32, to: u32 })).toBeDefined();
});
