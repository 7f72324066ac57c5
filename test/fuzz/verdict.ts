import { ShaderError, WavefoldError } from "../../src/errors.ts";

/** What a case found: a result that is wrong, or a failure that is none of our errors. */
export class Fault extends Error {
  override name = "Fault";
}

/** How a case ended: with the right result, or refused by an error of ours. */
export type Verdict = "passed" | "refused";

/** Runs the steps of a case one after another. The case passed if one of them did: the others were refused. */
export async function verdictOf<Step>(
  steps: readonly Step[],
  run: (step: Step) => Promise<Verdict>,
): Promise<Verdict> {
  let verdict: Verdict = "refused";
  for (const step of steps) {
    if ((await run(step)) === "passed") {
      verdict = "passed";
    }
  }
  return verdict;
}

/** The same, but no step waits for the one before. All have ended, whatever comes of one. */
export async function atOnce<Step>(
  steps: readonly Step[],
  run: (step: Step) => Promise<Verdict>,
): Promise<Verdict> {
  const all = steps.map(run);
  await Promise.allSettled(all);
  return (await Promise.all(all)).includes("passed") ? "passed" : "refused";
}

/** Whether it is an error that input may be refused with. A shader of ours that does not compile is a defect. */
export const isRefusal = (cause: unknown): cause is WavefoldError =>
  cause instanceof WavefoldError &&
  !(cause instanceof ShaderError) &&
  cause.name !== "DeviceLostError" &&
  cause.name !== "AdapterError" &&
  cause.name !== "MissingPackageError";

/** A failure in one line. */
export function oneLine(cause: unknown, most = 300): string {
  const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most)} …` : line;
}

/** What came of a call that may be refused: its result, or the error of ours that refused it. */
export type Attempt<T> = { readonly result: T } | { readonly refusal: WavefoldError };

/**
 * Why a call was refused.
 *
 * @throws {Fault} where it is refused by any other error than ours; and where it must work, by any.
 */
function refusalOf(title: string, mustWork: boolean, cause: unknown): { readonly refusal: WavefoldError } {
  if (cause instanceof Fault) {
    throw cause;
  }
  if (!isRefusal(cause)) {
    throw new Fault(`${title} throws what is no refusal of ours: ${oneLine(cause)}`);
  }
  if (mustWork) {
    throw new Fault(`${title} is refused, and must work: ${oneLine(cause)}`);
  }
  return { refusal: cause };
}

/**
 * Calls what may be refused.
 *
 * @throws {Fault} where it is refused by any other error than ours; and where it must work, by any.
 */
export async function attempt<T>(
  title: string,
  mustWork: boolean,
  action: () => Promise<T>,
): Promise<Attempt<T>> {
  try {
    return { result: await action() };
  } catch (cause) {
    return refusalOf(title, mustWork, cause);
  }
}

/** {@link attempt}, of what returns at once. */
export function attemptNow<T>(title: string, mustWork: boolean, action: () => T): Attempt<T> {
  try {
    return { result: action() };
  } catch (cause) {
    return refusalOf(title, mustWork, cause);
  }
}
