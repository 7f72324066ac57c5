import { refuse } from "../../src/errors.ts";

/** The operator of a trace, on any values. A trace keeps their order. */
export interface Combining<T> {
  readonly identity: T;
  combine(earlier: T, later: T): T;
}

/**
 * What happens at one place in one step: it becomes the identity, one value moves there, or two values are combined there.
 */
export interface Move {
  readonly to: number;
  /** The places that the values come from: none (the place becomes the identity), one, or the earlier and the later one. */
  readonly from: readonly [] | readonly [number] | readonly [earlier: number, later: number];
}

/** One step of an algorithm on work-group memory. Places that no move names keep their value. */
export interface TreeStep<T> {
  readonly phase: "load" | "up-sweep" | "clear" | "down-sweep" | "combine" | "shift" | "result";
  /** How far apart the values are that the step combines; 0 if it combines none. */
  readonly distance: number;
  readonly moves: readonly Move[];
  /** Whether each place combines its value with its own element, which comes after the value. */
  readonly withElements: boolean;
  /** All places after the step. They start as the elements, followed by the identity up to a power of two. */
  readonly cells: readonly T[];
}

/** Which prefixes a trace ends with. */
export interface TreeOptions {
  /** Whether a prefix leaves out the element at its own place. */
  readonly exclusive?: boolean;
}

const applied = <T>(
  cells: readonly T[],
  moves: readonly Move[],
  { identity, combine }: Combining<T>,
): T[] => {
  const next = [...cells];
  for (const { to, from } of moves) {
    const [first, second] = from.map((place) => cells[place] as T);
    next[to] =
      from.length === 0 ? identity : from.length === 1 ? (first as T) : combine(first as T, second as T);
  }
  return next;
};

/**
 * Carries out shaders/work_group/blelloch.wgsl, step by step: totals are combined up a binary tree,
 * and prefixes handed down it.
 *
 * @returns the prefixes.
 *
 * @example
 * ```ts
 * const sum = { identity: 0, combine: (earlier: number, later: number) => earlier + later };
 * const steps = [...blellochSteps([3, 1, 7, 0], sum)];
 * Array.from(steps, ({ phase }) => phase); // ["load", "up-sweep", "up-sweep", "clear", "down-sweep", "down-sweep"]
 * steps.at(-1)?.cells; // 0 3 4 11
 * ```
 */
export function* blellochSteps<T>(
  elements: readonly T[],
  combining: Combining<T>,
  { exclusive = true }: TreeOptions = {},
): Generator<TreeStep<T>, T[]> {
  if (elements.length === 0) {
    return [];
  }
  const { identity, combine } = combining;
  const leaves = 2 ** Math.ceil(Math.log2(elements.length));
  let cells = Array.from({ length: leaves }, (_, place) =>
    place < elements.length ? (elements[place] as T) : identity,
  );
  const step = (phase: TreeStep<T>["phase"], distance: number, moves: readonly Move[]): TreeStep<T> => {
    cells = applied(cells, moves, combining);
    return { phase, distance, moves, withElements: false, cells };
  };
  yield step("load", 0, []);
  for (let half = 1; half < leaves; half *= 2) {
    const moves: Move[] = [];
    for (let right = 2 * half - 1; right < leaves; right += 2 * half) {
      moves.push({ to: right, from: [right - half, right] });
    }
    yield step("up-sweep", half, moves);
  }
  yield step("clear", 0, [{ to: leaves - 1, from: [] }]);
  for (let half = leaves / 2; half >= 1; half /= 2) {
    const moves: Move[] = [];
    for (let right = 2 * half - 1; right < leaves; right += 2 * half) {
      // The prefix comes before the left total: it stands for what is further left.
      moves.push({ to: right - half, from: [right] }, { to: right, from: [right, right - half] });
    }
    yield step("down-sweep", half, moves);
  }
  if (!exclusive) {
    cells = cells.map((prefix, place) =>
      place < elements.length ? combine(prefix, elements[place] as T) : prefix,
    );
    const moves = elements.map((_, to): Move => ({ to, from: [to] }));
    yield { phase: "result", distance: 0, moves, withElements: true, cells };
  }
  return cells.slice(0, elements.length);
}

