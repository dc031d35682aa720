import type { Check } from "./check.ts";
import { answerChecks } from "./checks/answers.ts";
import { aroundChecks } from "./checks/around.ts";
import { catalogChecks } from "./checks/catalog.ts";
import { dayChecks } from "./checks/days.ts";
import { eventChecks } from "./checks/events.ts";
import { keyChecks } from "./checks/keys.ts";
import { limitChecks } from "./checks/limits.ts";
import { mcpChecks } from "./checks/mcp.ts";
import { modernChecks } from "./checks/mcp-modern.ts";
import { toolChecks } from "./checks/mcp-tools.ts";
import { operatorChecks } from "./checks/operator.ts";
import { pageChecks } from "./checks/pages.ts";
import { parameterChecks } from "./checks/parameters.ts";
import { postChecks } from "./checks/posts.ts";
import { requestChecks } from "./checks/requests.ts";
import { webhookChecks } from "./checks/webhooks.ts";
import { CLAUSES } from "./clauses.ts";

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
