import { randomBits } from "./random.ts";

// Floats in runs of one key: NaN whose bits differ, zeros of one sign, and numbers. So only a run of NaN tells its first element from others.

/** Where a run of a few elements, or of several tiles, starts. */
function startsOf(length: number): readonly number[] {
  const next = randomBits(`runs of NaN ${length}`);
  const starts: number[] = [];
  for (let at = 0; at < length; at += next() % 11 === 0 ? 900 : 1 + (next() % 9)) {
    starts.push(at);
  }
  return starts;
}

/** The bits of the element at an index of a run: of four kinds in turn. `signs` and `nan` are the upper words of -0 and of a NaN. */
const upperWord = (run: number, at: number, one: number, nan: number): number =>
  [(nan + ((at * 7919) % 4093)) | (at % 3 === 0 ? 0x80000000 : 0), 0x80000000, 0, one + run][
    run % 4
  ] as number;

function words(length: number, one: number, nan: number): Uint32Array<ArrayBuffer> {
  const starts = new Set(startsOf(length));
  let run = -1;
  return Uint32Array.from({ length }, (_, at) => {
    run += starts.has(at) ? 1 : 0;
    return upperWord(run, at, one, nan);
  });
}

export const nanRuns = {
  f32: (length: number): Float32Array<ArrayBuffer> =>
    new Float32Array(words(length, 0x3f800000, 0x7fc00000).buffer),
  f64: (length: number): Float64Array<ArrayBuffer> => {
    const upper = words(length, 0x3ff00000, 0x7ff80000);
    return new Float64Array(
      Uint32Array.from({ length: 2 * length }, (_, at) => (at % 2 === 0 ? 0 : (upper[at >>> 1] as number)))
        .buffer,
    );
  },
  /** The first element of each run. */
  firstOf: <A extends Float32Array | Float64Array>(data: A): A => {
    const { length, BYTES_PER_ELEMENT: size } = data;
    const bytes = new Uint8Array(data.buffer as ArrayBuffer);
    const first = startsOf(length).flatMap((at) => [...bytes.subarray(at * size, (at + 1) * size)]);
    return new (data.constructor as new (buffer: ArrayBuffer) => A)(Uint8Array.from(first).buffer);
  },
} as const;
