import { refuse, shown } from "../errors.ts";

// Ranges that a plan looks things up in, such as sorted items. Their lengths are not that of the recording.

/** The ranges that a plan may look things up in. A recording gives the length of such a range, too, or a buffer that has it. */
export type LookedUpName = "sorted" | "values" | "other";

/** A range that a plan looks things up in, and how a recording says how many items it has. */
export interface LookedUpRange {
  readonly range: LookedUpName;
  /** The option by which a recording gives the number of its items. If a buffer has that number, the option gives the most that it may be. */
  readonly number: `${LookedUpName}Length`;
  /** Checks the value of that option. @throws {ArgumentError} */
  lengthOf(given: unknown): number;
}

/** The range of this name, in a plan with this title. It has `most` items at most. */
export const lookedUpRange = (range: LookedUpName, title: string, most = 2 ** 32 - 1): LookedUpRange => {
  const number = `${range}Length` as const;
  return {
    range,
    number,
    lengthOf: (given) =>
      typeof given === "number" && Number.isInteger(given) && given >= 0 && given <= most
        ? given
        : refuse(
            title,
            number,
            shown(given),
            `a whole number from 0 to ${most === 2 ** 32 - 1 ? "2^32 - 1" : `${most}, the most it was prepared for`}`,
          ),
  };
};
