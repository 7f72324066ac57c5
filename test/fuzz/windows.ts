import { contextOf } from "../../src/gpu/device/device.ts";
import type { KeptPlan } from "../../src/gpu/device/kept.ts";
import type { Limits } from "../../src/plan/device_facts.ts";
import type { Fixture } from "./fixture.ts";

// Ranges that are longer than a binding may be. The device is taken for one whose bindings are short.

/** Bytes of a binding: of an element of 64 bytes, one window holds 256. */
const BINDING = 20480;

/** The plans that devices have kept for the other length of bindings. */
const othersOf = new WeakMap<object, KeptPlan[]>();

/** Does something while the device is taken for one whose bindings are short. */
export async function inShortBindings<T>(
  fixture: Fixture,
  action: (short: Fixture) => Promise<T>,
): Promise<T> {
  const { fold } = fixture;
  const context = contextOf(fold.device);
  const { kept, facts } = context;
  // What was planned for other bindings is not used.
  const change = (): void => {
    const others = othersOf.get(context) ?? [];
    othersOf.set(context, kept.plans.splice(0));
    kept.plans.push(...others);
  };
  const limits = new Proxy(facts.limits, {
    get: (own, name) => (name === "maxStorageBufferBindingSize" ? BINDING : Reflect.get(own, name, own)),
  }) as Limits;
  change();
  context.facts = { ...facts, limits };
  try {
    return await action({
      ...fixture,
      kept: (key, make) => fixture.kept(`bindings of ${BINDING} bytes: ${key}`, make),
    });
  } finally {
    context.facts = facts;
    change();
  }
}
