import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { auditOf } from "../../support/audit.ts";
import { channel, imported } from "../../support/expectations.ts";
import { exported } from "../../support/exporting.ts";
import { importText } from "../../support/import-text.ts";
import { createMachine, type Machine } from "../../support/machine.ts";
import { until } from "../../support/until.ts";
import {
  addPerson,
  remoteVisitor,
  signedInVisitor,
  staffVisitor,
  type Visitor,
  visitorOf,
} from "../../support/visitor.ts";

const PAGE = "/staff/database/";

let appliance: Appliance;
let staff: Visitor;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [channel(1), channel(2, { is_public: false })]);
  staff = await staffVisitor(appliance);
});
afterEach(() => appliance.close());

const form = (more: Record<string, string> = {}) => ({
  ...{ action: "export", kind: "channels", format: "csv", from: "", to: "", channel: "" },
  ...more,
});
const recorded = () => auditOf(appliance).filter(({ action }) => action === "export.start");

/** Downloads that have begun but are not read yet. */
async function download(more: Record<string, string> = {}): Promise<Response> {
  const cookie = [...staff.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const body = new URLSearchParams({ ...form(more), csrf: await staff.csrf(PAGE) });
  const request = new Request(`http://localhost${PAGE}`, {
    ...{ method: "POST", body, headers: { cookie } },
  });
  return appliance.app.server.handle(request);
}

/** Enough posts for more than one part. */
async function addPosts(): Promise<void> {
  const row = { channel: 1, text: "Пост", published_at: "2026-11-10T12:00:00+03:00" };
  await imported(
    appliance,
    "posts",
    Array.from({ length: 2_500 }, (_, at) => ({ ...row, id: at + 1 })),
  );
}

describe("staff", () => {
  test("download what the command writes, under a name that the import recognizes", async () => {
    for (const [kind, format] of [
      ["channels", "csv"],
      ["territories", "ndjson"],
    ] as const) {
      const answer = await staff.post(PAGE, form({ kind, format }));
      expect(answer.status).toBe(200);
      expect(answer.html).toBe(await exported(appliance, { kind, format }));
      expect(answer.headers.get("content-disposition")).toMatch(
        new RegExp(`^attachment; filename="${kind}-[-T0-9]+\\.${format}"$`),
      );
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
    expect((await staff.post(PAGE, form())).html).toContain("\n2,");
  });

  test("can have it as an Excel workbook, which is not compressed again", async () => {
    const answer = await download({ format: "xlsx", gzip: "yes" });
    expect(answer.headers.get("content-type")).toContain("spreadsheetml.sheet");
    expect(answer.headers.get("content-disposition")).toMatch(/channels-[-T0-9]+\.xlsx"$/);
    const { inserted, unchanged } = await importText(
      appliance,
      "channels",
      new Uint8Array(await answer.arrayBuffer()),
    );
    expect({ inserted, unchanged }).toEqual({ inserted: 0, unchanged: 2 });
  });

  test("can have it compressed, and with formulas left as they are", async () => {
    await addPosts();
    await imported(appliance, "channels", [channel(3, { title: "=1+1" })]);
    const packed = await download({ kind: "posts", gzip: "yes" });
    expect(packed.headers.get("content-type")).toBe("application/gzip");
    expect(packed.headers.get("content-disposition")).toMatch(
      /filename="posts-[-T0-9]+\.csv\.gz"$/,
    );
    // A single gzip stream, because some programs only read the first one.
    expect(Buffer.from(Bun.gunzipSync(await packed.arrayBuffer())).toString()).toBe(
      await exported(appliance, { kind: "posts" }),
    );
    expect(await (await download()).text()).toContain("'=1+1");
    const raw = await (await download({ raw: "yes" })).text();
    expect(raw).toBe(await exported(appliance, { kind: "channels", isRaw: true }));
    expect(raw).not.toContain("'=1+1");
  });

  test("can abort a compressed download too, and then start another", async () => {
    await addPosts();
    const first = await download({ kind: "posts", gzip: "yes" });
    expect((await download()).status).toBe(409);
    await first.body?.cancel();
    expect((await download()).status).toBe(200);
  });

  test("choose a period and a channel, which are recorded with the person", async () => {
    await addPosts();
    const fields = { kind: "posts", from: "2026-11-11", to: "2026-11-12", channel: "1" };
    const answer = await staff.post(PAGE, form(fields));
    expect(answer.html.trimEnd().split("\n")).toHaveLength(1);
    const { person } = recorded()[0] ?? {};
    expect(person).not.toBe("");
    expect(recorded()).toMatchObject([
      {
        target: "export posts",
        details: { format: "csv", from: "2026-11-11", to: "2026-11-12", channel: "1" },
      },
    ]);
    const log = await staff.get("/staff/audit/");
    expect(log.html).toContain("rows exported");
  });

  test("see faults at the field, and nothing is recorded", async () => {
    const without = await staff.post(PAGE, form({ from: "2026-11-11" }));
    expect(without.status).toBe(400);
    expect(without.html).toContain("Only stats and posts can be limited to a period.");
    const nobody = await staff.post(PAGE, form({ channel: "@nobody" }));
    expect(nobody.status).toBe(400);
    expect(nobody.html).toContain("There is no channel @nobody.");
    expect(nobody.html).toMatch(/name="channel" value="@nobody"/);
    const raw = await staff.post(PAGE, form({ format: "ndjson", raw: "yes" }));
    expect(raw.status).toBe(400);
    expect(raw.html).toContain("Only CSV and Excel files protect texts");
    expect(raw.html).toMatch(/name="raw" value="yes" checked/);
    expect((await staff.post(PAGE, form({ kind: "people" }))).status).toBe(400);
    expect((await staff.post(PAGE, form({ format: "ods" }))).status).toBe(400);
    expect(recorded()).toEqual([]);
  });

  test("get one download at a time; the next may start once it has been read or aborted", async () => {
    await addPosts();
    const first = await download({ kind: "posts" });
    expect(first.status).toBe(200);
    const second = await download();
    expect(second.status).toBe(409);
    expect(await second.text()).toContain("Another export is running: wait until it ends.");
    expect(recorded()).toHaveLength(1);

    expect((await first.text()).trimEnd().split("\n")).toHaveLength(2_501);
    const third = await download({ kind: "posts" });
    expect(third.status).toBe(200);
    await third.body?.cancel();
    expect(await (await download()).text()).toStartWith("id,");
  });

  test("can start the next after one that failed midway", async () => {
    await addPosts();
    const first = await download({ kind: "posts" });
    const reader = first.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    const { db } = appliance.app.domains;
    db.exec("ALTER TABLE posts RENAME COLUMN text TO words");
    await expect(reader?.read()).rejects.toThrow();
    await reader?.closed.catch(() => {});
    db.exec("ALTER TABLE posts RENAME COLUMN words TO text");
    expect((await download()).status).toBe(200);
  });
});

describe("nobody else", () => {
  test("can download anything, or start a download in staff's name from another site", async () => {
    await addPerson(appliance, { email: "ada@example.com" });
    const ada = await signedInVisitor(appliance, "ada@example.com");
    for (const visitor of [ada, visitorOf(appliance)]) {
      const answer = await visitor.post(PAGE, form());
      expect(answer.headers.get("content-disposition")).toBeNull();
      expect(answer.html).not.toContain("Channel 2");
    }
    const elsewhere = { origin: "https://elsewhere.example" };
    expect((await staff.post(PAGE, form(), elsewhere)).status).toBe(403);
    expect((await staff.post(PAGE, form({ csrf: "guessed" }))).status).toBe(409);
    const link = await staff.get(`${PAGE}?${new URLSearchParams(form())}`);
    expect(link.headers.get("content-disposition")).toBeNull();
    expect(recorded()).toEqual([]);
  });
});

describe("a serving process", () => {
  let machine: Machine;
  beforeEach(() => {
    machine = createMachine();
  });
  afterEach(() => machine.leave());

  test("keeps answering while a download waits for its reader, and ends it when the reader leaves", async () => {
    // Filled in this process; another one serves the file.
    const onFile = await startAppliance({ KANALOG_DB: machine.database });
    await imported(onFile, "channels", [channel(1)]);
    const row = { channel: 1, text: "x".repeat(2_000), published_at: "2026-11-10T12:00:00Z" };
    await imported(
      onFile,
      "posts",
      Array.from({ length: 20_000 }, (_, at) => ({ ...row, id: at + 1 })),
    );
    await addPerson(onFile, { email: "op@example.com", isStaff: true });
    await onFile.close();

    const serving = await machine.serve();
    const visitor = remoteVisitor(serving.address);
    expect((await visitor.signIn("op@example.com")).status).toBe(303);
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const body = new URLSearchParams({
      ...form({ kind: "posts" }),
      csrf: await visitor.csrf(PAGE),
    });
    const stopped = new AbortController();
    const response = await fetch(serving.address + PAGE, {
      ...{ method: "POST", body, headers: { cookie }, signal: stopped.signal },
    });
    expect(response.status).toBe(200);
    // Kept until the end: an answer without references would be aborted.
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    expect((await visitor.post(PAGE, form())).status).toBe(409);
    expect((await serving.get("/healthz")).status).toBe(200);
    stopped.abort();
    await expect(reader?.closed).rejects.toThrow();
    // The process notices the end only when it tries to send more.
    await until(async () => (await visitor.post(PAGE, form())).status === 200);
    expect(await serving.stop()).toBe(0);
  });
});
