import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CLAUSES } from "../../src/conformance/check.ts";
import { createKit } from "../../src/conformance/client.ts";
import { ALL_CHECKS, type Result, runChecks } from "../../src/conformance/run.ts";
import { systemClock } from "../../src/ports/clock.ts";
import { sendTo } from "../../src/ports/download.ts";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { until } from "../support/until.ts";
import { pushing } from "../support/webhook-journey.ts";
import { type FaultyProxy, type Planted, startFaultyProxy } from "./faulty-proxy.ts";
import { faultsOf, type KitWorld, keyPrintedBy, kitWorld } from "./kit-world.ts";
import { PLANTED } from "./planted-faults.ts";

/** The conformance kit, as people run it: against a real process, and through a proxy that breaks one thing. */

let machine: Machine;
let serving: Serving;
let world: KitWorld;
let proxy: FaultyProxy;

beforeAll(async () => {
  machine = createMachine();
  serving = await machine.serve(["start"], pushing());
  await until(() => serving.printed().includes("API key"));
  world = await kitWorld(machine, keyPrintedBy(serving));
  proxy = startFaultyProxy(serving.address);
});
afterAll(async () => {
  await proxy.stop();
  await world.close();
  await machine.leave();
});

const run = (...words: string[]) => machine.run(["conformance", ...words]);

describe("the list of checks", () => {
  test("has each part of the specification, with its checks or why no request can tell", () => {
    const counted = new Map(Object.keys(CLAUSES).map((part) => [part, 0]));
    for (const { clause } of ALL_CHECKS) counted.set(clause, (counted.get(clause) ?? 0) + 1);
    for (const [part, { elsewhere }] of Object.entries(CLAUSES)) {
      const has = (counted.get(part) ?? 0) > 0;
      expect({ part, has }).toEqual({ part, has: elsewhere === undefined });
    }
    expect(ALL_CHECKS.length).toBeGreaterThan(2_000);
    const names = ALL_CHECKS.map(({ clause, title }) => `${clause}: ${title}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test("is printed, and no appliance is asked", async () => {
    const { exitCode, out } = await run("--list", "--json");
    expect(exitCode).toBe(0);
    const { parts } = JSON.parse(out) as { parts: { part: string; checks: string[] }[] };
    expect(parts.flatMap(({ checks }) => checks)).toHaveLength(ALL_CHECKS.length);
    expect((await run("--list")).out).toContain("spec 8 limits: Table: limits\n    ");
  });
});

// First: what the checks that write have made is removed in the background.
test("without --write nothing is changed", async () => {
  const tables = ["organizations", "keys", "webhooks", "channels", "posts", "audit_log"];
  const state = () =>
    tables.flatMap((table) => machine.query(`SELECT count(*) AS rows FROM ${table}`));
  const before = state();
  const keys = ["--key", world.key, "--operator-key", world.operatorKey];
  const { exitCode, out, notes } = await run("--url", serving.address, ...keys);
  expect({ exitCode, notes }).toEqual({ exitCode: 0, notes: "" });
  expect(out).toMatch(/\d+ because: needs --write/);
  expect(out).toMatch(/\d+ checks in [\d.]+ s: \d+ ok, \d+ skipped\.\n$/);
  expect(state()).toEqual(before);
});

test("an appliance passes every check that can be made", async () => {
  const report = await world.run(serving.address);
  expect(faultsOf(report)).toEqual([]);
  expect(report.ok).toBeGreaterThan(2_000);
  expect(report.skip).toBeLessThan(60);
});

describe("what is told in one line, and no check is made", () => {
  test.each([
    [["--url", "http://127.0.0.1:9"], "Nothing answers at http://127.0.0.1:9:"],
    [["--key", "knl_ro_nonsense"], "The key is refused:"],
    [["--listen", "9000"], "Give both --receiver and --listen, or neither."],
  ])("%p", async (words, line) => {
    const { exitCode, out, notes } = await run(
      "--url",
      serving.address,
      "--key",
      world.key,
      ...words,
    );
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(notes).toStartWith(line);
    expect(notes.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("behind a proxy", () => {
  /** What the checks that should find a fault say, once it is planted. */
  async function found({ found: title }: Planted, planted: Planted | null): Promise<Result[]> {
    proxy.planted = planted;
    const results: Result[] = [];
    const checks = ALL_CHECKS.filter((check) => title.test(check.title));
    const { key, operatorKey } = world;
    const target = { base: proxy.address, key, operatorKey, mayWrite: false, receiver: null };
    const { now, sleep } = systemClock;
    const kit = createKit(target, { send: sendTo, now, sleep });
    await runChecks(checks, kit, (result) => results.push(result));
    return results.filter(({ outcome }) => outcome === "fault");
  }

  test.each(PLANTED)("$name is found", async (planted) => {
    expect(await found(planted, null)).toEqual([]);
    expect(await found(planted, planted)).not.toEqual([]);
  });

  test("a fault is told with its reason, as TAP too, and the exit code is 1", async () => {
    proxy.planted = PLANTED.find(({ name }) => name === "a card without its title") ?? null;
    const words = ["--url", proxy.address, "--key", world.key];
    const said = await run(...words);
    expect(said.exitCode).toBe(1);
    expect(said.out).toContain(
      "FAILED msgr_channels_retrieve: channel.title is text\n        title is missing in",
    );
    const tap = await run(...words, "--tap");
    expect(tap.exitCode).toBe(1);
    expect(tap.out).toStartWith(`TAP version 14\n1..${ALL_CHECKS.length}\n`);
    expect(tap.out).toMatch(
      /^not ok \d+ - spec 2 channel: msgr_channels_retrieve: channel.title is text\n {2}---\n/m,
    );
    expect(tap.out.match(/^(?:not )?ok /gm)).toHaveLength(ALL_CHECKS.length);
  });
});
