import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { type OperatorApi, operatorApi } from "../../support/operator-api.ts";
import { MINUTE_MS } from "../../support/pushing.ts";
import { until } from "../../support/until.ts";

/** Events of the appliance's own work: a source that falls silent, an import, and a backup that fails. */

const BACKUPS = mkdtempSync(join(tmpdir(), "kanalog-test-"));

let appliance: Appliance;
let operator: OperatorApi;
beforeEach(async () => {
  appliance = await startAppliance({ KANALOG_BACKUP_DIR: BACKUPS });
  operator = await operatorApi(appliance, ["read", "data", "system"]);
  const url = "https://billing.example.com/events";
  expect((await operator.post("operator-webhooks/", { url })).status).toBe(201);
});
afterEach(() => appliance.close());

/** Events sent so far. */
async function sent(): Promise<object[]> {
  await appliance.app.push.runDue();
  return appliance.ports.network.posts.map(({ body }) => JSON.parse(body));
}

test("a source's rows with their delay are told, and each run of it that fails after a good one", async () => {
  const { app, ports } = appliance;
  const { id, name } = await app.sources.addBot(
    { kind: "telegram", isDemo: true, token: "", name: "demo", api: "", schedule: "" },
    COMMAND_LINE,
  );
  await app.sources.runNow(id);
  ports.network.fileAt = () => ({ fault: "unreachable" });
  const url = "https://files.example.com/channels.csv";
  const added = await operator.post("sources/", { kind: "channels", url, name: "files" });
  for (const _ of [1, 2]) await app.sources.runNow(added.body.id);
  const source = { id: added.body.id, name: "files" };
  const read = { event: "source.read", source: { id, name }, rejected: 0 };
  expect(await sent()).toMatchObject([
    { ...read, rows: expect.any(Number), lag_seconds: expect.any(Number) },
    { event: "source.failed", source, error: expect.stringContaining("did not accept") },
  ]);
});

test("a source that fails every other time is told once, and rows that change nothing are not", async () => {
  const { app, ports } = appliance;
  const url = "https://files.example.com/channels.csv";
  const { body } = await operator.post("sources/", { kind: "channels", url, name: "files" });
  const csv = { status: 200, headers: {}, body: "id,title,subscribers\n1,One,1\n" };
  const runs = async (files: readonly object[]) => {
    for (const file of files) {
      ports.network.fileAt = () => file as ReturnType<typeof ports.network.fileAt>;
      await app.sources.runNow(body.id);
    }
  };
  const busy = (status: number): object => ({ status, headers: {}, body: "" });
  await runs([csv, busy(503), csv, busy(504), csv, busy(503), csv]);
  const source = { id: body.id, name: "files" };
  const failed = { event: "source.failed", source };
  expect(await sent()).toMatchObject([{ event: "source.read", source, rows: 1 }, failed]);
  await runs([{ fault: "unreachable" }, csv, { fault: "unreachable" }, csv]);
  ports.clock.advance(61 * MINUTE_MS);
  await runs([busy(503)]);
  expect((await sent()).slice(2)).toMatchObject([
    { ...failed, error: expect.stringContaining("did not accept") },
    { ...failed, error: expect.stringContaining("503") },
  ]);
});

test("a source that falls silent is told once", async () => {
  const url = "https://files.example.com/channels.csv";
  const added = await operator.post("sources/", { kind: "channels", url, name: "files" });
  expect(added).toMatchObject({ status: 201, body: { kind: "pull", from: url, schedule: "15m" } });
  const { app, ports } = appliance;
  await app.scheduler.runDue();
  for (const minutes of [45, 5, 5]) {
    ports.clock.advance(minutes * MINUTE_MS);
    await app.sources.tick();
    await app.sources.settled();
    await app.scheduler.runDue();
  }
  expect(await sent()).toMatchObject([
    { event: "source.failed", source: { id: added.body.id, name: "files" } },
    { event: "source.silent", source: { id: added.body.id, name: "files" } },
  ]);
});

test("an import that has ended is told with its counts, and one that failed with its error", async () => {
  const files = ["id,title,subscribers\n1,One,1\n2,Two,many\n", "no,such,columns\n1,2,3\n"];
  for (const body of files) {
    const { status } = await operator.send("POST", "imports/?kind=channels&wait=60", { body });
    expect(status).toBe(202);
  }
  expect(await sent()).toMatchObject([
    {
      event: "import.finished",
      import: { id: 1, kind: "channels", read: 2, inserted: 1, rejected: 1, error: "" },
    },
    {
      event: "import.finished",
      import: { id: 2, read: 0, error: expect.stringContaining("such") },
    },
  ]);
});

test("a backup that fails is told with its reason", async () => {
  rmSync(BACKUPS, { recursive: true });
  writeFileSync(BACKUPS, "no folder");
  const made = await operator.post("backups/", {});
  expect(made).toMatchObject({ status: 202, body: { name: "backup" } });
  const failure = async () => {
    const { body } = await operator.get("jobs/");
    return body.results.find(({ name }: { name: string }) => name === "backup").failure;
  };
  await until(async () => (await failure()) !== null, "the end of the backup");
  expect(await sent()).toMatchObject([
    { event: "backup.failed", folder: BACKUPS, reason: expect.stringMatching(/./) },
  ]);
});
