import { type Check, CLAUSES, type ClauseId } from "./check.ts";
import type { Result } from "./run.ts";

/** What a run prints, and the list of checks by the part of the specification that each is about. */

const PARTS = Object.entries(CLAUSES) as [ClauseId, (typeof CLAUSES)[ClauseId]][];

const WIDTH = Math.max(...PARTS.map(([clause]) => clause.length)) + 2;

export function countsOf(results: readonly Result[]): Record<Result["outcome"], number> {
  const number = (outcome: Result["outcome"]) =>
    results.filter((result) => result.outcome === outcome).length;
  return { ok: number("ok"), fault: number("fault"), skip: number("skip") };
}

const NAMES: Readonly<Record<Result["outcome"], string>> = {
  ok: "ok",
  fault: "failed",
  skip: "skipped",
};

const countsText = (results: readonly Result[]): string =>
  Object.entries(countsOf(results))
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${NAMES[outcome as Result["outcome"]]}`)
    .join(", ");

/** A line for each part, every fault below its part, and why checks were skipped. */
export function textReport(results: readonly Result[], seconds: number): string {
  const lines = PARTS.flatMap(([clause, { says }]) => {
    const own = results.filter((result) => result.clause === clause);
    if (own.length === 0) return [];
    const faults = own.filter(({ outcome }) => outcome === "fault");
    return [
      `${clause.padEnd(WIDTH)}${countsText(own).padEnd(24)}${says}`.trimEnd(),
      ...faults.flatMap(({ title, reason }) => [`    FAILED ${title}`, `        ${reason}`]),
    ];
  });
  const skipped = Map.groupBy(
    results.filter(({ outcome }) => outcome === "skip"),
    ({ reason }) => reason,
  );
  const reasons = [...skipped].map(([reason, { length }]) => `    ${length} because: ${reason}`);
  return [
    ...lines,
    ...(reasons.length > 0 ? ["", "Skipped:", ...reasons] : []),
    "",
    `${results.length} checks in ${seconds.toFixed(1)} s: ${countsText(results)}.`,
  ].join("\n");
}

export const tapHead = (checks: readonly Check[]): string => `TAP version 14\n1..${checks.length}`;

/** A result in TAP, whose descriptions escape `#`. */
export function tapLine({ clause, title, outcome, reason }: Result, number: number): string {
  const description = `${clause}: ${title}`.replaceAll("#", "\\#");
  const line = `${outcome === "fault" ? "not ok" : "ok"} ${number} - ${description}`;
  if (outcome === "skip") return `${line} # SKIP ${reason}`;
  if (outcome === "ok") return line;
  return `${line}\n  ---\n  message: ${JSON.stringify(reason)}\n  ...`;
}

export function jsonReport(results: readonly Result[]): object {
  return {
    ...countsOf(results),
    checks: results.map(({ clause, title, outcome, reason }) => ({
      ...{ part: clause, title, outcome, reason },
    })),
  };
}

/** The parts of the specification with the titles of their checks, or why they have none. */
export function listOf(checks: readonly Check[]) {
  return PARTS.map(([part, { says, elsewhere = null }]) => ({
    ...{ part, says, elsewhere },
    checks: checks.filter(({ clause }) => clause === part).map(({ title }) => title),
  }));
}

export function listText(checks: readonly Check[]): string {
  return listOf(checks)
    .flatMap(({ part, says, elsewhere, checks: titles }) => [
      `${part}: ${says}${elsewhere === null ? "" : ` (no check: ${elsewhere})`}`,
      ...titles.map((title) => `    ${title}`),
    ])
    .join("\n");
}
