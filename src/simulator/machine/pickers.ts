import type { Schedule } from "../options.ts";
import type { Machine } from "./machine.ts";
import type { WorkGroup } from "./work_group.ts";

/** What a work-group does, up to the place of the text before each atomic operation on storage memory. */
export type Running = Pick<Generator<number, void, void>, "next" | "return">;

/** A work-group that has started and has not ended. */
export interface Resident {
  readonly instance: { readonly group: WorkGroup; run(): Running | undefined };
  readonly running: Running;
  /** The place before which it stopped; −1 before its first turn. */
  site: number;
  /** Its turns in a row in which it changed no storage memory. */
  idleTurns: number;
  /** Its turns. Pickers may count from 0 again. */
  turns: number;
  priority: number;
}

/** Decides who goes on. */
export interface Picker {
  /** Is told of each that starts. */
  start(resident: Resident): void;
  /** Which of these goes on: at least one, in the order in which they started. */
  pick(residents: readonly Resident[]): Resident;
}

/** A work-group that changes nothing in so many turns in a row seems to wait. */
const SEEMS_TO_WAIT = 32;
/** After so many turns in a row, others have theirs. */
const LONGEST_SLICE = 4096;
/** A starved work-group has a turn after so many turns of the others without a change for each of them, or so many at all. */
const STARVED_IDLE_TURNS = 64;
const STARVED_TURNS = 16_384;
/** The first change of priorities is after this many turns at most; the time between two then doubles. */
const FIRST_CHANGE = 16;

/** Whether others should go on now, if there are any. */
const isOver = ({ idleTurns, turns }: Resident): boolean =>
  idleTurns >= SEEMS_TO_WAIT || turns >= LONGEST_SLICE;

function beginSlice(resident: Resident): Resident {
  resident.idleTurns = 0;
  resident.turns = 0;
  return resident;
}

/** The picker of the machine's schedule. */
export const pickerOf = (machine: Machine): Picker => pickers[machine.options.schedule](machine);

const pickers = {
  "in order": () => new InTurn(),
  reversed: () => new InTurn(),
  random: (machine) => new AtRandom(machine),
  priorities: (machine) => new ByPriority(machine),
  starve: (machine) => new Starving(machine),
} satisfies Record<Schedule, (machine: Machine) => Picker>;

/** The first that started goes on until it ends or its time is over, then the next. */
class InTurn implements Picker {
  #current: Resident | undefined;

  start(): void {}

  pick(residents: readonly Resident[], skipped?: Resident): Resident {
    const at = this.#current === undefined ? -1 : residents.indexOf(this.#current);
    const current = residents[at];
    if (current !== undefined && !isOver(current) && current !== skipped) {
      return current;
    }
    // If the current one has ended, it is the first one's turn.
    let next = (at + 1) % residents.length;
    if (residents[next] === skipped) {
      next = (next + 1) % residents.length;
    }
    this.#current = residents[next] as Resident;
    return beginSlice(this.#current);
  }
}

class AtRandom implements Picker {
  readonly #machine: Machine;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  start(): void {}

  pick(residents: readonly Resident[]): Resident {
    return residents[this.#machine.random.below(residents.length)] as Resident;
  }
}

/** The highest priority goes on. It becomes the lowest when it seems to wait, and at a few random times. */
class ByPriority implements Picker {
  readonly #machine: Machine;
  #lowest = 0;
  #untilChange: number;
  #longestTime = FIRST_CHANGE;

  constructor(machine: Machine) {
    this.#machine = machine;
    this.#untilChange = machine.random.below(FIRST_CHANGE);
  }

  start(resident: Resident): void {
    resident.priority = this.#machine.random.next() >>> 1;
  }

  pick(residents: readonly Resident[]): Resident {
    let highest = this.#highest(residents);
    if (isOver(highest) || this.#changesNow()) {
      highest.priority = --this.#lowest;
      highest = beginSlice(this.#highest(residents));
    }
    return highest;
  }

  #highest(residents: readonly Resident[]): Resident {
    let highest = residents[0] as Resident;
    for (const resident of residents) {
      highest = resident.priority > highest.priority ? resident : highest;
    }
    return highest;
  }

  #changesNow(): boolean {
    if (this.#untilChange-- > 0) {
      return false;
    }
    this.#longestTime *= 2;
    this.#untilChange = this.#machine.random.below(Math.min(this.#longestTime, 2 ** 30));
    return true;
  }
}

/** The others go on in turn; one of them only if no other can, or after many turns. When it has ended, another is chosen. */
class Starving implements Picker {
  readonly #machine: Machine;
  readonly #others = new InTurn();
  #starved: Resident | undefined;
  #changes = 0;
  #residents = 0;
  /** Turns since memory changed, or a work-group started or ended. */
  #idleTurns = 0;
  #turns = 0;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  start(): void {
    this.#idleTurns = 0;
  }

  pick(residents: readonly Resident[]): Resident {
    const starved = this.#starvedOf(residents);
    this.#count(residents.length);
    const isItsTurn =
      residents.length === 1 ||
      this.#idleTurns > STARVED_IDLE_TURNS * (residents.length - 1) ||
      this.#turns > STARVED_TURNS;
    if (!isItsTurn) {
      return this.#others.pick(residents, starved);
    }
    this.#turns = 0;
    if (isOver(starved)) {
      // It waits, too: the others have turns again.
      this.#idleTurns = 0;
      beginSlice(starved);
    }
    return starved;
  }

  #starvedOf(residents: readonly Resident[]): Resident {
    if (this.#starved === undefined || !residents.includes(this.#starved)) {
      this.#starved = residents[this.#machine.random.below(residents.length)] as Resident;
    }
    return this.#starved;
  }

  #count(residents: number): void {
    const { changes } = this.#machine;
    const isIdle = changes === this.#changes && residents === this.#residents;
    this.#turns++;
    this.#idleTurns = isIdle ? this.#idleTurns + 1 : 0;
    this.#changes = changes;
    this.#residents = residents;
  }
}
