import type { ErrorKind } from "../device/errors.ts";

/** What came of a call. */
export interface Outcome {
  /** Why it was refused; undefined if it was not. */
  readonly problem?: string | undefined;
  /** Whether there was no room. Another device may have some. */
  readonly isOutOfMemory?: boolean;
}

/** An error that a device reported. */
export interface Report {
  readonly kind: ErrorKind;
  readonly message: string;
}

/** Of a call during which a device reported errors. */
export const outcomeOf = (reports: readonly Report[]): Outcome => ({
  problem: reports.find(({ kind }) => kind !== "out-of-memory")?.message,
  isOutOfMemory: reports.some(({ kind }) => kind === "out-of-memory"),
});

/** Of a call that threw, or whose promise was rejected. What was cancelled was not refused. */
export function refusalOf(cause: unknown): Outcome {
  const { name, message } = cause as Error;
  return name === "AbortError" ? {} : { problem: `${name}: ${message}` };
}
