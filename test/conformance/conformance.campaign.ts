import { afterEach, beforeEach, expect, test } from "bun:test";
import { createMachine, type Machine } from "../support/machine.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { pushing } from "../support/webhook-journey.ts";
import { faultsOf, type KitWorld, keyPrintedBy, kitWorld } from "./kit-world.ts";

/** The conformance kit against several processes that answer at one address, and against two nodes. */

let machine: Machine;
let world: KitWorld | null;
let postgres: PostgresServer | null;
beforeEach(() => {
  machine = createMachine();
  world = null;
  postgres = null;
});
afterEach(async () => {
  await world?.close();
  await machine.leave();
  await postgres?.stop();
});

/** Loads the sample as the first start does. @returns the key that it prints */
async function withSample(environment: Record<string, string> = {}): Promise<string> {
  const first = await machine.serve(["start"], pushing(environment));
  await until(() => first.printed().includes("API key"));
  expect(await first.stop()).toBe(0);
  return keyPrintedBy(first);
}

test.if(process.platform === "linux")(
  "workers pass every check that one process passes",
  async () => {
    const key = await withSample();
    world = await kitWorld(machine, key);
    const { address } = await machine.serve(["serve", "--workers", "3"], pushing());
    const report = await world.run(address);
    expect(faultsOf(report)).toEqual([]);
    expect(report.ok).toBeGreaterThan(2_000);
  },
);

test.skipIf(!hasPostgres)("so does each of two nodes, which share what the other did", async () => {
  const key = await withSample();
  world = await kitWorld(machine, key);
  postgres = await startPostgres({ isFlushed: false });
  const of = (name: string, file: string) => ({
    KANALOG_CLUSTER: postgres?.url ?? "",
    KANALOG_NODE: name,
    KANALOG_SECRET: "the secret of both nodes of the kit",
    KANALOG_DB: file,
  });
  const [a, b] = [of("a", machine.database), of("b", machine.path("b.db"))];
  const begun = await machine.runProgram(["cluster", "init", "--from", machine.database], {
    environment: a,
  });
  expect(begun.exitCode, begun.notes).toBe(0);
  const joined = await machine.runProgram(["cluster", "join"], { environment: b });
  expect(joined.exitCode, joined.notes).toBe(0);
  for (const environment of [a, b]) {
    const { address } = await machine.serve(["serve"], pushing(environment));
    const report = await world.run(address);
    expect(faultsOf(report)).toEqual([]);
    expect(report.ok).toBeGreaterThan(2_000);
  }
});
