import type { Check } from "./check.ts";
import { answerChecks } from "./checks/answers.ts";
import { catalogChecks } from "./checks/catalog.ts";
import { dataChecks } from "./checks/data.ts";
import { limitChecks } from "./checks/limits.ts";
import { mcpChecks } from "./checks/mcp.ts";
import { modernChecks } from "./checks/mcp-modern.ts";
import { pageChecks } from "./checks/pages.ts";
import { parameterChecks } from "./checks/parameters.ts";
import { requestChecks } from "./checks/requests.ts";
import { CLAUSES } from "./clauses.ts";

const ORDER = Object.keys(CLAUSES);

/** All checks, in the order of the specification. */
export const ALL_CHECKS: readonly Check[] = [
  ...requestChecks,
  ...answerChecks,
  ...parameterChecks,
  ...pageChecks,
  ...catalogChecks,
  ...dataChecks,
  ...limitChecks,
  ...mcpChecks,
  ...modernChecks,
].sort((one, other) => ORDER.indexOf(one.clause) - ORDER.indexOf(other.clause));
