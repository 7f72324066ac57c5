import { expect, test } from "vitest";
import { ArgumentError, SourceError, WavefoldError } from "../../../src/errors.ts";
import { compileKernel } from "../../../src/simulator/index.ts";
import { linkDirectives } from "../../../src/wgsl.ts";
import { nullGpu } from "../../support/null_device.ts";

const gpu = nullGpu();

const kernel = (
  condition: string,
  call: string,
): string => `@group(0) @binding(0) var<storage, read_write> total: u32;
var<workgroup> shared_total: u32;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32) {
  if (${condition}) { return; }
  ${call}
}
`;

test("takes what is right, with f16 and subgroups", async () => {
  const code = `enable f16; enable subgroups;
@group(0) @binding(0) var<storage, read_write> data: array<f16>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) t: u32) { data[t] = subgroupAdd(data[t]); }`;
  await expect(compileKernel(code, { gpu })).resolves.toBeUndefined();
});

test("refuses a barrier behind a condition that need not be uniform, though it may be", async () => {
  const refused = compileKernel(kernel("total == 0u", "workgroupBarrier();"), { gpu, file: "a.wgsl" });
  await expect(refused).rejects.toThrow(SourceError);
  await expect(refused).rejects.toMatchObject({ line: 6, column: 3 });
  await expect(refused).rejects.toThrow(
    /^a\.wgsl:6:3: 'workgroupBarrier' must only be called from uniform control flow; .* at line 5; reading from read_write .* at line 5$/,
  );
});

test("of a linked function, it names the line of the call", async () => {
  const source = `// wavefold: work_group_reduce_add_u32\n${kernel("t == 3u", "total = work_group_reduce_add_u32(t, t);")}`;
  const refused = compileKernel(linkDirectives(source), { gpu, source });
  await expect(refused).rejects.toMatchObject({ line: 7, source });
  await expect(refused).rejects.toThrow(
    /^kernel\.wgsl:7:11: .*called indirectly by 'work_group_reduce_add_u32'/,
  );
});

test.each([
  ["undefined", {}],
  ["number", { gpu: 1 }],
  ["null", { gpu: null }],
  ["object", { gpu: {} }],
])("refuses %s, which is no GPU", async (given, options) => {
  const refused = compileKernel(kernel("t == 3u", ""), options as never);
  await expect(refused).rejects.toThrow(ArgumentError);
  await expect(refused).rejects.toThrow(
    `compileKernel: gpu is ${given}; it takes a GPU, such as navigator.gpu, or create(["backend=null"]) of the package webgpu`,
  );
});

test("names the first of several errors, with its own notes", async () => {
  const refused = compileKernel("fn a() { b(); }\nfn c() { d(); }\n", { gpu });
  await expect(refused).rejects.toThrow(/^kernel\.wgsl:1:10: unresolved call target 'b'$/);
  const unread = compileKernel("fn main( {", { gpu });
  await expect(unread).rejects.toThrow(/^kernel\.wgsl:1:10: expected '\)' for function declaration$/);
});

test("needs an adapter, and takes no other options", async () => {
  const none = { requestAdapter: async () => null } as unknown as GPU;
  await expect(compileKernel("", { gpu: none })).rejects.toThrow(WavefoldError);
  await expect(compileKernel("", { gpu, name: "a" } as never)).rejects.toThrow("name");
});
