import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { auditOf } from "../../support/audit.ts";
import { type OperatorApi, operatorApi } from "../../support/operator-api.ts";
import { unpackBackup } from "../../support/unpack-backup.ts";
import { until } from "../../support/until.ts";

/** Size of the database in a backup. */
function unpackedBytes(folder: string, name: string): number {
  const [path, target] = [join(folder, name), join(folder, "unpacked.db")];
  unpackBackup(path, target);
  return statSync(target).size;
}

/** What the operator's programs do with the appliance itself: jobs and sources, over the real application. */

let appliance: Appliance;
let operator: OperatorApi;
beforeEach(async () => {
  appliance = await startAppliance();
  operator = await operatorApi(appliance, ["system"]);
});
afterEach(() => appliance.close());

const recount = async () => {
  const { body } = await operator.get("jobs/");
  return body.results.find(({ name }: { name: string }) => name === "recount");
};

test("a job is started once at a time, and the list tells how it ended", async () => {
  const never = { name: "recount", schedule: "0 3 * * *", last_run_at: null, failure: null };
  expect(await recount()).toMatchObject({ ...never, finished_at: null });
  const started = await operator.post("jobs/recount/run/", {});
  expect([started.status, started.body.name]).toEqual([200, "recount"]);
  expect(started.body.last_run_at).not.toBeNull();
  await until(async () => (await recount()).finished_at !== null, "the end of the job");
  expect(await recount()).toMatchObject({ failure: null });
  expect(auditOf(appliance, "everybody").at(-1)).toMatchObject({
    ...{ action: "job.run", target: "job recount" },
  });

  const { db } = appliance.app.domains;
  db.prepare("UPDATE jobs SET finished_at = NULL WHERE name = 'recount'").run();
  const refused = await operator.post("jobs/recount/run/", {});
  expect([refused.status, refused.body]).toMatchObject([
    409,
    { code: "conflict", detail: "The job is already running." },
  ]);
  expect((await operator.post("jobs/format-disk/run/", {})).status).toBe(404);
});

test("a source is paused, resumed, read on request and removed", async () => {
  await appliance.app.sources.add(
    {
      name: "missing",
      ...{ headers: {}, schedule: "1d" },
      settings: {
        ...{ kind: "folder", folder: "/no/such/folder", rows: "channels", strict: false },
        ...{ reading: { format: null, from: null, map: {}, ignoreUnknown: false } },
        timezone: "Europe/Moscow",
      },
    },
    COMMAND_LINE,
  );
  const added = { id: 1, name: "missing", rows: "channels", from: "/no/such/folder", state: "new" };
  expect((await operator.get("sources/")).body.results).toMatchObject([added]);
  expect((await operator.post("sources/1/pause/", {})).body).toMatchObject({ state: "paused" });
  expect((await operator.post("sources/1/resume/", {})).body).toMatchObject(added);
  expect((await operator.post("sources/1/run/", {})).body).toMatchObject({ id: 1 });
  await appliance.app.sources.tick();
  await appliance.app.sources.settled();
  const failed = (await operator.get("sources/1/")).body;
  expect(failed).toMatchObject({ state: "failing", failures: 1 });
  expect(failed.last_error).toContain("/no/such/folder");
  expect((await operator.send("DELETE", "sources/1/")).status).toBe(204);
  for (const path of ["sources/1/run/", "sources/1/pause/"]) {
    expect((await operator.post(path, {})).status).toBe(404);
  }
  expect((await operator.get("sources/1/")).status).toBe(404);
  const actions = auditOf(appliance, "everybody").map(({ action }) => action);
  expect(actions.filter((action) => action.startsWith("source."))).toEqual(
    ["add", "pause", "resume", "run", "remove"].map((action) => `source.${action}`),
  );
});

test("pages of jobs continue by their names", async () => {
  const all = (await operator.get("jobs/?fields=name")).body;
  expect(all.next).toBeNull();
  const names: unknown[] = [];
  for (let next = "?limit=4&fields=name"; next !== ""; ) {
    const { body } = await operator.get(`jobs/${next}`);
    names.push(...body.results);
    next = body.next === null ? "" : new URL(body.next).search;
  }
  expect(names).toEqual(all.results);
  expect(names.length).toBeGreaterThan(4);
});

