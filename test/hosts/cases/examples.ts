import { normalsOf } from "../../../examples/normals/normals.ts";
import { makeSampler } from "../../../examples/sampling/sampler.ts";
import { expectSameBits } from "../../support/compare.ts";
import { meshOf, normalsReference, shuffled } from "../../support/mesh.ts";
import { randomLogits, sharesOf } from "../../support/sampling.ts";
import type { Case } from "../case.ts";

// The examples that draw nothing, on little data: software adapters take seconds to compile them. Those that draw have tests in test/site/.

export const exampleCases: readonly Case[] = [
  {
    name: "examples/sampling: tokens are drawn by the numbers of their shares",
    ofCompiler: true,
    async run({ fold }) {
      const how = { topK: 8, temperature: 0.7, topP: 0.9, minP: 0.05 };
      const logits = randomLogits(200);
      const shares = sharesOf(logits, how);
      const input = await fold.upload(logits);
      const sampler = await makeSampler(fold, logits.length, how.topK);
      const drawn: number[] = [];
      for (const { from, to } of shares) {
        sampler.submit(input, { ...how, random: (from + to) / 2 });
        drawn.push(await sampler.read());
      }
      const expected = shares.map(({ token }) => token);
      expectSameBits(Uint32Array.from(drawn), Uint32Array.from(expected), "tokens");
      sampler.destroy();
    },
  },
  {
    name: "examples/normals: normals of a mesh, and the same bits in another order",
    ofCompiler: true,
    async run({ fold }) {
      const { positions, corners } = meshOf(4, 3);
      const points = await fold.upload(positions);
      const read = async (order: Uint32Array): Promise<Float32Array> =>
        (await normalsOf(fold, points, await fold.upload(order))).read();
      const normals = await read(corners);
      const expected = normalsReference({ positions, corners });
      const far = normals.findIndex((one, at) => !(Math.abs(one - (expected[at] ?? 0)) < 2 ** -20));
      if (far >= 0 || normals.length !== expected.length) {
        throw new Error(`number ${far} is ${normals[far]} in place of ${expected[far]}`);
      }
      expectSameBits(await read(shuffled(corners)), normals, "in another order");
    },
  },
];
