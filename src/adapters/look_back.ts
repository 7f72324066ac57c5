import type { AdapterIdentity } from "./adapter.ts";
import { tableFor } from "./adapter.ts";
import { lookBack as gpu } from "./gpu.ts";
import { lookBack as nvidia } from "./nvidia.ts";
import { lookBack as software } from "./software.ts";
import type { LookBackTraits } from "./tables.ts";

/** What an adapter's work-groups do that look back. */
export const lookBackOn = (adapter: AdapterIdentity): LookBackTraits =>
  tableFor<LookBackTraits>({ software, nvidia, gpu }, adapter);
