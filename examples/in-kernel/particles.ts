/** A step of a particle system that keeps the living: an index list that grows by a work-group at a time. */
import type { Fold } from "wavefold/node";
import { link, workGroupCompactUpdate } from "wavefold/wgsl";
import { printWhenRun, runKernel } from "./kernel.ts";
import kernel from "./particles.wgsl";

/** Words of a particle: position, velocity, life, id. */
const WORDS = 6;
export const PARTICLES = 1000;

/** Steps that are left to a particle at the start. */
export const lifeOf = (id: number): number => (id * 7) % 5;

/** The ids of the living, in the list's order, and how far each has moved along x. */
export async function run({
  device,
}: Pick<Fold, "device">): Promise<{ living: Uint32Array; moved: Float32Array }> {
  const code = link(kernel, [workGroupCompactUpdate({ workGroupSize: 64, counter: "living.length" })]);
  const before = new Uint32Array(PARTICLES * WORDS);
  const floats = new Float32Array(before.buffer);
  for (let id = 0; id < PARTICLES; id++) {
    floats.set([0, 0, id / 4, 1], id * WORDS);
    before.set([lifeOf(id), id], id * WORDS + 4);
  }
  // The length, and padding to where the particles start.
  const [, list = before] = await runKernel(
    device,
    code,
    [before, new Uint32Array(2 + before.length)],
    Math.ceil(PARTICLES / 64),
  );
  const particles = list.slice(2, 2 + (list[0] ?? 0) * WORDS);
  const positions = new Float32Array(particles.buffer);
  const length = particles.length / WORDS;
  return {
    living: Uint32Array.from({ length }, (_, index) => particles[index * WORDS + 5] ?? 0),
    moved: Float32Array.from({ length }, (_, index) => positions[index * WORDS] ?? 0),
  };
}

await printWhenRun(import.meta.url, run);
