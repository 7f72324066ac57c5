/** What a traced event is. */
export type TraceKind =
  /** A work-group starts. Its memory is zeros. */
  | "start"
  /** A thread reads memory. */
  | "read"
  /** A thread writes memory. */
  | "write"
  /** A thread loads an atomic. */
  | "atomic load"
  /** A thread stores an atomic, or changes it. */
  | "atomic change"
  /** Threads meet at a barrier. `memory` says what it orders. */
  | "barrier"
  /** Threads call a function of a subgroup. */
  | "subgroup";

/** Something that a kernel did while it ran, as the option `trace` tells it. */
export interface TraceEvent {
  /** What happens. */
  readonly kind: TraceKind;
  /** The label of the shader module. */
  readonly file: string;
  /** The name of the entry point that runs. */
  readonly entryPoint: string;
  /** The line of the module's text, from 1. It is 0 when a work-group starts. */
  readonly line: number;
  /** The `workgroup_id`. */
  readonly workGroup: readonly [number, number, number];
  /** The `local_invocation_index` of each thread that does it. One thread reads, writes or changes memory. */
  readonly threads: readonly number[];
  /** Which memory it is about: that of the work-group, or a buffer. Empty if it is about none. */
  readonly memory: "work-group" | "buffer" | "";
  /** The variable's name. Empty if it is about none. */
  readonly variable: string;
  /**
   * The first word, from the start of the variable. In buffers, a word has 4 bytes, and an f16 is told as the word around it. In work-group memory,
   * each scalar is a word.
   */
  readonly index: number;
  /**
   * The bits of the words, each as an unsigned number: those that were read, or those that are there afterwards. Of a function of a subgroup, a
   * result for each of the threads.
   */
  readonly values: readonly number[];
}
