import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import BetterSqlite3 from "better-sqlite3";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { createMachine, type Machine } from "../../support/machine.ts";
import { SCRAPED, scrape } from "../../support/scrape.ts";
import { unpackBackup } from "../../support/unpack-backup.ts";
import { STAFF, staffVisitor } from "../../support/visitor.ts";

let machine: Machine;
let appliance: Appliance;
beforeEach(async () => {
  machine = createMachine();
  appliance = await startAppliance({
    KANALOG_BACKUP_DIR: machine.path("backups"),
    KANALOG_BACKUPS_KEPT: "3",
    ...SCRAPED,
  });
  await appliance.app.scheduler.runDue();
});
afterEach(async () => {
  await appliance.close();
  await machine.leave();
});

/** Files of the folder, without the packs. */
const files = (): string[] =>
  readdirSync(machine.path("backups"))
    .filter((name) => name !== "kanalog-packs")
    .sort();

/** Runs due jobs on a day, some seconds after the backup is due. */
async function nightOf(day: string): Promise<void> {
  appliance.ports.clock.set(`${day}T04:00:07+03:00`);
  await appliance.app.scheduler.runDue();
}

/** Puts a file in the folder's place. */
function breakFolder(): void {
  rmSync(machine.path("backups"), { recursive: true, force: true });
  machine.write("backups", "no folder");
}

function mendFolder(): void {
  rmSync(machine.path("backups"));
}

const job = async () =>
  (await appliance.app.scheduler.list()).find(({ name }) => name === "backup");

test("every day at 04:00 Moscow time a sound backup is written, named by its day and time", async () => {
  appliance.ports.clock.set("2026-11-21T03:59:59+03:00");
  await appliance.app.scheduler.runDue();
  await expect(async () => files()).toThrow("ENOENT");
  await nightOf("2026-11-21");
  await nightOf("2026-11-21");
  expect(files()).toEqual(["kanalog-2026-11-21T04-00-07.backup"]);
  const path = machine.path("backups/kanalog-2026-11-21T04-00-07.backup");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  unpackBackup(path, machine.database);
  const copy = new BetterSqlite3(machine.database, { readonly: true });
  expect(copy.pragma("integrity_check", { simple: true })).toBe("ok");
  expect(copy.prepare("SELECT count(*) AS n FROM plans").get()).toEqual({ n: 4 });
  copy.close();
  expect(await job()).toMatchObject({ pattern: "0 4 * * *", failure: null });
});

test("the oldest backups are removed, and no other file of the folder", async () => {
  mkdirSync(machine.path("backups"));
  const others = [
    ...["kanalog-2020-01-01T04-00-00.db", "kanalog-2020-01-01T04-00-00.backup.gz"],
    ...["kanalog.db", "kanalog-notes.txt"],
  ].map((name) => `backups/${name}`);
  for (const name of others) machine.write(name, "precious");
  for (const day of [21, 22, 23, 24, 25]) await nightOf(`2026-11-${day}`);
  const own = files().filter((name) => name.startsWith("kanalog-2026"));
  expect(own.map((name) => name.slice(8, 18))).toEqual(["2026-11-23", "2026-11-24", "2026-11-25"]);
  for (const name of others) expect(machine.read(name)).toBe("precious");
});

test("a backup dated ahead by a wrong clock replaces no other, is not shown as the latest, and is kept", async () => {
  const staff = await staffVisitor(appliance);
  mkdirSync(machine.path("backups"));
  const ahead = "kanalog-2028-01-01T04-00-00.backup";
  machine.write(`backups/${ahead}`, "dated ahead");
  for (const day of [21, 22, 23, 24]) await nightOf(`2026-11-${day}`);
  expect(files().map((name) => name.slice(8, 18))).toEqual([
    ...["2026-11-22", "2026-11-23", "2026-11-24"],
    "2028-01-01",
  ]);
  const { html } = await staff.get("/staff/database/");
  expect(html).toContain("kanalog-2026-11-24T04-00-07.backup");
  expect(html).not.toContain(ahead);
});

test("without a backup folder there is no such job", async () => {
  const without = await startAppliance();
  expect((await without.app.scheduler.list()).map(({ name }) => name)).not.toContain("backup");
  await expect(without.app.scheduler.runNow("backup", COMMAND_LINE)).rejects.toMatchObject({
    code: "not_found",
  });
  await without.close();
});

test("a failed backup is mailed to staff once, shown by /readyz, and cleared by the next success", async () => {
  await staffVisitor(appliance);
  const { mail, log } = appliance.ports;
  breakFolder();
  await nightOf("2026-11-21");
  await appliance.app.scheduler.runDue();
  await appliance.app.mailer.runDue();
  expect(mail.sent).toHaveLength(1);
  const [{ to, subject, text, html } = { to: [], subject: "", text: "", html: "" }] = mail.sent;
  expect(to).toEqual([STAFF]);
  expect(subject).toBe("The backup failed");
  for (const part of [text, html]) {
    expect(part).toContain("could not be written");
    expect(part).not.toMatch(/[а-я]/i);
    expect(part).toContain(machine.path("backups"));
    expect(part).toContain("2026-11-21T04:00:07+03:00");
  }
  expect(html).not.toContain("<script");
  expect(log.errors).toHaveLength(1);

  const ready = await appliance.request("/readyz");
  expect(ready.status).toBe(200);
  expect(ready.body.checks.backup).toBe(
    "The backup of 2026-11-21T04:00:07+03:00 failed; the log says why.",
  );
  expect(JSON.stringify(ready.body)).not.toContain(machine.folder);

  mendFolder();
  await nightOf("2026-11-22");
  await appliance.app.mailer.runDue();
  expect((await appliance.request("/readyz")).body.checks).not.toHaveProperty("backup");
  expect(mail.sent).toHaveLength(1);
});

test("a mail server that is down delays the mail and causes no second one", async () => {
  await staffVisitor(appliance);
  const { mail, clock } = appliance.ports;
  breakFolder();
  mail.isDown = true;
  await nightOf("2026-11-21");
  await appliance.app.mailer.runDue();
  mail.isDown = false;
  clock.advance(60_000);
  await appliance.app.mailer.runDue();
  clock.advance(60_000);
  await appliance.app.mailer.runDue();
  expect(mail.sent).toHaveLength(1);
});

test("the metrics report when the last backup was completed, whatever has failed since", async () => {
  const name = "kanalog_backup_last_timestamp_seconds";
  expect((await scrape(appliance)).has(name)).toBe(false);
  await nightOf("2026-11-21");
  const [file = ""] = files();
  const finishedAt = statSync(machine.path(`backups/${file}`)).mtimeMs / 1000;
  expect((await scrape(appliance)).get(name)).toBeCloseTo(finishedAt, 3);
});

test("staff's console shows the last backup, that there is none, or that it failed", async () => {
  const staff = await staffVisitor(appliance);
  const page = async (): Promise<string> => (await staff.get("/staff/database/")).html;
  expect(await page()).toContain("None yet.");
  await nightOf("2026-11-21");
  expect(await page()).toContain(machine.path("backups/kanalog-2026-11-21T04-00-07.backup"));
  breakFolder();
  await nightOf("2026-11-22");
  expect(await page()).toContain("The last run failed");
  expect((await staff.get("/staff/jobs/")).html).toContain("Backs up the database");
});
