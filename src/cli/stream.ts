import type { Streamed } from "../gpu/streams/streams.ts";
import type { Input, Output } from "./files.ts";
import type { ElementSource } from "./npy.ts";

/**
 * Moves all elements of a source through a stream, and its results to the output. Bytes go from the file to the memory that
 * the device reads, and from the memory that the device writes to the file: nothing else holds them. Reads, writes and the
 * device work at the same time.
 *
 * @returns how many elements came, and how many bytes went. The stream's end is the caller's, if it asks for the total.
 */
export async function moveThrough(
  { pieces, shown = (result) => result }: Streamed,
  {
    source,
    input,
    output,
    end,
    read = () => {},
    look = () => {},
  }: {
    readonly source: ElementSource;
    readonly input: Input;
    /** For a reduction to one value, there is none. */
    readonly output?: Output;
    /** Ends the stream. */
    end(): Promise<void>;
    /** Is told of the bytes that were read. */
    read?(bytes: number): void;
    /** Is shown the bytes that were read. */
    look?(bytes: Uint8Array): void;
  },
): Promise<{ readonly written: number }> {
  let failure: { readonly cause: unknown } | undefined;
  // Calls of the system that use the memory of a piece: nobody may give it back meanwhile.
  let filling: Promise<unknown> = Promise.resolve();
  let flushing: Promise<unknown> = Promise.resolve();
  const fail = async (cause: unknown): Promise<void> => {
    failure ??= { cause };
    input.abandon();
    await Promise.allSettled([filling, flushing]);
    await pieces.stop(cause);
  };

  const readAll = async (): Promise<void> => {
    let done = 0;
    for (;;) {
      // At the known end, no room is needed: one byte is read, so that the source checks that it ends here.
      const isAll = source.size !== undefined && done >= source.size;
      const room = isAll ? new Uint8Array(1) : await pieces.room();
      if (failure !== undefined) {
        return;
      }
      const reading = source.fill(room);
      filling = reading;
      const filled = await reading;
      if (failure !== undefined) {
        return;
      }
      read(filled);
      look(room.subarray(0, filled));
      done += filled;
      if (!isAll) {
        pieces.filled(filled);
      }
      if (filled < room.length) {
        break;
      }
    }
    await end();
  };

  let written = 0;
  const writeAll = async (to: Output): Promise<void> => {
    for (;;) {
      const result = await pieces.next();
      if (result === undefined || failure !== undefined) {
        return;
      }
      const bytes = shown(result.bytes);
      const writing = to.write(bytes);
      flushing = writing;
      await writing;
      if (failure !== undefined) {
        return;
      }
      written += bytes.length;
      result.release();
    }
  };

  await Promise.all([readAll().catch(fail), output && writeAll(output).catch(fail)]);
  if (failure !== undefined) {
    throw failure.cause;
  }
  return { written };
}
