/** What is wrong with the command line or a file that it names. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** Any failure as the one line that the terminal shows. */
export function oneLine(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return message.replace(/\s*\n\s*/g, " ").trim() || "it failed, without saying why";
}
