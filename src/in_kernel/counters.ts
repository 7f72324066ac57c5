import allocateCounterFile from "#shaders/work_group/allocate_counter.wgsl";
import { atomicOf } from "../algebra/atomics.ts";
import type { Monoid } from "../algebra/monoid.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";
import { hasCode, plainText, requireExpression } from "../text/callers.ts";
import { eachToken, piecesOf, textOf, tokensOf } from "../text/pieces.ts";

/** WGSL that updates a caller's counter, and the words to replace in it. */
export interface Counting {
  readonly text: string;
  readonly words: Readonly<Record<string, string>>;
}

/** Matches a name, with members and constant or named indices. An empty index is the call's. */
const COUNTER =
  /^[_\p{XID_Start}]\p{XID_Continue}*(\.[_\p{XID_Start}]\p{XID_Continue}*|\[\p{XID_Continue}*\])*$/u;

/** Whether the call says which counter it is: one index is empty, as in `counters[]`. */
export const isIndexed = (counter: unknown): boolean =>
  typeof counter === "string" && counter.split("[]").length === 2;

/** The names that a counter is made of. */
const namesOf = (counter: string): string[] => counter.replace(/\.\p{XID_Continue}+/gu, "").split(/[[\]]+/);

/** The words that put the caller's counter in the place of the contract's. */
function wordsOf(counter: unknown, caller: string): Counting["words"] {
  if (typeof counter !== "string" || !COUNTER.test(counter) || counter.split("[]").length > 2) {
    refuse(
      caller,
      "counter",
      shown(counter),
      `the atomic's name in the kernel, such as "used" or "bump.used"`,
    );
  }
  const hidden = namesOf(counter).find((name) =>
    /^(min|vec2|bitcast|pack2x16float|unpack2x16float|atomic[A-Z]\w+)$/.test(name),
  );
  if (hidden !== undefined) {
    throw new ArgumentError(
      `${caller}: a counter named ${hidden} hides WGSL's ${hidden}, which it is updated by; choose another`,
      "counter",
    );
  }
  const [variable = "", contract_rest] = counter.split("[]");
  return { contract_counter: variable, ...(contract_rest !== undefined && { contract_rest }) };
}

/** The names of a text's parameters, members and variables. */
function variablesOf(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  let before = "";
  for (const [token, blank, word, colon] of tokensOf(text)) {
    if (word && (colon || before === "let" || before === "var")) {
      names.add(word);
    }
    before = blank ? before : token;
  }
  return names;
}

/** Our WGSL that uses a counter. If one of its variables would hide a name of the counter, the variable is renamed. */
function besideCounter(own: string, counter: string): string {
  const inCall = isIndexed(counter);
  const variables = variablesOf(own);
  const hiding = new Set(namesOf(counter).filter((name) => variables.has(name)));
  const renamed = (word: string): string =>
    inCall && word === "contract_counter"
      ? "contract_counter[counter_index] contract_rest"
      : hiding.has(word)
        ? `_${word}`
        : word;
  return [...piecesOf(own, renamed).map(textOf), inCall ? "\nvar<private> counter_index: u32;\n" : ""].join(
    "",
  );
}

/** By type, the value of a counter's bits `seen`, and the bits of a value `x`. */
const bits: Readonly<Record<string, readonly [value: string, bits: string]>> = {
  u32: ["seen", "x"],
  i32: ["seen", "x"],
  f32: ["bitcast<f32>(seen)", "bitcast<u32>(x)"],
  f16: ["f16(unpack2x16float(seen).x)", "pack2x16float(vec2<f32>(f32(x), 0.0))"],
};

/** `counter_update`, on the caller's counter. */
export function counting(counter: string, monoid: Monoid, caller: string): Counting {
  const [value, word] = bits[monoid.type.name] ?? [];
  if (value === undefined) {
    throw new ArgumentError(
      `${caller}<${monoid.title}>: WGSL's atomics have 32 bits; a counter takes u32, i32, f32 or f16`,
      "type",
    );
  }
  if (monoid.carried) {
    throw new ArgumentError(
      `${caller}<${monoid.title}>: a counter holds a rounded value, so the sum would not be exact; take add, or scan without a counter`,
      "op",
    );
  }
  const words = wordsOf(counter, caller);
  const atomic = atomicOf(monoid);
  const text = atomic
    ? `fn counter_update(total: Element) -> Element {
  return ${atomic}(&contract_counter, total);
}`
    : // Other work-groups may change the counter meanwhile. Then the next try starts from what they left.
      `fn counter_update(total: Element) -> Element {
  var seen = atomicLoad(&contract_counter);
  loop {
    let x = value_from_element(combine(element_from_value(${value}), total));
    let exchange = atomicCompareExchangeWeak(&contract_counter, seen, ${word});
    if (exchange.exchanged) {
      break;
    }
    seen = exchange.old_value;
  }
  return element_from_value(${value});
}`;
  return { text: besideCounter(text, counter), words };
}

/** Functions that update a counter, with the counter's index as a parameter before `local_index`. */
export function withIndex(functions: string): string {
  let text = "";
  // Whether a function's parameters were read, and not yet the start of its body.
  let isHead = false;
  eachToken(functions, (token, _, word, colon) => {
    if (word === "local_index" && colon) {
      text += "index: u32, ";
      isHead = true;
    }
    text += token;
    if (isHead && token === "{") {
      text += "\n  counter_index = index;";
      isHead = false;
    }
  });
  return text;
}

/** shaders/work_group/allocate_counter.wgsl, which takes from the caller's counter, and `allocation_capacity`. */
export function allocation(counter: string, capacity: number | string, caller: string): Counting {
  const words = wordsOf(counter, caller);
  const isNumber = typeof capacity === "number";
  if (
    isNumber
      ? !Number.isInteger(capacity) || capacity < 0 || capacity > 0xffffffff
      : typeof capacity !== "string" || !hasCode(capacity)
  ) {
    refuse(
      caller,
      "capacity",
      shown(capacity),
      "a whole number from 0 to 2^32 - 1, or a WGSL expression of u32",
    );
  }
  if (!isNumber) {
    requireExpression("the capacity", capacity);
  }
  return {
    text: `${besideCounter(allocateCounterFile.text, counter)}
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
