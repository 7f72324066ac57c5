import type { SimulatedBuffer } from "./buffer.ts";
import type { Command } from "./commands.ts";
import type { Core } from "./core.ts";
import { DeviceObject, firstOf, nameOf } from "./device_object.ts";
import type { SimulatedQuerySet } from "./query_set.ts";

type State = "open" | "locked" | "ended";

/** What commands use: it must be there when they are submitted. */
export type Used = SimulatedBuffer | SimulatedQuerySet;

/** What encoders and passes have in common: https://www.w3.org/TR/webgpu/#gpucommandsmixin. */
export abstract class Recorder extends DeviceObject {
  state: State = "open";
  readonly commands: Command[] = [];
  readonly used = new Set<Used>();
  /** The first thing that was wrong. `finish()` reports it. */
  problem: string | undefined;
  #debugGroups = 0;

  constructor(core: Core, descriptor: GPUObjectDescriptorBase | undefined) {
    super(core, descriptor);
  }

  invalidate(problem: string): void {
    this.isValid = false;
    this.problem ??= problem;
  }

  /** Whether a command can be recorded now. */
  canRecord(caller: string): boolean {
    if (this.state === "locked") {
      this.invalidate(`${caller}: a pass of ${nameOf(this)} has not ended`);
    } else if (this.state === "ended") {
      this.core.report("validation", `${caller}: ${nameOf(this)} has ended`);
    }
    return this.state === "open";
  }

  /** Records a command, unless there are problems. */
  record(caller: string, problems: Iterable<string | undefined>, command: () => Command | undefined): void {
    if (!this.canRecord(caller)) {
      return;
    }
    const problem = firstOf(problems);
    if (problem !== undefined) {
      this.invalidate(`${caller}: ${problem}`);
      return;
    }
    const made = command();
    if (made) {
      this.commands.push(made);
    }
  }

  pushDebugGroup(groupLabel: string): undefined {
    this.record(`pushDebugGroup ${JSON.stringify(String(groupLabel))}`, [], () => {
      this.#debugGroups++;
      return undefined;
    });
    return undefined;
  }

  popDebugGroup(): undefined {
    const none = this.#debugGroups === 0 ? "there is no debug group" : undefined;
    this.record("popDebugGroup", [none], () => {
      this.#debugGroups--;
      return undefined;
    });
    return undefined;
  }

  insertDebugMarker(markerLabel: string): undefined {
    this.record(`insertDebugMarker ${JSON.stringify(String(markerLabel))}`, [], () => undefined);
    return undefined;
  }

  /** Why it cannot end as it is; undefined if it can. */
  get endProblem(): string | undefined {
    if (!this.isValid) {
      return this.problem ?? `${nameOf(this)} is invalid`;
    }
    return this.#debugGroups > 0 ? `${nameOf(this)} has a debug group that has not ended` : undefined;
  }
}
