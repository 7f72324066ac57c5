import type { Operator } from "../src/algebra/monoid.ts";
import type { Sample } from "../src/gpu/tuning/sample.ts";
import type { BenchTypeName } from "./elements.ts";
import {
  benchTypes,
  bytesOf,
  decode,
  elementsOf,
  keptOf,
  operatorOn,
  referenceScan,
  room,
  wordsOf,
} from "./elements.ts";

/** The bench's elements of a type, for the tuning. It has scans, reductions and compactions. */
export function tuningSample(type: BenchTypeName): Sample {
  const numbersEach = wordsOf(type);
  return {
    op: operatorOn("add", type) as Operator,
    where: benchTypes[type].where,
    bytesOf: (length) => bytesOf(type, "add", length),
    resultOf(primitive, length) {
      const elements = elementsOf(type, "add", length);
      const reference = referenceScan(type, "add", false);
      const found = room(type);
      const count = length * numbersEach;
      const all = found instanceof Int32Array ? new Int32Array(count) : new Float64Array(count);
      let done = 0;
      for (let chunk = elements.next(); chunk !== undefined; chunk = elements.next()) {
        reference.scan(chunk, found);
        const taken = primitive === "compact" ? keptOf(type, chunk, 0, false, found) : chunk.count;
        all.set(found.subarray(0, taken * numbersEach), done);
        done += taken * numbersEach;
      }
      return primitive === "reduce" ? reference.total() : all.subarray(0, done);
    },
    decode: (buffer) => decode(type, new Uint8Array(buffer)),
    numbersEach,
  };
}