test("the job makes a backup, which is listed by its name; an unreadable folder is told", async () => {
  expect((await operator.get("backups/")).body).toEqual({ results: [], next: null });
  const folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
  const backing = await startAppliance({ KANALOG_BACKUP_DIR: folder });
  const system = await operatorApi(backing, ["system"]);
  const list = () => system.get("backups/");
  expect((await system.post("jobs/backup/run/", {})).status).toBe(200);
  await until(async () => (await list()).body.results.length === 1, "the backup");
  const [backup] = (await list()).body.results;
  expect(backup.name).toMatch(/^\w+-2026-11-20T12-00-00\.backup$/);
  expect(backup.bytes).toBe(unpackedBytes(folder, backup.name));
  await backing.app.scheduler.stop();
  rmSync(folder, { recursive: true });
  const { status, body } = await list();
  expect([status, body.detail]).toEqual([503, `The folder of backups, ${folder}, cannot be read.`]);
  await backing.close();
});

test("readiness and metrics are those of all processes, for keys that may read or manage the system", async () => {
  const ready = await operator.get("readiness/");
  expect(ready).toMatchObject({ status: 200, body: { is_ready: true, warnings: [] } });
  expect(ready.body.checks).toContainEqual({ name: "database", problem: null });
  const metrics = await operator.get("metrics/");
  expect(metrics.headers.get("content-type")).toStartWith("text/plain");
  expect(metrics.body).toContain("# TYPE kanalog_");
  const data = await operatorApi(appliance, ["data"]);
  for (const path of ["readiness/", "metrics/"]) expect((await data.get(path)).status).toBe(403);
});

test("a backup is made on request, and refused where there is no folder for it", async () => {
  const refused = await operator.post("backups/", {});
  expect(refused).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("KANALOG_BACKUP_DIR") },
  });
  const folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
  const other = await startAppliance({ KANALOG_BACKUP_DIR: folder });
  const system = await operatorApi(other, ["system"]);
  const made = await system.post("backups/", {});
  expect(made).toMatchObject({ status: 202, body: { name: "backup", failure: null } });
  const listed = async () => (await system.get("backups/")).body.results;
  await until(async () => (await listed()).length === 1, "the end of the backup");
  const [{ name, bytes }] = await listed();
  expect(bytes).toBe(unpackedBytes(folder, name));
  expect((await system.get(`backups/${name}/`)).body).toMatchObject({ name, bytes });
  expect((await system.get("backups/none.backup/")).status).toBe(404);
  await other.close();
  rmSync(folder, { recursive: true });
});

test("a source is added with all that is wrong with it reported by field", async () => {
  const wrong = await operator.post("sources/", {
    ...{ kind: "people", url: "https://files.example.com/a.csv", header: "none" },
    ...{ time_limit: "1 hour", timezone: "Moscow", map: "columns" },
  });
  expect(wrong.status).toBe(400);
  expect(Object.keys(wrong.body).toSorted()).toEqual([
    ...["header", "kind", "map", "time_limit", "timezone"],
  ]);
  const refused = await operator.post("sources/", { kind: "posts", url: "http://127.0.0.1/" });
  expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["url"]]);
  const added = await operator.post("sources/", {
    ...{ kind: "posts", url: "https://files.example.com/posts.csv", schedule: "6h" },
    ...{ header: "Authorization: Bearer abc", map: '{"Текст": "text"}', time_limit: "2h" },
  });
  expect(added).toMatchObject({
    status: 201,
    body: { name: "files.example.com/posts.csv", rows: "posts", time_limit_seconds: 7200 },
  });
  expect(JSON.stringify(added.body)).not.toContain("Bearer");
  const changed = await operator.post("sources/1/change/", { time_limit: "90m" });
  expect(changed.body).toMatchObject({ time_limit_seconds: 5400 });
  const pushes = await operator.post("sources/1/pushes/", { state: "on" });
  expect([pushes.status, Object.keys(pushes.body)]).toEqual([400, ["state"]]);
  const bot = await operator.post("sources/add-bot/", { kind: "telegram", token: "wrong" });
  expect([bot.status, Object.keys(bot.body)]).toEqual([400, ["token"]]);
});
