import type { Scalar, ScalarType } from "../algebra/types.ts";
import type { BinRule } from "../kernels/histogram.ts";
import { keyOfValue, keyWords } from "../kernels/ordered_keys.ts";
import type { Bins } from "./bins.ts";

/** The most bins whose number is estimated: f32 would be too coarse for more. */
const MOST_ESTIMATED = 2 ** 16;

/** The sources and constants with which a kernel finds an item's bin, and the words of its table of edges. */
export function ruleOf(
  bins: Bins,
  type: ScalarType,
): { readonly rule: BinRule; readonly table?: Uint32Array } {
  const { count, text, whole, step } = bins;
  if (text !== undefined) {
    return { rule: { by: "text", text } };
  }
  const isInteger = type.kind !== "float";
  const lowest = isInteger ? BigInt(type.lowest) : 0n;
  const greatest = isInteger ? BigInt(type.greatest) : 0n;
  if (whole !== undefined && type.bytes === 4) {
    const { low, high } = whole;
    const span = high - low;
    if (span % BigInt(count) === 0n && low >= lowest && low <= greatest && span <= 1n << 32n) {
      const most = 0xffffffffn;
      const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
      const width = least(span / BigInt(count), most);
      return { rule: { by: "division", low: keyOfValue(type, low), span: least(span, most), width } };
    }
  }
  const edges = bins.edges?.() ?? [];
  const last = edges[count] ?? 0;
  // An edge below all values of an integer type is as good as the lowest value. From the first one above them all, no bin has
  // any value.
  const reachable = edges
    .slice(0, -1)
    .filter((edge) => !isInteger || edge <= greatest)
    .map((edge) => (isInteger && edge < lowest ? lowest : edge));
  const isNothing = isInteger && last < lowest;
  const high = isInteger ? (isNothing ? lowest : last > greatest ? greatest : last) : last;
  const keys = isNothing ? [] : reachable.map((edge) => keyOfValue(type, edge));
  return {
    rule: {
      by: "search",
      edges: keys.length,
      high: keyOfValue(type, high),
      estimate:
        keys.length === 0 || count > MOST_ESTIMATED ? undefined : estimateOf(bins, type, edges[0], step),
    },
    table: keyWords(type, keys),
  };
}

/** The numbers that an estimate of a bin's number needs, if f32 can hold them. */
function estimateOf(
  { count, whole }: Bins,
  type: ScalarType,
  first: Scalar | undefined,
  step: number | undefined,
): Extract<BinRule, { by: "search" }>["estimate"] {
  if (type.bytes > 4 || (whole === undefined && step === undefined) || first === undefined) {
    return undefined;
  }
  const [least, most] = [2 ** -126, 2 ** 127];
  const scale = whole === undefined ? 1 / (step ?? 1) : count / Number(whole.high - whole.low);
  if (scale < least || scale > most) {
    return undefined;
  }
  if (whole === undefined) {
    return { low: Number(first), scale };
  }
  return whole.low < BigInt(type.lowest) ? undefined : { low: keyOfValue(type, whole.low), scale };
}
