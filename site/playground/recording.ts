import type { Finding, TraceEvent } from "../../src/simulator/index.ts";
import type { Cell } from "./cells.ts";

/** A variable whose memory the page shows. */
export interface ShownVariable {
  readonly name: string;
  readonly memory: "work-group" | "buffer";
  /** Its type, as the text has it. */
  readonly type: string;
  readonly isWritten: boolean;
  readonly cells: readonly Cell[];
  /** The words before the kernel runs. */
  readonly words: readonly number[];
}

/** An event without what is the same in all. */
export type ShownEvent = Omit<TraceEvent, "file" | "entryPoint">;

/** A finding, and when it was. */
export interface ShownFinding extends Finding {
  /** The index of the event that it is about. It is the number of events if it is about none. */
  readonly at: number;
  /** The other of the two events of a race. */
  readonly other?: number;
}

/** What a kernel did. */
export interface Recording {
  readonly variables: readonly ShownVariable[];
  readonly events: readonly ShownEvent[];
  /** How many events there were. All after the first ones are left out. */
  readonly total: number;
  readonly findings: readonly ShownFinding[];
  readonly threads: number;
  readonly groups: readonly [number, number, number];
  readonly entryPoints: readonly string[];
}

/** Why a kernel did not run. */
export interface Fault {
  readonly message: string;
  /** 0: no line of the text. */
  readonly line: number;
  readonly entryPoints: readonly string[];
}

export type Outcome =
  | { readonly kind: "ran"; readonly recording: Recording }
  | { readonly kind: "fault"; readonly fault: Fault };
