import process from "node:process";
import cliProgress from "cli-progress";
import { onExit } from "signal-exit";

const DELAY_MS = 1000;

/** Stages of work, shown on stderr once they take more than a second in all. */
export interface Progress {
  /** Starts a stage, or does one more step of it: `stage` is what the bar says. */
  step(stage: string): void;
  /** Says what goes on between two steps. The last step is then done. */
  between(stage: string): void;
  /** Takes the bar away until the next stage, so that a line can be printed. */
  hide(): void;
  stop(): void;
}

/** Bytes that were read, shown on stderr once they take more than a second. */
export interface ByteProgress {
  add(bytes: number): void;
  stop(): void;
}

const units = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

/** A number of bytes, as people read it. */
export function shownBytes(bytes: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const shown = bytes / 1000 ** step;
  return `${step === 0 || shown >= 100 ? Math.round(shown) : shown.toFixed(1)} ${units[step]}`;
}

/** A time in seconds, as people read it. */
export function shownTime(seconds: number): string {
  const whole = Math.ceil(seconds);
  const two = (part: number): string => String(part).padStart(2, "0");
  return whole < 3600
    ? `${Math.floor(whole / 60)}:${two(whole % 60)}`
    : `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}

/** What a bar says of bytes: how many are done, how many each second, and the time left where the end is known. */
export function shownRate(done: number, total: number | undefined, seconds: number): string {
  const rate = done / Math.max(seconds, 1e-3);
  const all = total === undefined ? "" : ` of ${shownBytes(total)}`;
  const left = total === undefined || rate === 0 ? "" : `, ${shownTime((total - done) / rate)} left`;
  return `${shownBytes(done)}${all}, ${shownBytes(rate)}/s${left}`;
}

/** A bar of `total` bytes, or of as many as come; where stderr is no terminal, nothing. */
export function startByteProgress(total: number | undefined): ByteProgress {
  if (!process.stderr.isTTY) {
    return { add: () => {}, stop: () => {} };
  }
  const bar = new cliProgress.SingleBar(
    {
      format: total === undefined ? "{stage}" : "{bar} {stage}",
      clearOnComplete: true,
      hideCursor: true,
    },
    cliProgress.Presets.shades_classic,
  );
  const start = performance.now();
  let done = 0;
  let forget: (() => void) | undefined;
  const stage = (): { readonly stage: string } => ({
    stage: shownRate(done, total, (performance.now() - start) / 1000),
  });
  const timer = setTimeout(() => {
    forget = onExit(() => bar.stop());
    bar.start(total ?? 1, done, stage());
  }, DELAY_MS);
  timer.unref();
  return {
    add(bytes) {
      done += bytes;
      if (forget !== undefined) {
        bar.update(total === undefined ? 0 : done, stage());
      }
    },
    stop() {
      clearTimeout(timer);
      if (forget !== undefined) {
        bar.stop();
        forget();
      }
    },
  };
}

/** How many steps are done, and what goes on. */
export function countSteps(): Pick<Progress, "step" | "between"> & {
  readonly done: number;
  readonly stage: string;
} {
  let done = 0;
  let isStep = false;
  let stage = "";
  const start = (next: string, nextIsStep: boolean): void => {
    done += isStep ? 1 : 0;
    isStep = nextIsStep;
    stage = next;
  };
  return {
    step: (next) => start(next, true),
    between: (next) => start(next, false),
    get done() {
      return done;
    },
    get stage() {
      return stage;
    },
  };
}

/** A bar of `total` steps; where stderr is no terminal, nothing. */
export function startProgress(total: number): Progress {
  if (!process.stderr.isTTY) {
    return { step: () => {}, between: () => {}, hide: () => {}, stop: () => {} };
  }
  const bar = new cliProgress.SingleBar(
    { format: "{bar} {value}/{total} {stage}", clearOnComplete: true, hideCursor: true },
    cliProgress.Presets.shades_classic,
  );
  const steps = countSteps();
  let isDue = false;
  let isShown = false;
  let forget = (): void => {};
  const show = (): void => {
    if (isShown) {
      bar.update(steps.done, { stage: steps.stage });
    } else if (isDue) {
      isShown = true;
      // The bar hides the cursor: a signal would leave it hidden.
      forget = onExit(() => bar.stop());
      bar.start(total, steps.done, { stage: steps.stage });
    }
  };
  const hide = (): void => {
    if (isShown) {
      isShown = false;
      bar.stop();
      forget();
    }
  };
  const timer = setTimeout(() => {
    isDue = true;
    show();
  }, DELAY_MS);
  timer.unref();
  return {
    step(next) {
      steps.step(next);
      show();
    },
    between(next) {
      steps.between(next);
      show();
    },
    hide,
    stop() {
      clearTimeout(timer);
      hide();
    },
  };
}
