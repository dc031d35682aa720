import { type Check, CLAUSES, type Kit, Missing } from "./check.ts";
import { answerChecks, aroundChecks, parameterChecks } from "./checks/answers.ts";
import { catalogChecks } from "./checks/catalog.ts";
import { keyChecks } from "./checks/customers.ts";
import { dayChecks } from "./checks/days.ts";
import { eventChecks } from "./checks/events.ts";
import { limitChecks } from "./checks/limits.ts";
import { mcpChecks } from "./checks/mcp.ts";
import { modernChecks } from "./checks/mcp-modern.ts";
import { toolChecks } from "./checks/mcp-tools.ts";
import { operatorChecks } from "./checks/operator.ts";
import { pageChecks } from "./checks/pages.ts";
import { postChecks } from "./checks/posts.ts";
import { requestChecks } from "./checks/requests.ts";
import { webhookChecks } from "./checks/webhooks.ts";

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

const ORDER = Object.keys(CLAUSES);

const inOrder = (checks: readonly Check[]): readonly Check[] =>
  checks.toSorted((one, other) => ORDER.indexOf(one.clause) - ORDER.indexOf(other.clause));

/** All checks, in the order of the specification; those that may change something come last. */
export const ALL_CHECKS: readonly Check[] = [
  ...inOrder([
    ...requestChecks,
    ...answerChecks,
    ...parameterChecks,
    ...pageChecks,
    ...catalogChecks,
    ...dayChecks,
    ...postChecks,
    ...mcpChecks,
    ...toolChecks,
    ...modernChecks,
    ...aroundChecks,
  ]),
  ...inOrder([...limitChecks, ...keyChecks, ...webhookChecks, ...operatorChecks, ...eventChecks]),
];