/**
 * Carries out shaders/work_group/hillis_steele.wgsl, step by step: each value is combined with the one
 * 1, 2, 4 … places before it.
 *
 * @returns the prefixes.
 */
export function* hillisSteeleSteps<T>(
  elements: readonly T[],
  combining: Combining<T>,
  { exclusive = false }: TreeOptions = {},
): Generator<TreeStep<T>, T[]> {
  let cells = [...elements];
  const step = (phase: TreeStep<T>["phase"], distance: number, moves: readonly Move[]): TreeStep<T> => {
    cells = applied(cells, moves, combining);
    return { phase, distance, moves, withElements: false, cells };
  };
  if (elements.length > 0) {
    yield step("load", 0, []);
  }
  for (let distance = 1; distance < elements.length; distance *= 2) {
    const moves: Move[] = [];
    for (let to = distance; to < elements.length; to++) {
      moves.push({ to, from: [to - distance, to] });
    }
    yield step("combine", distance, moves);
  }
  if (exclusive && elements.length > 0) {
    yield step(
      "shift",
      0,
      elements.map((_, to): Move => ({ to, from: to === 0 ? [] : [to - 1] })),
    );
  }
  return cells;
}

/** An entry of the spine: a tile's total; or a group's carry, which is what comes before the group. */
export interface SpineEntry {
  readonly kind: "total" | "carry";
  readonly index: number;
  /** Whether it lies in the second place of the entry, where tiles hand on what is another tile's. */
  readonly apart?: true;
}

/** How far a tile is. */
export type TileState = "not started" | "running" | "waiting" | "stuck" | "done";

/** The values of entries, by index; undefined if none is handed on. Group 0 has no carry. */
export type Spine<T> = Readonly<Record<SpineEntry["kind"], readonly (T | undefined)[]>>;

/** One turn of one tile in a single-pass scan. */
export interface LookBackStep<T> {
  readonly tile: number;
  /**
   * `start`: it takes a slot. `stick`: it takes no more turns until no other tile can. `hand on`: an
   * entry of its own. `wait`: a total of the group that it looks at is not there; for the farthest group, a total or the
   * carry. `go on`: the totals are there and the carry is not, so it looks at the group before
   * next. `read`: everything is there, so its own carry is known. `give up`: it has waited long enough, and
   * begins again at the nearest group whose carry is there, or at the first one. `fall back`: it computes what is missing,
   * and hands it on in the second place. `finish`: it writes its prefixes.
   */
  readonly action:
    | "start"
    | "stick"
    | "hand on"
    | "wait"
    | "go on"
    | "read"
    | "give up"
    | "fall back"
    | "finish";
  /** The group that it looks at; undefined if it looks at none. */
  readonly group: number | undefined;
  /** Entries that it hands on, finds there, or does not find, in this turn. */
  readonly handedOn: readonly SpineEntry[];
  readonly read: readonly SpineEntry[];
  readonly missing: readonly SpineEntry[];
  /** Entries that it read in earlier turns and still needs. */
  readonly held: readonly SpineEntry[];
  /** Tiles whose items it reads from the input to fall back. */
  readonly inputs: readonly number[];
  /** The entries after this turn: those that the owners handed on, and those in second places, which others handed on. */
  readonly spine: Spine<T>;
  readonly apart: Spine<T>;
  /** Each tile's carry; undefined while it is not known, and if nothing comes before the tile. */
  readonly carries: readonly (T | undefined)[];
  readonly states: readonly TileState[];
  /** The prefixes that are written so far. */
  readonly outputs: readonly (T | undefined)[];
}

