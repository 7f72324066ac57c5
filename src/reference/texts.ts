import { valuesOf } from "../algebra/array_values.ts";
import type { AnyArray } from "../algebra/arrays.ts";
import { arrayOver } from "../algebra/arrays.ts";
import { bytesFor } from "../algebra/bytes.ts";
import { describe } from "../algebra/check_value.ts";
import type { CustomOperator } from "../algebra/custom_operator.ts";
import type { ElementType, Value } from "../algebra/types.ts";
import type { Numbers } from "../cpu/call.ts";
import { widened } from "../cpu/narrow_elements.ts";
import type { TextToMap } from "../cpu/texts.ts";
import { operatorTwin, requireMapText } from "../cpu/texts.ts";
import { ArgumentError, refuse, SourceError } from "../errors.ts";
import { requireCode } from "../text/callers.ts";

// Callers' WGSL in references: it is computed as JavaScript.

/** An array, and the type of its elements. */
export interface Typed {
  readonly array: AnyArray;
  readonly type: ElementType;
}

/** A text that the CPU cannot compute. */
interface Uncoded {
  readonly title: string;
  readonly option: string;
  /** What messages call it. */
  readonly name: string;
  /** What else the caller can give. */
  readonly takes: string;
}

/** What a text becomes. @throws {ArgumentError} {@link SourceError} */
function coded<Made>(make: () => Made, { title, option, name, takes }: Uncoded): Made {
  try {
    return make();
  } catch (cause) {
    throw cause instanceof SourceError
      ? new SourceError(
          `${title}, ${cause.message.replace(/^the text/, name)}`,
          cause.source,
          cause.line,
          cause.column,
        )
      : new ArgumentError(
          `${title}: the CPU has no code for ${name}: ${(cause as Error).message}; it takes ${takes}`,
          option,
        );
  }
}

/** An option that is computed for each element, and what it is to give. */
export interface Computed extends Pick<TextToMap, "to" | "hasIndex"> {
  readonly caller: string;
  readonly option: string;
  /** What messages call it. */
  readonly name?: string;
}

/**
 * What an option gives for the element at each index: a JavaScript function of the element (and its index, if it may have it), or WGSL as the
 * call itself takes it.
 *
 * @throws {ArgumentError} if it is neither, or WGSL that the CPU has no code for.
 * @throws {SourceError} if it is WGSL that cannot be read.
 */
export function resultsOver(
  given: unknown,
  { array, type }: Typed,
  { caller, option, name = option, to, hasIndex = true }: Computed,
): (index: number) => unknown {
  const element = hasIndex ? "an element and its index" : "an element";
  const takes = `a function of ${element}, or WGSL over x${hasIndex ? " and i" : ""}`;
  if (typeof given === "function") {
    const read = valuesOf(array, type);
    return hasIndex ? (index) => given(read(index), index) : (index) => given(read(index));
  }
  if (typeof given !== "string") {
    refuse(caller, option, name === option ? describe(given) : `${name}: ${describe(given)}`, takes);
  }
  requireCode(caller, option, given, takes);
  // Texts see elements of 8 and 16 bits as numbers of 32 bits.
  const { wide: from = type } = type;
  const pass = coded(() => requireMapText({ text: given, from, hasIndex, ...(to && { to }) }), {
    title: caller,
    option,
    name,
    takes: `a function of ${element}`,
  });
  const results = bytesFor(array.length, pass.type, caller);
  const bytes = bytesOf(array);
  const elements = type.wide ? widened(new Uint8Array(bytes), type).numbers : numbersIn(bytes, type);
  pass.run(elements, numbersIn(results, pass.type), 0, array.length);
  return valuesOf(arrayOver(pass.type, results), pass.type);
}

/** A copy of an array's bytes. */
const bytesOf = ({ buffer, byteOffset, byteLength }: AnyArray): ArrayBuffer =>
  buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;

/** The elements in some bytes as loops take them. */
const numbersIn = (bytes: ArrayBuffer, type: ElementType): Numbers =>
  type.kind === "struct"
    ? new Uint32Array(bytes)
    : type.name === "f16"
      ? new Uint16Array(bytes)
      : (arrayOver(type, bytes) as Numbers);

/**
 * The CPU twin of an operator's text.
 *
 * @throws {ArgumentError} if the CPU has no code for it.
 * @throws {SourceError} if it cannot be read.
 */
export function twinOfText(op: CustomOperator, title: string): (earlier: Value, later: Value) => Value {
  return coded(() => operatorTwin(op), {
    title,
    option: "combine",
    name: `the operator ${op.name}`,
    takes: "a reference",
  });
}
