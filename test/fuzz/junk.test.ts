import { afterAll, beforeAll, test } from "vitest";
import { openFold } from "../../src/node.ts";
import { useNullDevice } from "../support/null_device.ts";
import type { Fixture } from "./fixture.ts";
import { fixtureOn } from "./fixture.ts";
import { junkCases, runJunk } from "./junk.ts";
import { scaleOf } from "./plans.ts";

// All cases of the calls that compile little. The fuzz has the others, too.

const device = useNullDevice();
let fixture: Fixture | undefined;
beforeAll(async () => {
  fixture = fixtureOn(await openFold({ device: device() }), scaleOf("software"));
});
afterAll(() => fixture?.destroy());

const compilesMuch =
  /^(scan|reduce|compact|partition|sort|argSort|topK|nth|unique|histogram|expandRuns|arg|search|run|prepare|open|upload)/;
const cases = junkCases().filter(({ method }) => /Reference/.test(method) || !compilesMuch.test(method));
const methods = [...new Set(cases.map(({ method }) => method))];
test.each(methods)("an argument of any kind is refused by an error of ours, or works: %s", async (method) => {
  const own = fixture as Fixture;
  // The device is asked once for all cases of a method: each answer takes Dawn milliseconds.
  const asked: Fixture = Object.create(own, { requireNoError: { value: async () => {} } });
  for (const one of cases.filter((other) => other.method === method)) {
    await runJunk(one, asked);
  }
  await own.requireNoError(method);
});
