import type { Type } from "./wgsl_types.ts";
import { commonType, isAbstract, nothing, textOfType, unknown } from "./wgsl_types.ts";

// The results of WGSL's own functions: https://www.w3.org/TR/WGSL/#builtin-functions

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Functions whose result has the type that all their arguments have in common. */
const ofAll = /* @__PURE__ */ wordsOf(
  `abs acos acosh asin asinh atan atan2 atanh ceil clamp cos cosh countLeadingZeros countOneBits countTrailingZeros cross
   degrees exp exp2 faceForward firstLeadingBit firstTrailingBit floor fma fract inverseSqrt log log2 max min normalize pow
   quantizeToF16 radians reflect reverseBits round saturate sign sin sinh smoothstep sqrt step tan tanh trunc`,
);

/** Functions whose result has the type of their first argument. */
const ofFirst = /* @__PURE__ */ wordsOf(
  `extractBits insertBits ldexp mix refract dpdx dpdxCoarse dpdxFine dpdy dpdyCoarse dpdyFine fwidth subgroupAdd subgroupAnd
   subgroupBroadcast subgroupBroadcastFirst subgroupExclusiveAdd subgroupExclusiveMul subgroupInclusiveAdd
   subgroupInclusiveMul subgroupMax subgroupMin subgroupMul subgroupOr subgroupShuffle subgroupShuffleDown subgroupShuffleUp
   subgroupShuffleXor subgroupXor quadBroadcast quadSwapDiagonal quadSwapX quadSwapY`,
);

/** Functions that give one number of a vector. */
const ofPart = /* @__PURE__ */ wordsOf("dot length distance determinant");

/** Functions that take floats, and no integers. */
export const takesFloats = /* @__PURE__ */ wordsOf(
  `acos acosh asin asinh atan atan2 atanh ceil cos cosh cross degrees determinant distance exp exp2 faceForward floor fma fract frexp
   inverseSqrt ldexp length log log2 mix modf normalize pack2x16float pack2x16snorm pack2x16unorm pack4x8snorm pack4x8unorm pow
   quantizeToF16 radians reflect refract round saturate sin sinh smoothstep sqrt step tan tanh trunc`,
);

const bool: Type = { kind: "scalar", name: "bool" };
const u32: Type = { kind: "scalar", name: "u32" };
const i32: Type = { kind: "scalar", name: "i32" };
const f32: Type = { kind: "scalar", name: "f32" };

const fixed: Readonly<Record<string, Type>> = {
  all: bool,
  any: bool,
  arrayLength: u32,
  dot4I8Packed: i32,
  dot4U8Packed: u32,
  subgroupAll: bool,
  subgroupAny: bool,
  subgroupBallot: { kind: "vector", count: 4, of: u32 },
  subgroupElect: bool,
  unpack2x16float: { kind: "vector", count: 2, of: f32 },
  unpack2x16snorm: { kind: "vector", count: 2, of: f32 },
  unpack2x16unorm: { kind: "vector", count: 2, of: f32 },
  unpack4x8snorm: { kind: "vector", count: 4, of: f32 },
  unpack4x8unorm: { kind: "vector", count: 4, of: f32 },
  unpack4xI8: { kind: "vector", count: 4, of: i32 },
  unpack4xU8: { kind: "vector", count: 4, of: u32 },
};

/** The type of a call of one of WGSL's functions; undefined if it is none of those known here. `to` is in its list of types. */
export function builtinResult(name: string, args: readonly Type[], to: Type | undefined): Type | undefined {
  const [first = unknown, second = unknown] = args;
  if (name === "bitcast") {
    return to;
  }
  if (name === "select") {
    return commonType(first, second) ?? unknown;
  }
  if (ofAll.has(name)) {
    return (
      args.reduce<Type | undefined>((common, arg) => common && commonType(common, arg), first) ?? unknown
    );
  }
  if (ofFirst.has(name)) {
    return isAbstract(first) ? (commonType(first, second) ?? first) : first;
  }
  if (ofPart.has(name)) {
    const common = (args.length > 1 && commonType(first, second)) || first;
    return common.kind === "vector" || common.kind === "matrix" ? common.of : common;
  }
  return Object.hasOwn(fixed, name) ? fixed[name] : shaped(name, first);
}

/** Functions whose result is made of the parts of their argument's type, or is no value at all. */
function shaped(name: string, first: Type): Type | undefined {
  const held = first.kind === "pointer" ? first.to : first;
  if (name === "transpose") {
    return held.kind === "matrix" ? { ...held, columns: held.rows, rows: held.columns } : unknown;
  }
  if (name === "modf" || name === "frexp") {
    const whole = name === "modf" ? first : ofIntegers(first);
    const members = new Map<string, Type>([
      ["fract", first],
      [name === "modf" ? "whole" : "exp", whole],
    ]);
    return { kind: "struct", name: `the result of ${name} of ${textOfType(first)}`, members };
  }
  if (name === "workgroupUniformLoad") {
    return held.kind === "atomic" ? held.of : held;
  }
  if (name.startsWith("atomic") && held.kind === "atomic") {
    return atomicResult(name, held.of);
  }
  if (/Barrier$|^textureStore$/.test(name)) {
    return nothing;
  }
  return /^pack[24]x/.test(name) ? u32 : undefined;
}

function atomicResult(name: string, of: Type): Type {
  if (name === "atomicCompareExchangeWeak") {
    const members = new Map<string, Type>([
      ["old_value", of],
      ["exchanged", bool],
    ]);
    return { kind: "struct", name: `the result of ${name}`, members };
  }
  return name === "atomicStore" ? nothing : of;
}

const ofIntegers = (type: Type): Type => (type.kind === "vector" ? { ...type, of: i32 } : i32);
