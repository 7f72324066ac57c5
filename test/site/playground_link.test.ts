import { afterEach, describe, expect, test, vi } from "vitest";
import { hashOf, linkedBy, setupOf } from "../../site/playground/link.ts";
import type { ReadyKernel, Setup } from "../../site/playground/setup.ts";
import { defaultChoices } from "../../site/playground/setup.ts";

const kernel = (name: string, more: Partial<ReadyKernel> = {}): ReadyKernel => ({
  name,
  title: name,
  about: "",
  section: "",
  code: `// ${name}\n@compute @workgroup_size(1) fn main() { }\n`,
  entryPoint: "",
  groups: "1",
  values: { data: "1 2 3" },
  ...more,
});
const first = kernel("first");
const second = kernel("second", { machine: { schedule: "random", seed: 4 }, step: "line" });
const kernels = [first, second];

const startOf = { at: 0, step: "barrier" } as const;

afterEach(() => {
  vi.unstubAllGlobals();
});

test("a ready kernel's link has its name, and no more", async () => {
  expect(await hashOf(setupOf(first), first, startOf)).toBe("kernel=first");
  expect(await hashOf(setupOf(second), second, { at: 0, step: "line" })).toBe("kernel=second");
  expect(await linkedBy("#kernel=second", kernels, first)).toEqual({
    setup: setupOf(second),
    name: "second",
    at: 0,
    step: "line",
  });
});

test("a link without anything shows the first kernel", async () => {
  expect(await linkedBy("", kernels, first)).toMatchObject({ name: "first", setup: setupOf(first) });
});

const changed: Setup = {
  ...setupOf(second),
  groups: "2 2",
  values: { data: "7 & 8 = 9", more: "0*4" },
  machine: { ...defaultChoices, schedule: "starve", seed: 99, olderValues: true },
};
const written: Setup = { ...changed, code: "// eine Übung: “∑”\nfn f() { }\n".repeat(30) };

describe.each([
  { what: "a ready kernel with other input", setup: changed, name: "second" },
  { what: "a kernel of one's own", setup: written, name: undefined },
])("$what", ({ setup, name }) => {
  test("comes back from its link", async () => {
    const hash = await hashOf(setup, second, { at: 12, step: "event" });
    expect(await linkedBy(`#${hash}`, kernels, first)).toEqual({ setup, name, at: 12, step: "event" });
  });

  test("comes back where the browser compresses nothing", async () => {
    const { CompressionStream, DecompressionStream } = globalThis;
    vi.stubGlobal("CompressionStream", undefined);
    vi.stubGlobal("DecompressionStream", undefined);
    const hash = await hashOf(setup, second, startOf);
    expect((await linkedBy(hash, kernels, first)).setup).toEqual(setup);
    vi.stubGlobal("CompressionStream", CompressionStream);
    vi.stubGlobal("DecompressionStream", DecompressionStream);
    expect((await linkedBy(hash, kernels, first)).setup).toEqual(setup);
  });
});

test("a link is much shorter than its text", async () => {
  const hash = await hashOf(written, undefined, startOf);
  expect(hash.length).toBeLessThan(written.code.length / 3);
});

test.each([
  ["kernel=third", "the link names the kernel “third”, which the list does not have"],
  ["code=zAAAA", "the link’s kernel cannot be read: a part of the link is missing"],
  ["code=", "the link’s kernel cannot be read: a part of the link is missing"],
  ["code=!", "the link’s kernel cannot be read: a part of the link is missing"],
  [`code=j${btoa('{"code":7}')}`, "the link holds no kernel"],
  [`code=j${btoa("null")}`, "the link holds no kernel"],
  [`code=j${btoa("[[")}`, "the link’s kernel cannot be read: a part of the link is missing"],
])("the link %s is refused", async (hash, message) => {
  await expect(linkedBy(hash, kernels, first)).rejects.toThrow(message);
});

test("a number that is none becomes the start", async () => {
  expect(await linkedBy("kernel=first&at=x&step=leap", kernels, first)).toMatchObject(startOf);
  expect(await linkedBy("kernel=first&at=-5", kernels, first)).toMatchObject(startOf);
});
