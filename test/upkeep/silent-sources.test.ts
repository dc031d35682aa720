import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { MOSCOW_ZONE } from "../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../support/appliance.ts";
import { addPerson, signedInVisitor } from "../support/visitor.ts";

/** Sources that deliver nothing any more are reported (sources, section 1). */

const MINUTE_MS = 60_000;

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance({ KANALOG_TRUST_PROXY: "true" });
  for (const email of ["ada@example.com", "bob@example.com"]) {
    await appliance.app.domains.people.ensurePerson({ email, name: "" });
    await appliance.app.domains.people.markStaff({ email, isStaff: true, by: COMMAND_LINE });
  }
  const reading = { format: null, from: null, map: {}, ignoreUnknown: false };
  const options = { rows: "channels", reading, timezone: MOSCOW_ZONE, strict: false } as const;
  const settings = { kind: "pull", url: "https://files.example.com/", ...options } as const;
  await appliance.app.sources.add(
    { name: "files", schedule: "15m", headers: {}, settings },
    COMMAND_LINE,
  );
  // A job that is new has nothing to catch up on.
  await appliance.app.scheduler.runDue();
});
afterEach(() => appliance.close());

async function pass(durationMs: number): Promise<void> {
  appliance.ports.clock.advance(durationMs);
  await appliance.app.sources.tick();
  await appliance.app.sources.settled();
  await appliance.app.scheduler.runDue();
  await appliance.app.mailer.runDue();
}

const mails = () => appliance.ports.mail?.sent ?? [];
const readiness = async () => appliance.request("/readyz");

test("staff get one mail about a source that fell silent, and another only after it has worked again", async () => {
  await pass(45 * MINUTE_MS);
  expect(mails()).toEqual([]);
  await pass(5 * MINUTE_MS);
  await pass(24 * 60 * MINUTE_MS);
  expect(mails().map(({ to }) => to)).toEqual([["ada@example.com"], ["bob@example.com"]]);
  expect(mails()[0]?.subject).toContain("files");
  appliance.ports.network.fileAt = () => ({
    ...{ status: 200, body: "id,title,subscribers,is_public\n1,One,1,true\n" },
  });
  await pass(60 * MINUTE_MS);
  expect(mails()).toHaveLength(2);
  appliance.ports.network.fileAt = () => ({ status: 500 });
  await pass(50 * MINUTE_MS);
  expect(mails()).toHaveLength(4);
});

test("/readyz lists it under `checks` and stays 200; a paused source is not silent", async () => {
  await pass(46 * MINUTE_MS);
  expect(await readiness()).toMatchObject({
    ...{
      status: 200,
      body: { checks: { sources: expect.stringContaining("three of their intervals: files.") } },
    },
  });
  const [source] = await appliance.app.sources.list();
  await appliance.app.sources.pauseSource(source?.id ?? 0, COMMAND_LINE);
  expect((await readiness()).body.checks).not.toHaveProperty("sources");
});

test("the metrics report each source by name", async () => {
  await pass(0);
  const { body } = await appliance.request("/metrics", {
    headers: { "x-forwarded-for": "127.0.0.1" },
  });
  expect(body).toContain('kanalog_source_failures{source="files"} 1');
  expect(body).toContain('kanalog_source_rows_today{source="files"} 0');
  expect(body).toContain('kanalog_source_silent{source="files"} 0');
  expect(body).not.toContain("kanalog_source_lag_seconds{");
});

test("the metrics report how far behind a source is, and that it is silent", async () => {
  appliance.ports.network.fileAt = () => {
    const changed = new Date(appliance.ports.clock.now() - 90_000).toUTCString();
    const body = "id,title,subscribers,is_public\n1,One,1,true\n";
    return { status: 200, headers: { "last-modified": changed }, body };
  };
  await pass(0);
  appliance.ports.network.fileAt = () => ({ status: 500 });
  await pass(46 * MINUTE_MS);
  const { body } = await appliance.request("/metrics", {
    headers: { "x-forwarded-for": "127.0.0.1" },
  });
  expect(body).toContain('kanalog_source_lag_seconds{source="files"} 90');
  expect(body).toContain('kanalog_source_silent{source="files"} 1');
});

test("staff's summary counts silent sources, with a link to them", async () => {
  const { email } = await addPerson(appliance, { email: "eve@example.com", isStaff: true });
  const staff = await signedInVisitor(appliance, email);
  await pass(46 * MINUTE_MS);
  const { html } = await staff.get("/staff/");
  expect(html).toMatch(/<strong>1<\/strong><a href="[^"]*staff\/sources\/">Silent sources/);
});

test("the metrics no longer report a source that was removed", async () => {
  await pass(46 * MINUTE_MS);
  const read = async () =>
    (await appliance.request("/metrics", { headers: { "x-forwarded-for": "127.0.0.1" } })).body;
  expect(await read()).toContain('kanalog_source_silent{source="files"} 1');
  const [source] = await appliance.app.sources.list();
  await appliance.app.sources.removeSource(source?.id ?? 0, COMMAND_LINE);
  expect(await read()).not.toContain('{source="files"}');
});
