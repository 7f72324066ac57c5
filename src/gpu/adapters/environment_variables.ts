import { runInThisContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

/**
 * How long the main thread may take to answer. It answers while it computes or waits, but not while it is in native code.
 */
const ANSWER_MS = 10_000;

/** Environment variables that are set, so that native code reads them, until `release` restores them. */
export interface Held {
  /** If the variables are set only for JavaScript, and not for native code: why. */
  readonly problem: unknown;
  release(): Promise<void>;
}

// The code is text, since the main thread must run it: a worker thread's `process.env` is a copy that native code does not
// see. Several threads may hold the variables at the same time. The first one sets them, and the last one restores what was
// there.
const HELD = 'globalThis[Symbol.for("wavefold.environment")]';
const holdText = (values: Readonly<Record<string, string>>): string => `{
  const held = (${HELD} ??= { users: 0, before: {} });
  if (held.users++ === 0) {
    for (const [name, value] of Object.entries(${JSON.stringify(values)})) {
      held.before[name] = process.env[name];
      process.env[name] = value;
    }
  }
}`;
const RELEASE = `{
  const held = ${HELD};
  if (--held.users === 0) {
    for (const [name, value] of Object.entries(held.before)) {
      if (value === undefined) {
        delete process.env[name];
      } else {
        process.env[name] = value;
      }
    }
  }
}`;

/** Sets variables of the process's environment, from any thread. */
export async function holdEnvironment(values: Readonly<Record<string, string>>): Promise<Held> {
  const run = async (text: string): Promise<void> => runInThisContext(text);
  const held = (runThere: (text: string) => Promise<void>, problem?: unknown): Held => ({
    problem,
    release: () => runThere(RELEASE).catch(() => {}),
  });
  if (!isMainThread) {
    try {
      await runOnMainThread(holdText(values));
      return held(runOnMainThread);
    } catch (cause) {
      await run(holdText(values));
      return held(run, cause);
    }
  }
  await run(holdText(values));
  return held(run);
}

/**
 * Runs code on the main thread by Node.js's interface for debuggers. It is the only way that needs no help from the program
 * on the main thread.
 */
async function runOnMainThread(text: string): Promise<void> {
  const { Session } = await import("node:inspector");
  const session = new Session();
  session.connectToMainThread();
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`it gave no answer in ${ANSWER_MS} ms`)), ANSWER_MS);
      session.post("Runtime.evaluate", { expression: text }, (cause, answer) => {
        const thrown = cause ?? answer.exceptionDetails?.exception?.description;
        if (thrown === undefined || thrown === null) {
          resolve();
        } else {
          reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
        }
      });
    });
  } finally {
    clearTimeout(timer);
    session.disconnect();
  }
}
