import type { Compiled } from "./compile/compiled.ts";
import type { Bind, Scope } from "./compile/function_text.ts";
import { startOf } from "./compile/functions.ts";
import type { StorageRange } from "./machine/memory.ts";
import type { Running } from "./machine/pickers.ts";
import type { Instance } from "./machine/schedule.ts";
import type { WorkGroup } from "./machine/work_group.ts";

/** A program that runs one work-group after another. */
export interface Resident extends Instance {
  /** Sets the bindings of the next dispatch. */
  bind(ranges: ReadonlyMap<string, StorageRange>): void;
}

/** Makes the functions of a program for one work-group at a time. With `isAlone`, V8 compiles them for that alone. */
export function residentOf(compiled: Compiled, group: WorkGroup, isAlone: boolean): Resident {
  const { functions, privates } = compiled;
  const bindings = compiled.bindings.map(({ name, key, stride }) => ({
    key,
    stride,
    range: `s_${name}`,
    words: `m_${name}`,
    checksReads: `c_${name}`,
    count: `n_${name}`,
  }));
  const scope = scopeOf(compiled, group);
  const { threads } = group;
  const binds = functions.flatMap(
    ({ make, firstSite, firstBlock, firstCall, before }): Bind | readonly Bind[] => {
      const words = 4 * (threads * before.threadWords + before.words);
      const masks = threads * before.masks;
      const start = { site: firstSite, block: firstBlock, call: firstCall, words, masks };
      return make(scope, start, isAlone) ?? [];
    },
  );
  const starts = privates.map(({ name, hasStart }) =>
    hasStart ? (scope[startOf(name)] as () => void) : () => (scope[`P_${name}`] as Int32Array).fill(0),
  );
  const enter = scope[`f_${compiled.entryPoint}`] as (mask: Uint8Array, active: number) => Call | undefined;
  return {
    group,
    bind(ranges) {
      for (const { key, stride, ...names } of bindings) {
        const range = ranges.get(key);
        scope[names.range] = range;
        scope[names.words] = range?.words;
        scope[names.checksReads] = range?.checksReads;
        scope[names.count] = range && stride && Math.trunc(range.size / stride);
      }
      for (const bind of binds) {
        bind();
      }
    },
    run() {
      for (const start of starts) {
        start();
      }
      const call = enter(group.every, threads);
      return call && runningOf(call);
    },
  };
}

/** A function that has been called. It yields what it calls, and the place before each atomic operation on storage memory. */
type Call = Generator<number | Call, void, void>;

/** Goes on in the innermost call at once. `yield*` would go through all the calls around it. */
function runningOf(call: Call): Running {
  const calls = [call];
  return {
    next() {
      for (;;) {
        const found = (calls.at(-1) as Call).next();
        if (found.done) {
          calls.pop();
          if (calls.length === 0) {
            return found;
          }
        } else if (typeof found.value === "number") {
          return found as IteratorYieldResult<number>;
        } else {
          calls.push(found.value);
        }
      }
    },
    return() {
      while (calls.length > 1) {
        calls.pop()?.return();
      }
      return call.return() as IteratorReturnResult<void>;
    },
  };
}

/** What functions find in their scope, but for each other. */
function scopeOf(
  { functions, workGroupSize, counts, variables, privates, sitesOfCall }: Compiled,
  group: WorkGroup,
): Scope {
  const { threads } = group;
  const scope: Scope = {
    g: group,
    N: threads,
    W: group.memory,
    // V8 takes the place of memory for a constant only if it is a buffer's.
    R: new Int32Array(new ArrayBuffer(4 * Math.max(...functions.map(({ mostResults }) => mostResults)))),
    SIZE: workGroupSize,
    RAN: group.machine.ran,
    SITES: sitesOfCall,
    B: new ArrayBuffer(4 * (threads * counts.threadWords + counts.words)),
    K: new ArrayBuffer(threads * counts.masks),
  };
  for (const { name, first } of variables) {
    scope[`w_${name}`] = first;
  }
  for (const { name, words } of privates) {
    scope[`P_${name}`] = new Int32Array(threads * words);
  }
  return scope;
}
