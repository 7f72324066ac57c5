import { refuse, shown } from "../errors.ts";

// Ranges that a plan looks things up in, such as sorted items. Their lengths are not that of the recording.

/** The ranges that a plan may look things up in. A recording gives the length of such a range, too, or a buffer that has it. */
export type LookedUpName = "sorted" | "values" | "other";

/** A range that a plan looks things up in. */
export interface LookedUpRange {
  readonly range: LookedUpName;
  /** What a recording gives for the number of its items: the most, if a buffer has that number. */
  readonly number: `${LookedUpName}Length`;
  /** Checks that number. @throws {ArgumentError} */
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
