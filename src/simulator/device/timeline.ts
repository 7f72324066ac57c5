/** What a device has to do, in order. It is done in a microtask, so that results and errors come as late as from a GPU. */
export class Timeline {
  readonly #jobs: (() => void)[] = [];
  #isScheduled = false;
  readonly #onFault: (cause: unknown) => void;

  /** `onFault` is told what a job throws. The jobs after it are still done. */
  constructor(onFault: (cause: unknown) => void) {
    this.#onFault = onFault;
  }

  add(job: () => void): void {
    this.#jobs.push(job);
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      queueMicrotask(() => this.#run());
    }
  }

  /** Resolves when all that was added before is done. */
  done(): Promise<undefined> {
    return new Promise((resolve) => this.add(() => resolve(undefined)));
  }

  #run(): void {
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) {
      try {
        job();
      } catch (cause) {
        this.#onFault(cause);
      }
    }
    this.#isScheduled = false;
  }
}
