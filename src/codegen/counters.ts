import { ArgumentError } from "../errors.ts";
import type { Monoid } from "../operators.ts";
import type { ScalarType } from "../types.ts";
import { callersText, indented } from "./callers.ts";

/** WGSL that updates a counter of the caller's, and what stands in it in the place of words. */
export interface Counting {
  readonly text: string;
  readonly words: Readonly<Record<string, string>>;
}

/** WGSL's atomic operation for each operator that has one. */
const atomics: Readonly<Record<string, string>> = {
  add: "atomicAdd",
  min: "atomicMin",
  max: "atomicMax",
  and: "atomicAnd",
  or: "atomicOr",
  xor: "atomicXor",
};

/** Names in the functions below that a counter's would be taken for. */
const locals = new Set(["total", "capacity", "seen", "start", "exchange", "min"]);

/** The counter in the place of the contract's. It is a name, with members and constant or named indices. */
function wordsOf(counter: unknown, caller: string): Counting["words"] {
  if (typeof counter !== "string" || !/^[A-Za-z_]\w*(\.[A-Za-z_]\w*|\[\w+\])*$/.test(counter)) {
    throw new ArgumentError(
      `${caller}: counter is ${JSON.stringify(counter)}; it takes the atomic's name in the kernel, such as "used" or "bump.used"`,
    );
  }
  const root = /^\w+/.exec(counter)?.[0] ?? "";
  if (locals.has(root)) {
    throw new ArgumentError(
      `${caller}: a counter named ${root} would be taken for a name of the function's; choose another`,
    );
  }
  return { contract_counter: counter };
}

/** `counter_update`, on a counter of the caller's. */
export function counting(counter: string, monoid: Monoid, caller: string): Counting {
  const { type, domain } = monoid;
  const { native, order } = type as ScalarType;
  const atomic = domain === native || domain === order ? atomics[monoid.operation ?? ""] : undefined;
  if (atomic === undefined || (type.name !== "u32" && type.name !== "i32")) {
    throw new ArgumentError(
      `${caller}<${monoid.title}>: WGSL has no atomic for it; a counter takes ${Object.keys(atomics).join(", ")} on u32 or i32`,
    );
  }
  return {
    text: `fn counter_update(total: Element) -> Element {
  return ${atomic}(&contract_counter, total);
}`,
    words: wordsOf(counter, caller),
  };
}

/** `allocation_capacity`, and the counter of the caller's that shaders/work_group/allocate_counter.wgsl takes from. */
export function allocation(counter: string, capacity: number | string, caller: string): Counting {
  const words = wordsOf(counter, caller);
  const isNumber = typeof capacity === "number";
  if (
    isNumber
      ? !Number.isInteger(capacity) || capacity < 0 || capacity > 0xffffffff
      : typeof capacity !== "string" || capacity.trim() === ""
  ) {
    throw new ArgumentError(
      `${caller}: capacity is ${String(capacity)}; it takes a whole number from 0 to 2^32 - 1, or a WGSL expression of u32`,
    );
  }
  return {
    text: `fn allocation_capacity() -> u32 {
  return (contract_capacity);
}`,
    words: {
      ...words,
      contract_capacity: isNumber
        ? `${capacity}u`
        : indented(`\n${callersText("the capacity", capacity).text}\n`),
    },
  };
}
