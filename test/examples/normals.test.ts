import { expect, test } from "vitest";
import { normalsOf } from "../../examples/normals/normals.ts";
import { useFold } from "../support/fold.ts";
import { meshOf, normalsReference, shuffled } from "../support/mesh.ts";

const fold = useFold();

async function normals(positions: Float32Array, corners: Uint32Array): Promise<Float32Array> {
  const arrays = [await fold().upload(positions), await fold().upload(corners)] as const;
  const result = await normalsOf(fold(), ...arrays);
  const read = await result.read();
  for (const one of [...arrays, result]) {
    one.destroy();
  }
  return read;
}

test.each([
  [2, 2],
  [9, 7],
  [31, 20],
])("the normals of %d × %d vertices", async (columns, rows) => {
  const { positions, corners } = meshOf(columns, rows);
  const expected = normalsReference({ positions, corners });
  const found = await normals(positions, corners);
  expect(found.length).toBe(positions.length);
  found.forEach((number, at) => {
    expect(Math.abs(number - (expected[at] ?? Number.NaN)), `number ${at}`).toBeLessThan(2 ** -20);
  });
  // In whatever order the triangles come, and whichever corner of them comes first in sums: the same bits.
  expect(await normals(positions, shuffled(corners))).toEqual(found);
});

test("a vertex of no triangle has no normal, and neither has one whose triangles cancel out", async () => {
  const positions = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 9, 9, 9, 0, 0, 1);
  expect([...(await normals(positions, Uint32Array.of(0, 1, 2, 0, 2, 1, 0, 1, 4)))]).toEqual(
    [0, -1, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0].map((one) => expect.closeTo(one, 6)),
  );
});

test("without triangles, all normals are 0", async () => {
  expect([...(await normals(new Float32Array(6), new Uint32Array(0)))]).toEqual([0, 0, 0, 0, 0, 0]);
});
