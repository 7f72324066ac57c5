import type { ElementMap } from "../plan/map_elements.ts";
import { keyInObject } from "../plan/ranges.ts";
import type { CpuArray, Numbers, OnCpu } from "./call.ts";
import { newNumbers } from "./numbers.ts";

// Maps of elements with others: those of other arrays, and neighbours, which are an array of their own here.

/** What a request has of a map. */
type Options = Pick<ElementMap, "text" | "neighbours" | "edge"> & { readonly map: string };

/** The bytes of elements. */
const bytesOver = ({ buffer, byteOffset, byteLength }: Numbers): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** For each element, the one at a distance. */
function shifted({ type, length, numbers }: CpuArray, distance: number, edge: ElementMap["edge"]): CpuArray {
  const made = newNumbers(type, length);
  const from = bytesOver(numbers);
  const to = bytesOver(made);
  const { bytes } = type;
  const element = (at: number): Uint8Array => from.subarray(at * bytes, (at + 1) * bytes);
  const steps = edge === "wrap" && length > 0 ? distance % length : distance;
  // Those that have the element in the data: from `first` up to `end`.
  const first = Math.min(length, Math.max(0, -steps));
  const end = Math.max(first, Math.min(length, length - steps));
  to.set(from.subarray((first + steps) * bytes, (end + steps) * bytes), first * bytes);
  for (const [start, stop, other] of [
    [0, first, edge === "wrap" ? steps + length : 0],
    [end, length, edge === "wrap" ? steps - length : length - 1],
  ] as const) {
    for (let at = start; at < stop; at++) {
      const standIn = edge === "wrap" ? at + other : other;
      to.set(edge instanceof Uint8Array ? edge : element(standIn), at * bytes);
    }
  }
  return { type, length, numbers: made };
}

/** What each element becomes. */
export const map: OnCpu = async ({ arrays, request, mapped }) => {
  const data = arrays.data as CpuArray;
  const { map: text, neighbours = [], edge } = request.options as Partial<Options> & { readonly map: string };
  const beside = Object.entries(arrays).flatMap(([name, array]) => {
    const key = keyInObject(name);
    return key === undefined ? [] : [[key, array] as const];
  });
  const near = neighbours.map(([name, distance]) => [name, shifted(data, distance, edge)] as const);
  const made = await mapped(
    text,
    data,
    request.results[0]?.type,
    true,
    Object.fromEntries([...beside, ...near]),
  );
  return made && [made.numbers];
};