/** How a single-pass scan is carried out. */
export interface LookBackOptions {
  readonly exclusive?: boolean;
  /** Items of a tile. The default is 1. */
  readonly tileSize?: number;
  /** Tiles of a group. The default is 4. */
  readonly fanOut?: number;
  /** Groups that a tile looks through, its own among them. The default is 32. */
  readonly mostGroups?: number;
  /** Tiles that run at the same time. The default is all. */
  readonly slots?: number;
  /** How often a tile looks at a group in vain before it falls back. The default is 3. */
  readonly patience?: number;
  /**
   * Decides at random in which order the tiles start, and which of the running tiles has the next turn. Without a seed,
   * both go in order.
   */
  readonly seed?: number;
  /** Tiles that stop after their start, until no other can go on. */
  readonly stuck?: Iterable<number>;
}

/** Mulberry32: numbers from 0 up to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Carries out shaders/device/look_back/look_back.wgsl: a scan in a single pass over tiles. Each step is a turn of one tile,
 * which reads one group after another. A tile hands on its total, and the last tile of a group also hands on the next
 * group's carry. A tile looks at its own group's totals and carry. As long as the totals are there and the carry is not, it
 * goes on to the group before. Its own carry is the combination of these, in order: the carry that it found; for each group
 * from there on, the combined totals of all tiles but the last, and then the total of the last; and the combined totals of
 * the tiles before it in its own group. The grouping is the same wherever the carry was found. No tile waits for ever:
 * after it has looked at a group `patience` times in vain, it computes what is missing, in the same order.
 *
 * @returns the prefixes.
 * @throws {ArgumentError} when an option means nothing.
 *
 * @example
 * ```ts
 * const sum = { identity: 0, combine: (earlier: number, later: number) => earlier + later };
 * const steps = [...lookBackSteps([3, 1], sum)];
 * Array.from(steps, ({ tile }) => tile); // 0 1 0 1 0 1 1
 * Array.from(steps, ({ action }) => action); // ["start", "start", "hand on", "hand on", "finish", "read", "finish"]
 * ```
 */
