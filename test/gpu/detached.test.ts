import { serialize } from "node:v8";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Fold } from "../../src/node.ts";
import { ArgumentError, openFold } from "../../src/node.ts";
import { arraysOf, made, widestCall } from "../primitives/calls.ts";
import { useFold } from "../support/fold.ts";
import { described } from "../support/primitives.ts";

// An array whose memory is transferred while a call waits: the call gives the right result, or says what became of the array.

const onGpu = useFold();
let onCpu: Fold | undefined;
beforeAll(async () => {
  onCpu = await openFold({ cpu: "always" });
});
afterAll(() => onCpu?.destroy());

/** A call, its arrays, and what messages call them. */
interface Waiting {
  readonly pending: Promise<unknown>;
  readonly arrays: Readonly<Record<string, { readonly buffer: ArrayBufferLike }>>;
}

const LENGTH = 64;
const wordsOf = (most: number): Uint32Array =>
  Uint32Array.from({ length: LENGTH }, (_, at) => ((at * 2654435761) >>> 16) % most);

type Options = Readonly<Record<string, unknown>>;
const call =
  (
    method: "scan" | "reduce" | "compact" | "partition" | "argMax",
    options: () => Options = () => ({}),
    others: (options: Options) => Options = () => ({}),
  ) =>
  (fold: Fold): Waiting => {
    const data = wordsOf(1000);
    const own = options();
    const pending = (fold[method] as (data: Uint32Array, options: Options) => Promise<unknown>)(data, own);
    return { pending, arrays: { data, ...others(own) } as Waiting["arrays"] };
  };
const inSegments =
  (segments: Options): (() => Options) =>
  () => ({ segments });
const ofSegments = ({ segments }: Options): Options => ({ segments: Object.values(segments as object)[0] });
const into = (): Options => ({ where: "x % 3u == 1u", into: new Uint32Array(LENGTH) });

const calls: Readonly<Record<string, (fold: Fold) => Waiting>> = {
  "scan with an initial value": call(
    "scan",
    () => ({ initial: Uint32Array.of(3), map: "x + i" }),
    ({ initial }) => ({ initial }) as Options,
  ),
  "compact into an array": call("compact", into, ({ into: room }) => ({ into: room }) as Options),
  "partition by classes": call("partition", () => ({ class: "x % 3u", classes: 3 })),
  argMax: call("argMax"),
  "scan of rows": call("scan", inSegments({ rows: 8 })),
  "reduce by keys": call("reduce", () => ({ segments: { keys: wordsOf(2) } }), ofSegments),
  "reduce by heads": call("reduce", () => ({ segments: { heads: wordsOf(2) } }), ofSegments),
  "scan by bits": call("scan", () => ({ segments: { headBits: wordsOf(1000).slice(0, 2) } }), ofSegments),
  "reduce by offsets": call(
    "reduce",
    () => ({ segments: { offsets: Uint32Array.of(0, 9, 64) } }),
    ofSegments,
  ),
  ...Object.fromEntries(
    described.map((of) => [
      of.primitive.name,
      (fold: Fold): Waiting => {
        const widest = widestCall(of, LENGTH);
        const arrays = arraysOf(widest);
        return { pending: made(fold, widest, arrays), arrays: arrays as Waiting["arrays"] };
      },
    ]),
  ),
};

describe.each(Object.entries(calls))("%s", (_, start) => {
  test.each(["GPU", "CPU"])("on the %s", async (machine) => {
    const fold = (machine === "CPU" ? onCpu : onGpu()) as Fold;
    const first = start(fold);
    const expected = serialize(await first.pending);
    for (const name of Object.keys(first.arrays)) {
      for (const turns of [0, 1, 2, 3, 5, 8, 12]) {
        const { pending, arrays } = start(fold);
        const { buffer } = arrays[name] as { readonly buffer: ArrayBuffer };
        let isGone = false;
        // What lies in the caller's memory may be transferred between the end of the call and here.
        const found = pending.then(
          (result) => (isGone && Object(result).buffer === buffer ? expected : serialize(result)),
          (cause: unknown) => cause,
        );
        for (let turn = 0; turn < turns; turn++) {
          await undefined;
        }
        structuredClone(buffer, { transfer: [buffer] });
        isGone = true;
        const result = await found;
        const where = `${name} after ${turns} turns: ${(result as Error).stack}`;
        if (result instanceof Error) {
          expect(result, where).toBeInstanceOf(ArgumentError);
          expect(result.message, where).toMatch(/ was transferred or became shorter /);
        } else {
          expect((result as ReturnType<typeof serialize>).equals(expected), where).toBe(true);
        }
      }
    }
  });
});
