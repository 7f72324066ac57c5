import type { Kernel } from "../src/kernels/kernel.ts";
import type { Plan } from "../src/plan/plan.ts";

/** The plan with other kernels in place of its own. `change` is called once for each kernel. */
export function changeKernels(plan: Plan, change: (kernel: Kernel) => Kernel): Plan {
  const known = new Map<Kernel, Kernel>();
  const changed = (kernel: Kernel): Kernel => {
    const made = known.get(kernel) ?? change(kernel);
    known.set(kernel, made);
    return made;
  };
  return {
    ...plan,
    kernels: plan.kernels.map(changed),
    passes: (...run) => plan.passes(...run).map((pass) => ({ ...pass, kernel: changed(pass.kernel) })),
  };
}
