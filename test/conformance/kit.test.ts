import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ALL_CHECKS } from "../../src/conformance/all-checks.ts";
import { CLAUSES } from "../../src/conformance/clauses.ts";
import { createKit } from "../../src/conformance/client.ts";
import { type Result, runChecks } from "../../src/conformance/run.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { sendTo } from "../../src/ports/download.ts";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { until } from "../support/until.ts";
import { type FaultyProxy, type Planted, startFaultyProxy } from "./faulty-proxy.ts";
import { PLANTED } from "./planted-faults.ts";

/** The conformance kit, as people run it: against a real process, and through a proxy that breaks one thing. */

let machine: Machine;
let serving: Serving;
let proxy: FaultyProxy;
let key: string;

beforeAll(async () => {
  machine = createMachine();
  serving = await machine.serve(["start"]);
  await until(() => serving.printed().includes("API key"));
  key = /knl_rw_[0-9A-Za-z]{38}/.exec(serving.printed())?.[0] ?? "";
  await machine.json(["plan", "set", "profi", "--rate", "1000000", "--database-ms", "64000"]);
  proxy = startFaultyProxy(serving.address);
});
afterAll(async () => {
  await proxy.stop();
  await machine.leave();
});

interface Report {
  ok: number;
  fault: number;
  skip: number;
  checks: { part: string; title: string; outcome: string; reason: string | null }[];
}

async function reportOf(url: string): Promise<Report> {
  const { out, notes } = await machine.run(["conformance", "--url", url, "--key", key, "--json"]);
  expect(notes).toBe("");
  return JSON.parse(out);
}
const faultsOf = ({ checks }: Report) => checks.filter(({ outcome }) => outcome === "fault");

/** Parts whose checks are still to be written. */
const LATER =
  /^(spec (1\.[123]|3|4 me|4 categories|5\.[12347]|6)|decisions (1 messages|5|6|10)|mcp connect|limits-of-one rules|verbs|living-data 6)/;

test("every part of the specification has checks, or says why no request can tell", () => {
  const counted = new Map(Object.keys(CLAUSES).map((part) => [part, 0]));
  for (const { clause } of ALL_CHECKS) counted.set(clause, (counted.get(clause) ?? 0) + 1);
  for (const [part, { elsewhere }] of Object.entries(CLAUSES)) {
    const count = counted.get(part) ?? 0;
    if (count === 0 && LATER.test(part)) continue;
    expect({ part, has: count > 0 }).toEqual({ part, has: elsewhere === null });
  }
  expect(ALL_CHECKS.length).toBeGreaterThan(1_000);
  const names = ALL_CHECKS.map(({ clause, title }) => `${clause}: ${title}`);
  expect(names.length - new Set(names).size).toBe(0);
});

test("an appliance passes all checks", async () => {
  const report = await reportOf(serving.address);
  expect(faultsOf(report)).toEqual([]);
  expect(report.ok).toBeGreaterThan(1_000);
});

describe("behind a proxy", () => {
  /** What the checks that should find a fault say, once it is planted. */
  async function found({ found: title }: Planted, planted: Planted | null): Promise<Result[]> {
    proxy.planted = planted;
    const results: Result[] = [];
    const checks = ALL_CHECKS.filter((check) => title.test(check.title));
    const target = { base: proxy.address, key, operatorKey: null };
    const { now, sleep } = systemClock;
    await runChecks(checks, createKit(target, { send: sendTo, now, sleep }), false, (result) =>
      results.push(result),
    );
    return results.filter(({ outcome }) => outcome === "fault");
  }

  test.each(PLANTED)("$name is found", async (planted) => {
    expect(await found(planted, null)).toEqual([]);
    expect(await found(planted, planted)).not.toEqual([]);
  });
});
