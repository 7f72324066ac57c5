import { expect, test } from "vitest";
import { denoMissing, lavapipeMissing } from "../support/deno.ts";
import { allTypes, eachSetOnce, kernelsOf, mappedKernelsOf } from "../support/kernels.ts";
import { mapRows } from "../support/maps.ts";
import { naga } from "../support/naga.ts";

const shapes = [
  { workGroupSize: 1, itemsPerThread: 2 },
  { workGroupSize: 96, itemsPerThread: 3 },
  { workGroupSize: 256, itemsPerThread: 4 },
];

const notCompiled = eachSetOnce();

// Naga refuses `enable subgroups;`: the portable algorithms alone.
const portable = ["hillis-steele", "blelloch"] as const;
const ofTypes = allTypes.flatMap((type) =>
  shapes.flatMap((shape) => portable.map((algorithm) => ({ type, shape, algorithm }))),
);
for (const { type, shape, algorithm } of ofTypes) {
  test(`naga compiles every portable kernel: ${type.name}, ${algorithm}, ${shape.workGroupSize} × ${shape.itemsPerThread}`, async ({
    skip,
  }) => {
    skip(denoMissing !== undefined, denoMissing ?? "");
    const kernels = notCompiled(await kernelsOf(type, algorithm, shape));
    const { f16, compiled, failures } = await naga(kernels);
    expect(failures.slice(0, 5)).toEqual([]);
    if (!f16 && type.name === "f16") {
      skip(
        `${lavapipeMissing}, and SwiftShader has no shader-f16: ${kernels.length - compiled} kernels not compiled`,
      );
    }
    expect(compiled).toBe(kernels.length);
  });
}

test.for([8, 3])(
  "naga compiles every portable kernel: maps, %i items a thread",
  async (itemsPerThread, { skip }) => {
    skip(denoMissing !== undefined, denoMissing ?? "");
    const made = mapRows.map((row) =>
      mappedKernelsOf(row, "blelloch", { workGroupSize: 32, itemsPerThread }),
    );
    const kernels = notCompiled((await Promise.all(made)).flat());
    const { f16, compiled, failures } = await naga(kernels);
    expect(failures.slice(0, 5)).toEqual([]);
    const halves = kernels.filter(({ code }) => /^enable f16;/m.test(code));
    expect(halves.length).toBeGreaterThan(0);
    expect(compiled).toBe(kernels.length - (f16 ? 0 : halves.length));
  },
);

test("the check can fail", async ({ skip }) => {
  skip(denoMissing !== undefined, denoMissing ?? "");
  const { failures } = await naga([{ title: "broken", code: "fn f() -> u32 { return 1.5f; }" }]);
  expect(failures).toHaveLength(1);
});
