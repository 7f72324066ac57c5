// Run by Deno, whose WebGPU compiles with naga: says what it refuses of the texts in a JSON file.
const [path] = Deno.args;
const adapter = await navigator.gpu.requestAdapter();
const f16 = adapter.features.has("shader-f16");
const device = await adapter.requestDevice({ requiredFeatures: f16 ? ["shader-f16"] : [] });
const failures = [];
let compiled = 0;
for (const { title, code } of JSON.parse(await Deno.readTextFile(path))) {
  if (!f16 && /^enable f16;/m.test(code)) {
    continue;
  }
  compiled++;
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ code });
  const info = await module.getCompilationInfo();
  const failure = await device.popErrorScope();
  const message = info.messages.find((one) => one.type === "error")?.message ?? failure?.message;
  if (message !== undefined) {
    failures.push(`${title}: ${message}`);
  }
}
console.log(`RESULT ${JSON.stringify({ f16, compiled, failures })}`);
Deno.exit(0);