export function* lookBackSteps<T>(
  elements: readonly T[],
  { combine, identity }: Combining<T>,
  options: LookBackOptions = {},
): Generator<LookBackStep<T>, T[]> {
  const { exclusive = false, tileSize = 1, fanOut = 4, mostGroups = 32, patience = 3, seed } = options;
  const tiles = Math.ceil(elements.length / tileSize);
  const { slots = Math.max(1, tiles) } = options;
  for (const [name, value] of Object.entries({ tileSize, fanOut, mostGroups, slots, patience })) {
    if (!Number.isInteger(value) || value < 1) {
      refuse("lookBackSteps", name, value, "a whole number from 1 up");
    }
  }
  const stuck = new Set(options.stuck);
  const groups = Math.ceil(tiles / fanOut);
  const empty = (): Record<SpineEntry["kind"], (T | undefined)[]> => ({
    total: new Array(tiles).fill(undefined),
    carry: new Array(groups).fill(undefined),
  });
  const spine = empty();
  const apart = empty();
  const carries = new Array<T | undefined>(tiles).fill(undefined);
  const states = new Array<TileState>(tiles).fill("not started");
  const outputs = new Array<T | undefined>(elements.length).fill(undefined);

  const itemsOf = (tile: number): readonly T[] => elements.slice(tile * tileSize, (tile + 1) * tileSize);
  /** The combination of two values. If only one is there, that one: nothing comes before the first tile. */
  const join = (earlier: T | undefined, later: T | undefined): T | undefined =>
    earlier === undefined || later === undefined ? (earlier ?? later) : combine(earlier, later);
  const fold = (values: readonly (T | undefined)[]): T | undefined => values.reduce(join, undefined);
  /** The totals of a group that come before a tile. */
  const totalsBefore = (tile: number, group: number): SpineEntry[] =>
    Array.from({ length: Math.min(fanOut, tile - group * fanOut) }, (_, member) => ({
      kind: "total",
      index: group * fanOut + member,
    }));
  const valueIn = ({ kind, index, apart: isApart }: SpineEntry): T | undefined =>
    (isApart ? apart : spine)[kind][index];
  const inApart = (entry: SpineEntry): SpineEntry => ({ ...entry, apart: true });
  /** The place in which an entry is. Its owner's place is looked at first. */
  const placeOf = (entry: SpineEntry): SpineEntry | undefined =>
    [entry, inApart(entry)].find((place) => valueIn(place) !== undefined);

  const copyOf = (one: Spine<T>): Spine<T> => ({ total: [...one.total], carry: [...one.carry] });
  const step = (
    tile: number,
    action: LookBackStep<T>["action"],
    details: Partial<LookBackStep<T>> = {},
  ): LookBackStep<T> => ({
    tile,
    action,
    group: undefined,
    handedOn: [],
    read: [],
    missing: [],
    held: [],
    inputs: [],
    ...details,
    spine: copyOf(spine),
    apart: copyOf(apart),
    carries: [...carries],
    states: [...states],
    outputs: [...outputs],
  });
  const handOn = (tile: number, entry: SpineEntry, value: T | undefined): LookBackStep<T> => {
    spine[entry.kind][entry.index] = value;
    return step(tile, "hand on", { handedOn: [entry] });
  };

  /** Combines what comes before a group with the group's totals. The totals of all tiles but the last are combined first. */
  const joinGroup = (before: T | undefined, totals: readonly (T | undefined)[]): T | undefined =>
    join(join(before, fold(totals.slice(0, fanOut - 1))), totals[fanOut - 1]);

  /** Reads groups backwards from the tile's own, until a carry is there. */
  function* lookBack(tile: number): Generator<LookBackStep<T>, void> {
    const own = Math.floor(tile / fanOut);
    const totalsOfGroups: (T | undefined)[][] = [];
    let held: readonly SpineEntry[] = [];
    for (let group = own; ; group--) {
      const totals = totalsBefore(tile, group);
      // Nothing comes before group 0.
      const carry: readonly SpineEntry[] = group > 0 ? [{ kind: "carry", index: group }] : [];
      const needed = own - group === mostGroups - 1 ? [...totals, ...carry] : totals;
      const found = new Map<SpineEntry, T>();
      const missingOf = (entries: readonly SpineEntry[]): SpineEntry[] =>
        entries.filter((one) => !found.has(one));
      for (let looks = 0; ; looks++) {
        const read: SpineEntry[] = [];
        const look = (placed: (entry: SpineEntry) => SpineEntry): void => {
          for (const entry of missingOf([...totals, ...carry])) {
            const place = placed(entry);
            const value = valueIn(place);
            if (value !== undefined) {
              found.set(entry, value);
              read.push(place);
            }
          }
        };
        look((entry) => entry);
        if (looks === patience && missingOf(needed).length > 0) {
          // Another tile may have fallen back and handed it on.
          look(inApart);
        }
        const missing = missingOf(needed);
        const absent = missingOf(carry);
        states[tile] = missing.length > 0 && looks < patience ? "waiting" : "running";
        if (missing.length === 0) {
          totalsOfGroups.unshift(totals.map((entry) => found.get(entry)));
          if (absent.length > 0) {
            yield step(tile, "go on", { group, held, read, missing: absent });
            held = [...held, ...read];
            break;
          }
          carries[tile] = totalsOfGroups.reduce(joinGroup, carry[0] && found.get(carry[0]));
          if (tile > 0) {
            yield step(tile, "read", { group, held, read });
          }
          return;
        }
        if (looks === patience) {
          yield* lookAgain(tile);
          return;
        }
        yield step(tile, "wait", { group, held, read, missing });
        held = [...held, ...read];
      }
    }
  }

  /**
   * Computes the carries of the groups, from the nearest one that is there to the tile's own. It computes the totals that
   * are missing.
   */
  function* lookAgain(tile: number): Generator<LookBackStep<T>, void> {
    const own = Math.floor(tile / fanOut);
    const missing: SpineEntry[] = [];
    let held: readonly SpineEntry[] = [];
    let group = own;
    for (; group > 0; group--) {
      const entry: SpineEntry = { kind: "carry", index: group };
      const place = placeOf(entry);
      if (place !== undefined) {
        held = [place];
        break;
      }
      missing.push(entry);
    }
    yield step(tile, "give up", { group, read: held, missing });
    let before = held[0] && valueIn(held[0]);
    for (; ; group++) {
      const read: SpineEntry[] = [];
      for (const entry of totalsBefore(tile, group)) {
        let place = placeOf(entry);
        if (place === undefined) {
          place = inApart(entry);
          apart.total[entry.index] = fold(itemsOf(entry.index));
          yield step(tile, "fall back", { group, inputs: [entry.index], handedOn: [place] });
        }
        read.push(place);
      }
      before = joinGroup(before, read.map(valueIn));
      if (group === own) {
        carries[tile] = before;
        yield step(tile, "read", { group, held, read });
        return;
      }
      const next: SpineEntry = { kind: "carry", index: group + 1, apart: true };
      apart.carry[next.index] = before;
      yield step(tile, "fall back", { group, held, read, handedOn: [next] });
      held = [next];
    }
  }

  function* turnsOf(tile: number): Generator<LookBackStep<T>, void> {
    const items = itemsOf(tile);
    const next = (tile + 1) / fanOut;
    states[tile] = "running";
    yield step(tile, "start");
    if (stuck.has(tile)) {
      states[tile] = "stuck";
      yield step(tile, "stick");
      states[tile] = "running";
    }
    const total = fold(items);
    yield handOn(tile, { kind: "total", index: tile }, total);
    yield* lookBack(tile);
    // The kernel also hands on what comes after the last group, but nobody reads that.
    if (Number.isInteger(next) && next < groups) {
      yield handOn(tile, { kind: "carry", index: next }, join(carries[tile], total));
    }
    let prefix = carries[tile];
    items.forEach((item, at) => {
      const earlier = prefix;
      prefix = join(prefix, item);
      outputs[tile * tileSize + at] = (exclusive ? earlier : prefix) ?? identity;
    });
    states[tile] = "done";
    yield step(tile, "finish");
  }

  const random = seed === undefined ? undefined : randomNumbers(seed);
  const waiting = Array.from({ length: tiles }, (_, tile) => tile);
  if (random !== undefined) {
    for (let last = waiting.length - 1; last > 0; last--) {
      const other = Math.floor(random() * (last + 1));
      [waiting[last], waiting[other]] = [waiting[other] as number, waiting[last] as number];
    }
  }
  const running: { readonly tile: number; readonly turns: Generator<LookBackStep<T>, void> }[] = [];
  for (let turn = 0; ; turn++) {
    while (running.length < slots && waiting.length > 0) {
      const tile = waiting.shift() as number;
      running.push({ tile, turns: turnsOf(tile) });
    }
    if (running.length === 0) {
      return outputs as T[];
    }
    // A stuck tile goes on once no other tile can. Tiles that wait have fewer turns than tiles that work.
    const able = running.filter(({ tile }) => states[tile] !== "stuck");
    const tickets = able.flatMap((one) =>
      random && states[one.tile] !== "waiting" ? [one, one, one] : [one],
    );
    const next = (tickets[random ? Math.floor(random() * tickets.length) : turn % tickets.length] ??
      running[0]) as (typeof running)[number];
    const { value } = next.turns.next();
    if (value) {
      yield value;
    }
    if (value?.action === "finish") {
      running.splice(running.indexOf(next), 1);
    }
  }
}
