import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { readFile } from "node:fs/promises";
import process from "node:process";
import type { Answer, NoDevice, Question, Ready } from "./child.ts";
import type { Case } from "./families.ts";
import type { AdapterKind } from "./plans.ts";

/** How a case ended. */
export interface Ended {
  readonly verdict: "passed" | "refused" | "failed";
  /** What it found, where it failed. */
  readonly message?: string;
}

/** What a process runs has a family, which messages name. */
interface Named {
  readonly family: string;
}

/** Runs cases, one at a time. */
export interface Runner<T extends Named = Case> {
  run(one: T): Promise<Ended>;
  /** In a process and on a device of its own. */
  runAlone(one: T): Promise<Ended>;
  /** The most memory that a process has had so far, in bytes. */
  readonly peakBytes: number;
  /** What the adapter calls itself. */
  readonly adapter: string;
  readonly kind: AdapterKind;
  close(): void;
}

/** What is allowed of a case, and of a process. */
export interface Limits {
  /** A case that computes longer, over all threads, hangs; and one that takes {@link PATIENCE} times as long. */
  readonly caseMs: number;
  /** A process that takes more is ended. */
  readonly bytes: number;
  /** Cases that one process runs. */
  readonly cases: number;
}

interface Worker {
  readonly process: ChildProcess;
  readonly ready: Ready;
  ran: number;
  exited: boolean;
  /** The last lines that it wrote to standard error. */
  tail: string;
  answer: ((answer: Answer | undefined) => void) | undefined;
}

/** How long a process may take to open its device. */
const OPEN_MS = 120_000;
const WATCH_MS = 250;
/** How many times as long as it may compute a case may take: the machine may have other things to do. */
const PATIENCE = 4;

/** Runs cases in processes that are begun anew after some, so that a crash, a hang or an adapter's memory ends only one of them. */
export async function startRunner<T extends Named = Case>(
  script: string,
  settings: readonly string[],
  limits: Limits,
): Promise<Runner<T>> {
  let peakBytes = 0;
  let number = 0;
  let worker: Worker | undefined = await startWorker(script, settings);
  const { ready, kind } = worker.ready;

  const stop = (one: Worker): void => {
    one.exited = true;
    one.process.kill("SIGKILL");
  };
  const workerOf = async (fresh: boolean): Promise<Worker> => {
    if (worker !== undefined && (fresh ? worker.ran > 0 : worker.ran >= limits.cases)) {
      stop(worker);
    }
    if (worker === undefined || worker.exited) {
      worker = await startWorker(script, settings);
    }
    return worker;
  };

  const ask = async (one: T, fresh: boolean): Promise<Ended> => {
    const own = await workerOf(fresh);
    own.ran++;
    const question: Question<T> = { number: ++number, one };
    let problem: string | undefined;
    const begun = Date.now();
    const before = (await usageOf(own.process.pid)).computedMs;
    const watch = setInterval(async () => {
      const { bytes, computedMs } = await usageOf(own.process.pid);
      const hangs = computedMs - before > limits.caseMs || Date.now() - begun > PATIENCE * limits.caseMs;
      peakBytes = Math.max(peakBytes, bytes);
      const fills = bytes > limits.bytes;
      if (own.answer !== undefined && problem === undefined && (hangs || fills)) {
        // What fills memory takes time for it, too.
        problem = fills
          ? fillsMemory(one, limits)
          : `${kindOf(one)} hangs: no end after ${limits.caseMs / 1000} s of CPU time`;
        stop(own);
      }
    }, WATCH_MS);
    const answer = await new Promise<Answer | undefined>((resolve) => {
      own.answer = resolve;
      own.process.send(question, (failure) => failure && resolve(undefined));
    });
    clearInterval(watch);
    own.answer = undefined;
    if (answer === undefined) {
      stop(own);
      return { verdict: "failed", message: problem ?? `${kindOf(one)} ends the process (${exitOf(own)})` };
    }
    peakBytes = Math.max(peakBytes, answer.peakBytes);
    if (answer.peakBytes > limits.bytes) {
      // It ended before anybody looked.
      stop(own);
      return { verdict: "failed", message: fillsMemory(one, limits) };
    }
    return answer.verdict === undefined
      ? { verdict: "failed", message: answer.fault ?? "it ended without a word" }
      : { verdict: answer.verdict };
  };
  return {
    run: (one) => ask(one, false),
    runAlone: (one) => ask(one, true),
    get peakBytes() {
      return peakBytes;
    },
    adapter: ready,
    kind,
    close() {
      if (worker !== undefined) {
        stop(worker);
      }
    },
  };
}

/** What a case is about, for the message where it has none of its own. */
const kindOf = (one: Named): string => {
  const { kind, slot, calls, method } = one as unknown as Partial<Record<string, unknown>>;
  const hazards = Array.isArray(calls)
    ? (calls as { hazard?: string }[]).map(({ hazard }) => hazard).filter((hazard) => hazard !== undefined)
    : [];
  return ["a case of", one.family, kind, slot, method, ...new Set(hazards)]
    .filter((word) => typeof word === "string")
    .join(" ");
};

const fillsMemory = (one: Named, { bytes }: Limits): string =>
  `${kindOf(one)} takes more than ${Math.round(bytes / 1e6)} MB of memory`;

const exitOf = ({ process: child, tail }: Worker): string =>
  `${child.signalCode ?? `exit code ${child.exitCode}`}${tail === "" ? "" : `: ${tail.replace(/\s+/g, " ").slice(-200)}`}`;

/** Begins a process, once its device is open. */
function startWorker(script: string, settings: readonly string[]): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const child = fork(script, ["--child", ...settings], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      serialization: "json",
      // Cases leave much behind that is short-lived.
      execArgv: [...process.execArgv, "--min-semi-space-size=64", "--max-semi-space-size=64"],
    });
    let worker: Worker | undefined;
    let tail = "";
    const timer = setTimeout(() => child.kill("SIGKILL"), OPEN_MS);
    child.stderr?.on("data", (chunk) => {
      tail = `${tail}${String(chunk)}`.slice(-2000);
      if (worker !== undefined) {
        worker.tail = tail;
      }
    });
    child.on("message", (message: Ready | NoDevice | Answer) => {
      if ("noDevice" in message) {
        tail = message.noDevice;
      } else if ("ready" in message) {
        clearTimeout(timer);
        worker = { process: child, ready: message, ran: 0, exited: false, tail, answer: undefined };
        resolve(worker);
      } else {
        worker?.answer?.(message);
      }
    });
    child.on("exit", () => {
      clearTimeout(timer);
      if (worker === undefined) {
        reject(new Error(`no device: ${tail.trim() || "the process ended before it had one"}`));
        return;
      }
      worker.exited = true;
      worker.answer?.(undefined);
    });
    child.on("error", reject);
  });
}

/** What a process has in memory now, and how long it has computed; nothing, where the system does not say. */
async function usageOf(pid: number | undefined): Promise<{ bytes: number; computedMs: number }> {
  try {
    const [memory, stat] = await Promise.all(
      ["statm", "stat"].map((name) => readFile(`/proc/${pid}/${name}`, "utf8")),
    );
    // Behind the command's name, which may have blanks: fields 14 and 15 are hundredths of a second.
    const fields = (stat ?? "").slice((stat ?? "").lastIndexOf(")") + 2).split(" ");
    return {
      bytes: Number((memory ?? "").split(" ")[1]) * 4096,
      computedMs: (Number(fields[11]) + Number(fields[12])) * 10,
    };
  } catch {
    return { bytes: 0, computedMs: 0 };
  }
}
