import { expect, test } from "vitest";
import { BUFFERS, rows } from "../../bench/beside_rows.ts";
import type { Buffers } from "../../bench/beside_task.ts";
import { createBuffer } from "../../bench/buffers.ts";
import { problemOf, wordsBy, writeWords } from "../../bench/words.ts";
import { submit } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";

const fold = useFold();
const LENGTH = 2 ** 11;

// Those that CUB's program has, too: it makes the same data.
const tasks = new Map(
  rows.flatMap((row) => (row.cub ? [row, row.beside] : [])).map(({ name, task }) => [name, task]),
);

test.each([...tasks])("%s is what the CPU has, and shows if it is not", async (_, task) => {
  const { device } = fold();
  const buffers = Object.fromEntries(
    await Promise.all(
      BUFFERS.map(async ({ name, words, word }) => {
        const buffer = await createBuffer(device, name, 4 * words(LENGTH));
        if (word !== undefined) {
          writeWords(
            device,
            buffer,
            wordsBy(LENGTH, (at) => word(at, LENGTH)),
          );
        }
        return [name, buffer];
      }),
    ),
  ) as Buffers;
  const { record, writes, expected, destroy } = await task({ fold: fold(), buffers, length: LENGTH });
  const problems = (): Promise<unknown[]> =>
    Promise.all(expected().map(({ from, words }) => problemOf(device, from, buffers[from], words)));
  for (const name of writes) {
    device.queue.writeBuffer(buffers[name], 0, new Uint8Array(buffers[name].size).fill(0xa5));
  }
  expect((await problems()).every((problem) => problem !== undefined)).toBe(true);
  submit(device, (encoder) => {
    const pass = encoder.beginComputePass();
    record(pass);
    pass.end();
  });
  expect((await problems()).filter((problem) => problem !== undefined)).toEqual([]);
  destroy();
  for (const buffer of Object.values(buffers)) {
    buffer.destroy();
  }
});
