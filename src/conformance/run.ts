import { type Check, type Kit, Missing } from "./check.ts";

export interface Result extends Check {
  /** `skip` if the appliance, or what the run was given, lacks what the check needs. */
  outcome: "ok" | "fault" | "skip";
  /** Why, unless it is ok. */
  reason: string | null;
}

/** Runs checks one after another, and removes what they made. @param onResult called with each result */
export async function runChecks(
  checks: readonly Check[],
  kit: Kit,
  onResult: (result: Result) => void,
): Promise<void> {
  for (const check of checks) {
    const [outcome, reason] = await outcomeOf(check, kit);
    onResult({ ...check, outcome, reason });
  }
  for (const asked of kit.afterwards.reverse()) await kit.askAgain(asked);
}

async function outcomeOf({ run }: Check, kit: Kit): Promise<[Result["outcome"], string | null]> {
  try {
    const fault = await run(kit);
    return fault === null ? ["ok", null] : ["fault", fault];
  } catch (error) {
    if (error instanceof Missing) return ["skip", error.message];
    return ["fault", error instanceof Error ? error.message : String(error)];
  }
}
