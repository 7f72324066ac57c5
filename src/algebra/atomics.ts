import type { Monoid } from "./monoid.ts";
import type { Operation } from "./types.ts";

/** WGSL's atomic functions, by the operations that they combine by. */
const atomics: Readonly<Partial<Record<Operation, string>>> = {
  add: "atomicAdd",
  min: "atomicMin",
  max: "atomicMax",
  and: "atomicAnd",
  or: "atomicOr",
  xor: "atomicXor",
};

/** WGSL's atomic function that combines by an operator: on words, whose bits do not depend on the order. It is undefined if there is none. */
export const atomicOf = ({ type, domain, operation }: Monoid): string | undefined =>
  (type.name === "u32" || type.name === "i32") && domain === type.native && operation !== undefined
    ? atomics[operation]
    : undefined;
