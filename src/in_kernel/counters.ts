import allocateCounterFile from "../../shaders/work_group/allocate_counter.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import { ArgumentError, refuse } from "../errors.ts";
import { plainText } from "../text/callers.ts";
import { piecesOf, renamed, textOf } from "../text/pieces.ts";

/** WGSL that updates a caller's counter, and the words to replace in it. */
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

/** Matches a name, with members and constant or named indices. */
const COUNTER =
  /^[_\p{XID_Start}]\p{XID_Continue}*(\.[_\p{XID_Start}]\p{XID_Continue}*|\[\p{XID_Continue}+\])*$/u;

/** The names that a counter is made of. */
const namesOf = (counter: string): string[] => counter.replace(/\.\p{XID_Continue}+/gu, "").split(/[[\]]+/);

/** The words that put the caller's counter in the place of the contract's. */
function wordsOf(counter: unknown, caller: string): Counting["words"] {
  if (typeof counter !== "string" || !COUNTER.test(counter)) {
    refuse(
      caller,
      "counter",
      typeof counter === "string" ? JSON.stringify(counter) : String(counter),
      `the atomic's name in the kernel, such as "used" or "bump.used"`,
    );
  }
  const hidden = namesOf(counter).find((name) => /^(min|atomic[A-Z]\w+)$/.test(name));
  if (hidden !== undefined) {
    throw new ArgumentError(
      `${caller}: a counter named ${hidden} hides WGSL's ${hidden}, which it is updated by; choose another`,
      "counter",
    );
  }
  return { contract_counter: counter };
}

/** Our WGSL that uses a counter. If one of its variables would hide a name of the counter, the variable is renamed. */
function besideCounter(text: string, counter: string): string {
  const variables = Array.from(
    text.matchAll(/(?:let|var) (\w+)|(\w+):/g),
    ([, one, parameter]) => one ?? parameter,
  );
  const hiding = new Set(namesOf(counter).filter((name) => variables.includes(name)));
  return piecesOf(text)
    .map((piece) => textOf(renamed(piece, (word) => (hiding.has(word) ? `_${word}` : word))))
    .join("");
}

/** `counter_update`, on the caller's counter. */
export function counting(counter: string, monoid: Monoid, caller: string): Counting {
  const { type, domain } = monoid;
  const atomic = domain === type.native ? atomics[monoid.operation ?? ""] : undefined;
  if (atomic === undefined || (type.name !== "u32" && type.name !== "i32")) {
    throw new ArgumentError(
      `${caller}<${monoid.title}>: WGSL has no atomic for it; a counter takes ${Object.keys(atomics).join(", ")} on u32 or i32`,
      "op",
    );
  }
  const words = wordsOf(counter, caller);
  const text = `fn counter_update(total: Element) -> Element {
  return ${atomic}(&contract_counter, total);
}`;
  return { text: besideCounter(text, counter), words };
}

/** shaders/work_group/allocate_counter.wgsl, which takes from the caller's counter, and `allocation_capacity`. */
export function allocation(counter: string, capacity: number | string, caller: string): Counting {
  const words = wordsOf(counter, caller);
  const isNumber = typeof capacity === "number";
  if (
    isNumber
      ? !Number.isInteger(capacity) || capacity < 0 || capacity > 0xffffffff
      : typeof capacity !== "string" || capacity.trim() === ""
  ) {
    refuse(
      caller,
      "capacity",
      String(capacity),
      "a whole number from 0 to 2^32 - 1, or a WGSL expression of u32",
    );
  }
  return {
    text: `${besideCounter(allocateCounterFile, counter)}
fn allocation_capacity() -> u32 {
  return (contract_capacity);
}`,
    words: {
      ...words,
      contract_capacity: isNumber
        ? `${capacity}u`
        : plainText("the capacity", capacity).replace(/\s+/g, " ").trim(),
    },
  };
}
