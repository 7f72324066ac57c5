import { describe, expect, test } from "vitest";
import { noDevice } from "../../site/described.ts";
import type { Wanted } from "../../site/plans.ts";
import { kernelFirst, listingsOf } from "../../site/plans.ts";
import type { Operator } from "../../src/index.ts";
import { add, f16, max, u32 } from "../../src/index.ts";
import { piecesOf } from "../../src/text/pieces.ts";
import { failures, useNullDevice } from "../support/null_device.ts";

const device = useNullDevice();

const all = { algorithm: undefined, passes: undefined, exclusive: false, where: "x > 3u", length: 1 << 20 };
const wanted: Readonly<Record<string, Wanted>> = {
  scan: { ...all, primitive: "scan", type: u32, op: add as Operator as Operator<string> },
  "single pass": {
    ...all,
    primitive: "scan",
    type: u32,
    op: add as Operator as Operator<string>,
    algorithm: "subgroup",
    passes: "single",
  },
  reduction: { ...all, primitive: "reduce", type: f16, op: max as Operator as Operator<string> },
  compaction: { ...all, primitive: "compact", type: u32, op: add as Operator as Operator<string> },
};
const facts = {
  ...noDevice,
  features: new Set(["subgroups", "shader-f16"]),
};

describe.each(Object.entries(wanted))("%s", (_, choice) => {
  test("its kernels come first, what is called after what calls it, and all of it compiles", async () => {
    const listings = await listingsOf(choice, facts as never);
    expect(listings.length).toBeGreaterThan(1);
    expect(await failures(device(), listings)).toEqual([]);
    for (const { title, code } of listings) {
      const pieces = piecesOf(code).filter(({ directive }) => directive === undefined);
      if (title.startsWith("Pass")) {
        expect(pieces[0]?.text, title).toMatch(/^@compute\b/m);
      }
      const functions = pieces.filter(({ keyword }) => keyword === "fn");
      expect(functions.length, title).toBeGreaterThan(2);
      for (const [at, { name }] of functions.entries()) {
        const later = functions.slice(at + 1).filter(({ words }) => words.includes(name));
        expect(
          later.map((one) => one.name),
          `${title}: what calls ${name} below it`,
        ).toEqual([]);
      }
      expect(
        pieces.findIndex(({ keyword }) => keyword !== "fn"),
        title,
      ).toBeGreaterThanOrEqual(functions.length);
    }
  });
});

test("nothing is lost, and directives stay in front", () => {
  const code = `enable f16;

const TILE = 4u;

// What a tile begins with.
fn first() -> u32 {
  return TILE;
}

@compute @workgroup_size(TILE)
fn main() {
  _ = first();
}
`;
  expect(kernelFirst(code)).toBe(`enable f16;

@compute @workgroup_size(TILE)
fn main() {
  _ = first();
}

// What a tile begins with.
fn first() -> u32 {
  return TILE;
}

const TILE = 4u;
`);
});
