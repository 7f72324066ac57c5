/** What a finding is about. */
export type FindingKind =
  /** Two threads access one location, at least one of them writes, and nothing orders them. */
  | "race"
  /** Only some of the threads that must go together reach a barrier or a subgroup function. */
  | "divergence"
  /** An index is past the end of an array. */
  | "out-of-bounds"
  /** Work-groups wait, and none is left that could end their waiting. */
  | "stuck"
  /** A thread reads memory that nothing has written. */
  | "uninitialized"
  /** A thread loads or stores an atomic of work-group memory that another one changes, and no barrier says which comes first. */
  | "unordered"
  /** What a dispatch stores depends on how many lanes subgroups have. */
  | "subgroup-size"
  /** What a dispatch stores depends on which threads are which lanes. Only `checkKernel` finds it. */
  | "lane-order"
  /** Of the simulator and of another GPU beside it, only one takes a call. */
  | "validation";

/** A thread that a finding is about. */
export interface FindingThread {
  /** The `workgroup_id` of its work-group. */
  readonly workGroup: readonly [number, number, number];
  /** Its `local_invocation_index`. It is left out where the finding is about the whole work-group. */
  readonly thread?: number;
}

/** A fault that the simulator saw, most often while a kernel ran. Faults at the same places of a text are told once for each dispatch. */
export interface Finding {
  /** What it is about. */
  readonly kind: FindingKind;
  /** The label of the shader module. Of the kind `"validation"`, of what the call makes, or is called on. */
  readonly file: string;
  /** The line of the module's text where it was seen, from 1. It is 0 if no line is known. */
  readonly line: number;
  /** The column there, from 1. It is 0 if no line is known. */
  readonly column: number;
  /** Of two accesses, the line of the earlier one. It is left out of findings that have one place. */
  readonly otherLine?: number;
  /** The function in which it was seen, if that was linked to the caller's text: the line is that of its call. Only `checkKernel` tells it. */
  readonly called?: string;
  /** The entry point that ran. Empty if none did. */
  readonly entryPoint: string;
  /** The threads between which it was seen, or the first of them. */
  readonly threads: readonly FindingThread[];
  /** What happened, in a sentence: with the lines, the memory and the threads. */
  readonly message: string;
}
