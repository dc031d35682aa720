import type { Machine } from "./machine.ts";

/** Units that all organizations of a machine's database have used, in all periods. */
export function usedUnits(machine: Machine): number {
  const sql = "SELECT coalesce(sum(used), 0) AS used FROM usage_periods";
  return machine.query<{ used: number }>(sql)[0]?.used ?? 0;
}
