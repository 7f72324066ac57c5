// The buffers and plans that calls have left for the next calls, and how they are let go.

/** How many buffers are kept. Each call looks through all of them. */
const MOST_BUFFERS = 512;

/** The most plans that are kept, and the most calls under way. A short call waits sooner than a new plan and its buffers are made. */
export const MOST_PLANS = 16;

/** A compiled plan. A call at hand takes it out, so that one call at a time uses it. Any number of calls on the GPU may use one plan. */
export interface KeptPlan {
  /** Two calls with the same key may use the same plan. */
  readonly key: string;
  /** The keys of its pipelines. */
  readonly pipelines: readonly string[];
  destroy(): void;
}

/** A kept buffer, and facts of it that never change. It takes longer to ask the buffer than to remember them. */
export interface KeptBuffer {
  readonly buffer: GPUBuffer;
  readonly size: number;
  readonly usage: number;
}

/** The buffers and plans that a device's calls have left for the next ones, and the calls under way. */
export interface Kept {
  /** The most bytes that the buffers of calls under way and the kept buffers have together. */
  mostBytes: number;
  /** How many calls are under way. */
  calls: number;
  /** Bytes of the buffers that they may take. */
  usedBytes: number;
  /** The keys of the plans that they use. */
  readonly busy: Set<string | undefined>;
  /**
   * The calls that wait, in the order in which they came. Each function starts its call. It returns false if there are no bytes for the
   * call, and undefined if the call's plan is in use.
   */
  readonly waiting: (() => boolean | undefined)[];
  /** Bytes that go from or to the CPU at once: the staging memory of a call is a few pieces, however long its arrays are. */
  pieceBytes: number;
  /** Arrays of more bytes go through the device in pieces, also if a buffer would hold them: see bench/LOG.md. */
  longBytes: number;
  /** The buffers that were kept last are at the end. A buffer that is written from the CPU is mapped. */
  readonly buffers: KeptBuffer[];
  readonly plans: KeptPlan[];
}

/**
 * Destroys buffers, the longest unused first, until at most `most` bytes and not too many buffers are left: as many bytes as calls under way
 * leave, if none are given.
 */
export function letGoOfBuffers(kept: Kept, most = kept.mostBytes - kept.usedBytes): void {
  const { buffers } = kept;
  let bytes = 0;
  for (const { size } of buffers) {
    bytes += size;
  }
  while (buffers[0] && (bytes > most || buffers.length > MOST_BUFFERS)) {
    bytes -= buffers[0].size;
    buffers.shift()?.buffer.destroy();
  }
}

/** Keeps a plan, if its pipelines are kept, too. Of plans that are too many, the one that was left first is destroyed. */
export function keepPlan({ plans }: Kept, plan: KeptPlan, pipelines: ReadonlyMap<string, unknown>): void {
  if (!plan.pipelines.every((key) => pipelines.has(key))) {
    plan.destroy();
  } else if (plans.push(plan) > MOST_PLANS) {
    plans.shift()?.destroy();
  }
}

/** Destroys plans that lack a pipeline. */
export function letGoOfPlans(kept: Kept, pipelines: ReadonlyMap<string, unknown>): void {
  for (const one of kept.plans.splice(0)) {
    keepPlan(kept, one, pipelines);
  }
}
