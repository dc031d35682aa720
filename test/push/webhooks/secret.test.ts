import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, createApp } from "../../../src/app/app.ts";
import { openDomains } from "../../../src/app/domains.ts";
import { type Environment, readConfig } from "../../../src/config.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type FakePorts, fakePortsOfNow } from "../../support/fake-ports.ts";
import { type Pushing, startPushing } from "../../support/pushing.ts";

/** Secrets are stored encrypted, with a key that is kept outside the database file. */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ONE = "one secret of at least 32 characters";
const OTHER = "another secret of at least 32 characters";

function environment(more: Environment = {}): Environment {
  return { KANALOG_DB: join(folder, "kanalog.db"), ...more };
}

/** Folders as a first start left them, by settings: each is created once, and every test gets a copy. */
const firstStarts = new Map<string, { folder: string; pushing: Pushing }>();
afterAll(() => {
  for (const first of firstStarts.values()) rmSync(first.folder, { recursive: true });
});

async function pushOnce(more: Environment = {}): Promise<Pushing> {
  const name = JSON.stringify(more);
  let first = firstStarts.get(name);
  if (first === undefined) {
    const own = mkdtempSync(join(tmpdir(), "kanalog-test-"));
    const pushing = await startPushing(
      { KANALOG_DB: join(own, "kanalog.db"), ...more },
      fakePortsOfNow(),
    );
    await pushing.close();
    first = { folder: own, pushing };
    firstStarts.set(name, first);
  }
  cpSync(first.folder, folder, { recursive: true });
  return first.pushing;
}

/** Files beside those of the database. */
function filesBeside(): string[] {
  return readdirSync(folder).filter((name) => !/^kanalog\.db(-wal|-shm|-turns)?$/.test(name));
}

/**
 * Everything that is stored. The log is read first, because it disappears once it has been moved to the
 * database.
 */
function databaseText(): string {
  return contentOf("kanalog.db-wal") + contentOf("kanalog.db");
}

function contentOf(name: string): string {
  try {
    return readFileSync(join(folder, name), "latin1");
  } catch {
    return "";
  }
}

async function restart(more?: Environment): Promise<{ app: App; ports: FakePorts }> {
  const own = fakePortsOfNow();
  return { app: await createApp(readConfig(environment(more)), own), ports: own };
}

test("the first start creates one secret file beside the database, readable by its owner only", async () => {
  await pushOnce();
  const [name = "", ...others] = filesBeside();
  expect(others).toEqual([]);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  const secret = readFileSync(join(folder, name), "utf8").trim();
  expect(secret.length).toBeGreaterThanOrEqual(32);
  expect(databaseText()).not.toContain(secret);
});

test("no file is created if KANALOG_SECRET is set", async () => {
  await pushOnce({ KANALOG_SECRET: ONE });
  expect(filesBeside()).toEqual([]);
  expect(databaseText()).not.toContain(ONE);
});

test("a webhook's signing secret is not in the database file", async () => {
  const { secret } = await pushOnce();
  expect(databaseText()).toContain("receiver.example");
  expect(databaseText()).not.toContain(secret);
  expect(databaseText()).not.toContain(secret.slice("whsec_".length));
});

for (const more of [{}, { KANALOG_SECRET: ONE }]) {
  const where = "KANALOG_SECRET" in more ? "KANALOG_SECRET" : "the secret file";
  test(`a restart with ${where} signs with the same secrets`, async () => {
    const { id, secret, customer } = await pushOnce(more);
    const files = filesBeside().map((name) => readFileSync(join(folder, name), "utf8"));
    const { app, ports: own } = await restart(more);
    const request = new Request(`http://localhost/v1/msgr/webhooks/${id}/test/`, {
      method: "POST",
      headers: { authorization: `Bearer ${customer.key}` },
    });
    expect((await app.server.handle(request)).status).toBe(200);
    await app.close();
    const [{ body, headers } = { body: "", headers: {} as Record<string, string> }] =
      own.network.posts;
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(headers["x-service-signature"] ?? "") ?? [];
    expect(v1).toBe(createHmac("sha256", secret).update(`${t}.${body}`).digest("hex"));
    expect(filesBeside().map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(files);
  });
}

test("a start with a wrong KANALOG_SECRET is refused, naming it and neither secret", async () => {
  await pushOnce({ KANALOG_SECRET: ONE });
  const error = await restart({ KANALOG_SECRET: OTHER }).catch((fault: Error) => fault);
  expect(error).toBeInstanceOf(Error);
  expect(String(error)).toContain("KANALOG_SECRET");
  expect(String(error)).not.toContain(ONE);
  expect(String(error)).not.toContain(OTHER);
});

test("a start without the KANALOG_SECRET that was set before is refused", async () => {
  await pushOnce({ KANALOG_SECRET: ONE });
  const error = await restart().catch((fault: Error) => fault);
  expect(error).toBeInstanceOf(Error);
});

test("if the secret is lost, staff can enable a webhook once its owner has rotated its signing secret", async () => {
  const { id, customer } = await pushOnce({ KANALOG_SECRET: ONE });
  const lost = environment({ KANALOG_SECRET: OTHER });
  const operator = await openDomains(readConfig(lost), fakePortsOfNow());
  await operator.webhooks.disable(id, "", COMMAND_LINE);
  await expect(operator.webhooks.enable(id, COMMAND_LINE)).rejects.toMatchObject({
    code: "conflict",
    detail: "The signing secret cannot be read any more: have its owner rotate it first.",
  });
  operator.db.close();
  const { app } = await restart({ KANALOG_SECRET: OTHER });
  const rotate = new Request(`http://localhost/v1/msgr/webhooks/${id}/rotate-secret/`, {
    method: "POST",
    headers: { authorization: `Bearer ${customer.key}` },
  });
  expect((await app.server.handle(rotate)).status).toBe(200);
  expect((await app.domains.webhooks.enable(id, COMMAND_LINE)).disabledReason).toBe("");
  await app.close();
});

test("a start with another KANALOG_SECRET is possible if there are no webhooks", async () => {
  const { app } = await restart({ KANALOG_SECRET: ONE });
  await app.close();
  const again = await restart({ KANALOG_SECRET: OTHER });
  await again.app.close();
});

test("a KANALOG_SECRET of fewer than 32 characters prevents the start", () => {
  expect(() => readConfig(environment({ KANALOG_SECRET: "x".repeat(31) }))).toThrow(
    "KANALOG_SECRET",
  );
  expect(() => readConfig(environment({ KANALOG_SECRET: "ы".repeat(32) }))).not.toThrow();
});

test("a start without the secret file is refused, and no other one is created in its place", async () => {
  await pushOnce();
  const path = join(folder, "kanalog.db.secret");
  const secret = readFileSync(path, "utf8");
  rmSync(path);
  await expect(restart()).rejects.toThrow(/secret file .*kanalog\.db\.secret, .* is missing/);
  expect(filesBeside()).toEqual([]);
  writeFileSync(path, secret);
  const { app } = await restart();
  await app.close();
});
