import type { Operator } from "../../algebra/monoid.ts";
import type { ElementType } from "../../algebra/types.ts";
import type { TuningOptions } from "../../plan/options.ts";
import type { Meanwhile, PreparedOn } from "./prepared.ts";

// A driver that has kept no kernels compiles two passes by Blelloch's algorithm in a third to three quarters of the time that the fastest kernels
// take. With `soon`, a plan is prepared twice, and recordings go by the quick plan until the plan's own kernels are there.

interface Options extends TuningOptions {
  readonly type: ElementType;
  readonly op?: Operator;
}

/** Longer elements may not fit in the work-group memory of 256 threads. The plan chooses the sizes for them. */
const MOST_BYTES = 16;

/**
 * The options of the kernels that compile soonest. The first plan of a process, H100, driver without kept kernels, without the other plan beside
 * it: scans of u32 138 to 165 ms (a single pass: 316 to 418), u64 151 to 255 (510 to 557), f64 373 to 381 (1071 to 1112), structs of 16 bytes 225
 * to 293 (775 to 875). H200: reductions of u32 100 to 141 (282 to 442), compactions 145 to 181 (297 to 416).
 */
function soonest<Own extends Options>(options: Own): Own {
  const isShort = Math.max(options.op?.mostBytes ?? 0, options.type.bytes) <= MOST_BYTES;
  return {
    ...options,
    passes: "reduce-then-scan",
    algorithm: "blelloch",
    workGroupSize: isShort ? 256 : undefined,
    itemsPerThread: isShort ? 4 : undefined,
  } as Own;
}

/**
 * Prepares a plan by its own kernels, and at the same time by kernels that compile soon. Whichever is there first is returned.
 * `prepare` is `prepareFor` of prepare_folds.ts.
 *
 * @throws what the plan itself throws, unless the quick one was there first: then `settled` rejects with that.
 */
export function prepareSoon<Own extends Options, Ranges>(
  options: Own,
  prepare: (own: Own, meanwhile: Meanwhile) => Promise<PreparedOn<Ranges>>,
): Promise<PreparedOn<Ranges>> {
  return new Promise((resolve, reject) => {
    let isDecided = false;
    const own = prepare(options, {
      // The device gets the quick kernels first. It compiles only so many at once.
      checked: () =>
        new Promise<void>((begun) => {
          prepare(soonest(options), { begun, waits: true }).then((quick) => {
            begun();
            if (isDecided) {
              quick.destroy();
            } else {
              resolve(following(quick, own));
            }
          }, begun);
        }),
    });
    const decide = (): void => {
      isDecided = true;
    };
    own.then(decide, decide);
    own.then(resolve, reject);
  });
}

/** What records by the quick plan until its own plan is there. */
function following<Ranges>(quick: PreparedOn<Ranges>, own: Promise<PreparedOn<Ranges>>): PreparedOn<Ranges> {
  let made: PreparedOn<Ranges> | undefined;
  let now = quick;
  let isDestroyed = false;
  const settled = own.then(async (plan) => {
    made = plan;
    if (isDestroyed) {
      plan.destroy();
      return;
    }
    // A program that records ranges for which kernels were put off will go on with these. If their kernels were not there, a
    // recording would wait for the compiler, in the middle of the program's frames.
    if (quick.takesOthers?.()) {
      await plan.compileOthers?.();
    }
    now = plan;
    // Encoders that recorded the quick plan stay valid. Its bind groups are for no later recording.
    quick.forget();
  });
  // Nobody needs to wait for it.
  settled.catch(() => {});
  return {
    settled,
    get kernels() {
      return now.kernels;
    },
    groupingOf: (ranges) => now.groupingOf(ranges),
    check: (...given) => now.check(...given),
    record: (...given) => now.record(...given),
    forget() {
      quick.forget();
      made?.forget();
    },
    // Encoders that recorded the quick plan may not be submitted yet, so its scratch is kept until now.
    destroy() {
      isDestroyed = true;
      quick.destroy();
      made?.destroy();
    },
    [Symbol.dispose]() {
      this.destroy();
    },
  };
}
