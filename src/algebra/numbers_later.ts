import { ArgumentError } from "../errors.ts";
import type { CallersNumbers } from "../text/callers.ts";
import type { ScalarType } from "./types.ts";

// What reads callers' texts over 64-bit values is large (numbers_64.ts), and most programs have no such text. The 64-bit types of the main entry
// do without it until a text needs it. Then a call on the device loads it, and plans again: see `withNumbers` in plan_with_parts.ts.

let provided: CallersNumbers | undefined;

/** Lets the 64-bit types of the main entry read texts from now on. */
export function provideNumbers(numbers: CallersNumbers): CallersNumbers {
  provided = numbers;
  return numbers;
}

/** A text needs what is not loaded yet. Programs see this error only where a function writes texts at once. */
export interface NumbersMissing extends ArgumentError {
  /** Takes what is missing. */
  readonly provideNumbers: typeof provideNumbers;
}

function requireNumbers(): CallersNumbers {
  if (!provided) {
    const error: NumbersMissing = Object.assign(
      new ArgumentError(
        'the u64, i64 and f64 of "wavefold" load later what reads texts over them; functions of "wavefold/wgsl" take these types from "wavefold/wgsl"',
        "type",
      ),
      { provideNumbers },
    );
    throw error;
  }
  return provided;
}

/** What was provided. @throws {NumbersMissing} if nothing was. */
export const numbersLater: CallersNumbers = {
  get files() {
    return requireNumbers().files;
  },
  reader: (types) => requireNumbers().reader(types),
};

/** A type whose values these read in callers' texts. It is a function, since bundlers keep an object that spreads another one, used or not. */
export const typeWith = <Type extends ScalarType>(type: Type, numbers: CallersNumbers): Type => ({
  ...type,
  numbers,
});
