import { ShaderError, SourceError } from "../errors.ts";

/** What is wrong with the command line or a file that it names. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** JavaScript's own errors, which say nothing to whoever runs the command. */
const native = [TypeError, ReferenceError, SyntaxError, RangeError, EvalError, URIError];

/** A text without the codes that a terminal would obey, which a file may hold. */
export const withoutCodes = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (code) => `\\u${code.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** A text of a file's as a message shows it. */
export const quoted = (text: string): string => withoutCodes(JSON.stringify(text));

/** A count of things, as "1 flag" or "3 flags". */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;

/** Any failure as the terminal shows it: one line, and below it the line of a WGSL text that it is about. */
export function messageLines(cause: unknown): string {
  if (!(cause instanceof SourceError || cause instanceof ShaderError)) {
    return oneLine(cause);
  }
  return cause.message.trimEnd().split(/\r?\n/).map(withoutCodes).join("\n");
}

/** Any failure as the one line that the terminal shows. */
export function oneLine(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const line = withoutCodes(
    message
      .split(/[\r\n]+/)
      .map((one) => one.trim())
      .filter((one) => one !== "")
      .join(" "),
  );
  if (cause instanceof RangeError && /allocation failed|array length/i.test(line)) {
    return `there is not enough memory: ${line}`;
  }
  return native.some((kind) => cause instanceof kind)
    ? `this is a defect of Wavefold: ${(cause as Error).name}: ${line}`
    : line || "it failed, without saying why";
}

/**
 * Runs steps one after another. If one fails, the later ones still run.
 *
 * @throws what the first step that failed has thrown.
 */
export async function doAll(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    await step().catch((cause: unknown) => failures.push(cause));
  }
  if (failures.length > 0) {
    throw failures[0];
  }
}
