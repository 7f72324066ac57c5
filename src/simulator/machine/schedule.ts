import type { FindingThread } from "../findings.ts";
import type { Machine } from "./machine.ts";
import { nameOfThread } from "./machine.ts";
import { type Picker, pickerOf, type Resident, type Running } from "./pickers.ts";
import { EndlessLoop, type WorkGroup } from "./work_group.ts";

/** A compiled kernel that runs one work-group after another. */
export interface Instance {
  readonly group: WorkGroup;
  /** Runs the work-group that `group.start` has begun. It returns undefined if it ran to its end. */
  run(): Running | undefined;
}

/** Without an end of any work-group, this many times the option `patience` is waiting for ever, too, even if memory changes. */
const LONGEST = 100;
/** To each waiting work-group, this many turns are given at least. */
const TURNS_EACH = 256;

/**
 * Runs all work-groups of a dispatch, several at a time, in the order of the machine's schedule. An instance runs one work-group after
 * another. If the work-groups wait for ever, that is a finding, and the dispatch ends.
 */
export function runDispatch(
  makeInstance: () => Instance,
  groups: readonly [number, number, number],
  machine: Machine,
): void {
  machine.beginDispatch(groups);
  const dispatch = new Dispatch(makeInstance, machine);
  try {
    dispatch.run();
  } catch (cause) {
    if (!(cause instanceof EndlessLoop)) {
      throw cause;
    }
  } finally {
    dispatch.end();
  }
}

class Dispatch {
  readonly #makeInstance: () => Instance;
  readonly #machine: Machine;
  readonly #total: number;
  readonly #picker: Picker;
  /** Which index starts as which: undefined if that is the order, or its reverse. */
  readonly #startOrder: Int32Array | undefined;
  #started = 0;
  /** In the order in which they started. */
  readonly #residents: Resident[] = [];
  /** Instances that run no work-group. */
  readonly #free: Instance[] = [];
  /** Turns since storage memory changed or a work-group ended. */
  #idleTurns = 0;
  /** Turns since a work-group ended. */
  #turns = 0;

  constructor(makeInstance: () => Instance, machine: Machine) {
    const [x, y, z] = machine.groups;
    this.#makeInstance = makeInstance;
    this.#machine = machine;
    this.#total = x * y * z;
    this.#picker = pickerOf(machine);
    this.#startOrder = startOrder(machine, this.#total);
  }

  run(): void {
    this.#startWhatFits();
    while (this.#residents.length > 0) {
      this.#giveTurn(this.#picker.pick(this.#residents));
      if (this.#waitsForEver()) {
        this.#report();
        return;
      }
    }
  }

  /** Ends what still runs. */
  end(): void {
    for (const { running } of this.#residents) {
      running.return();
    }
    this.#residents.length = 0;
  }

  #startWhatFits(): void {
    const { residentGroups } = this.#machine.options;
    while (this.#residents.length < residentGroups && this.#started < this.#total) {
      this.#startNext();
    }
  }

  #startNext(): void {
    const machine = this.#machine;
    const index = this.#indexOf(this.#started++);
    const instance = this.#free.pop() ?? this.#makeInstance();
    instance.group.start(index, machine.idOf(index), machine.groups);
    const running = instance.run();
    if (running === undefined) {
      this.#free.push(instance);
    } else {
      const resident = { instance, running, site: -1, idleTurns: 0, turns: 0, priority: 0 };
      this.#residents.push(resident);
      this.#picker.start(resident);
    }
  }

  /** The index of the work-group that starts as this one in order. */
  #indexOf(start: number): number {
    if (this.#startOrder !== undefined) {
      return this.#startOrder[start] as number;
    }
    return this.#machine.options.schedule === "reversed" ? this.#total - 1 - start : start;
  }

  #giveTurn(resident: Resident): void {
    const machine = this.#machine;
    const { changes } = machine;
    const { done, value } = resident.running.next();
    this.#turns++;
    resident.turns++;
    if (machine.changes === changes) {
      this.#idleTurns++;
      resident.idleTurns++;
    } else {
      this.#idleTurns = 0;
      resident.idleTurns = 0;
    }
    if (done) {
      this.#finish(resident);
    } else {
      resident.site = value;
    }
  }

  #finish(resident: Resident): void {
    this.#idleTurns = 0;
    this.#turns = 0;
    this.#residents.splice(this.#residents.indexOf(resident), 1);
    this.#free.push(resident.instance);
    this.#startWhatFits();
  }

  #waitsForEver(): boolean {
    const patience = this.#machine.options.patience + TURNS_EACH * this.#residents.length;
    return this.#idleTurns > patience || this.#turns > LONGEST * patience;
  }

  /** Reports each place where work-groups wait. */
  #report(): void {
    const sites = new Set(this.#residents.map(({ site }) => site));
    for (const site of sites) {
      this.#reportAt(site, this.#residents.filter((resident) => resident.site === site).map(groupOf));
    }
  }

  #reportAt(site: number, groups: readonly FindingThread[]): void {
    const machine = this.#machine;
    const most = 3;
    const names = groups.slice(0, most).map(nameOfThread).join(", ");
    const more = groups.length > most ? ` and ${groups.length - most} more` : "";
    const waits = groups.length === 1 ? "waits" : "wait";
    const turns =
      this.#idleTurns > machine.options.patience
        ? `no work-group ended and no word of storage memory changed in ${this.#idleTurns} turns`
        : `no work-group ended in ${this.#turns} turns`;
    const left = this.#total - this.#started;
    const others = left === 0 ? "" : `; ${left} of ${this.#total} work-groups had not started`;
    machine.report(
      "stuck",
      site,
      `${names}${more} ${waits} for ever at ${machine.nameOfSite(site)}: ${turns}${others}`,
      groups,
    );
  }
}

const groupOf = ({ instance }: Resident): FindingThread => {
  const { id } = instance.group;
  return { workGroup: [id[0] as number, id[1] as number, id[2] as number] };
};

/** The order in which work-groups start, where that is left to chance. */
function startOrder(machine: Machine, total: number): Int32Array | undefined {
  const { schedule } = machine.options;
  if (schedule !== "random" && schedule !== "priorities") {
    return undefined;
  }
  const order = Int32Array.from({ length: total }, (_, index) => index);
  machine.random.shuffle(order, total);
  return order;
}
