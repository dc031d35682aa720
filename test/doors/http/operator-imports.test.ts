import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { endedKeys, type OperatorApi, operatorApi } from "../../support/operator-api.ts";

/** Whole files that a program of the operator sends, over the real application on a file. */

let folder: string;
let appliance: Appliance;
let operator: OperatorApi;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-imports-"));
  appliance = await startAppliance({ KANALOG_DB: join(folder, "kanalog.db") });
  operator = await operatorApi(appliance);
});
afterEach(async () => {
  await appliance.close();
  rmSync(folder, { recursive: true, force: true });
});

const send = (query: string, body: RequestInit["body"], headers: Record<string, string> = {}) =>
  operator.send("POST", `imports/?${query}`, { body, headers });
const CHANNELS = "handle,title,subscribers\nfirst,Первый,1\nsecond,Второй,2\n";
const subscribers = () =>
  appliance.app.domains.db
    .prepare("SELECT id, subscribers FROM channels ORDER BY id")
    .all() as object[];
/** Files of uploads that are on their way. */
const uploads = () => readdirSync(folder).filter((name) => name.includes("upload-"));

describe("a file", () => {
  test("is accepted with its run, and with wait answered with its summary", async () => {
    const accepted = await send("kind=channels&name=channels.csv", CHANNELS);
    expect(accepted.status).toBe(202);
    expect(accepted.body).toMatchObject({
      ...{ id: 1, kind: "channels", file: "channels.csv", failure: null },
      ...{ bytes: Buffer.byteLength(CHANNELS), started_by: "operator key 1 (crawler)" },
    });
    const again = await send("kind=channels&wait=60", CHANNELS);
    expect(again.body).toMatchObject({
      ...{ id: 2, state: "done", read: 2, inserted: 0, unchanged: 2, rejected: 0 },
      ...{ recognized: { format: "csv" }, finished_at: expect.any(String) },
    });
    expect((await operator.get("imports/1/")).body).toMatchObject({ state: "done", inserted: 2 });
    const listed = await operator.get("imports/?limit=1&fields=id,state");
    expect(listed.body.results).toEqual([{ id: 2, state: "done" }]);
    const next = new URL(listed.body.next).search;
    expect((await operator.get(`imports/${next}`)).body).toEqual({
      ...{ results: [{ id: 1, state: "done" }], next: null },
    });
    expect(uploads()).toEqual([]);
  });

  test("may be compressed, in any format, and read with the options of the command", async () => {
    const ndjson = '{"handle": "third", "title": "Третий", "subscribers": 3}\n';
    for (const [query, body] of [
      ["kind=channels", gzipSync(CHANNELS)],
      ["kind=channels&name=x.ndjson.zst", zstdCompressSync(ndjson)],
      ["kind=channels", JSON.stringify([{ handle: "fourth", title: "4", subscribers: 4 }])],
      [
        `kind=channels&ignore_unknown=true&map=${encodeURIComponent('{"Имя":"handle"}')}`,
        "Имя;title;subscribers;x\nfifth;5;5;5\n",
      ],
      ["kind=channels&set=kind%3Dchat", "handle,title,subscribers\nsixth,6,6\n"],
    ] as const) {
      const { body: run } = await send(`${query}&wait=60`, body);
      expect(run, query).toMatchObject({ state: "done", failure: null, rejected: 0 });
    }
    expect(subscribers()).toHaveLength(6);
    const chats = "SELECT handle FROM channels JOIN channel_cards USING (id) WHERE kind = 'chat'";
    const { db } = appliance.app.domains;
    expect(db.prepare(chats).all() as object[]).toEqual([{ handle: "sixth" }]);
    const dry = await send(
      "kind=channels&wait=60&dry_run=true",
      "handle,title,subscribers\nz,Z,1\n",
    );
    expect(dry.body).toMatchObject({ dry_run: true, state: "done" });
    expect(subscribers()).toHaveLength(6);
  });

  test("that is half good has its good rows imported, and its rejects as a file", async () => {
    await imported(appliance, "channels", [channel(1)]);
    const rows = [
      { channel: 1, msgr_post_id: 1, published_at: "2026-01-01T12:00:00+03:00" },
      { channel: 9, msgr_post_id: 2, published_at: "2026-01-01T12:00:00+03:00" },
    ];
    const { body } = await send(
      "kind=posts&wait=60",
      rows.map((row) => JSON.stringify(row)).join("\n"),
    );
    expect(body).toMatchObject({ state: "done", inserted: 1, rejected: 1 });
    expect(body.rejects).toMatchObject([{ column: "channel", count: 1, line: 2 }]);
    const rejects = await operator.get(`imports/${body.id}/rejects/`);
    expect(rejects.headers.get("content-type")).toBe("application/x-ndjson");
    expect(JSON.parse(rejects.body)).toMatchObject({ line: 2, column: "channel", fields: rows[1] });
    const none = await send("kind=channels&wait=60", CHANNELS);
    expect((await operator.get(`imports/${none.body.id}/rejects/`)).status).toBe(404);
    expect((await operator.get("imports/99/rejects/")).status).toBe(404);
  });

  test("sent twice with one Idempotency-Key is imported once; another file is a conflict", async () => {
    const once = { "idempotency-key": "night 1" };
    const first = await send("kind=channels&wait=60", CHANNELS, once);
    expect((await send("kind=channels&wait=60", CHANNELS, once)).body).toEqual(first.body);
    expect((await send("kind=channels&wait=60", `${CHANNELS}x,X,1\n`, once)).status).toBe(409);
    expect((await send("kind=stats&wait=60", CHANNELS, once)).status).toBe(409);
    expect((await operator.get("imports/")).body.results).toHaveLength(1);
    expect(uploads()).toEqual([]);
  });
});

describe("bad input starts nothing and leaves no file", () => {
  test("options are refused by field", async () => {
    for (const [query, field] of [
      ["", "kind"],
      ["kind=people", "kind"],
      ["kind=posts&format=xlsx", "format"],
      ["kind=posts&from=word", "from"],
      ["kind=posts&map=[]", "map"],
      ["kind=posts&map=%7Bx", "map"],
      ["kind=posts&map=a%3Did%0Aa%3Dtext", "map"],
      ["kind=posts&set=x", "set"],
      ["kind=posts&timezone=Mars", "timezone"],
      ["kind=posts&strict=maybe", "strict"],
      ["kind=posts&replace=true", "replace"],
      ["kind=posts&wait=61", "wait"],
    ] as const) {
      const { status, body } = await send(query, CHANNELS);
      expect(status, query).toBe(400);
      expect(Object.keys(body)).toEqual([field]);
    }
    const empty = await operator.send("POST", "imports/?kind=posts");
    expect(empty.body).toMatchObject({
      code: "parse_error",
      detail: expect.stringContaining("file"),
    });
    expect((await operator.get("imports/")).body.results).toEqual([]);
    expect(uploads()).toEqual([]);
  });

  test("a cut body, one that is too large by its head, and wrong keys", async () => {
    const cut = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(CHANNELS));
        controller.error(new Error("gone"));
      },
    });
    const chunked = { "transfer-encoding": "chunked" };
    const broken = await send("kind=channels", cut, chunked);
    expect(broken.body).toMatchObject({ code: "parse_error" });
    const huge = await send("kind=channels", "x", { "content-length": String(3 * 1024 ** 3) });
    expect(huge.status).toBe(413);
    expect(huge.body.detail).toContain("2048 MiB");
    const none = await send("kind=channels", "");
    expect(none.body).toMatchObject({ code: "parse_error" });
    const { key: customers } = await appliance.customer();
    const { expired, revoked } = await endedKeys(appliance);
    const [reads, manages] = [
      await operatorApi(appliance, ["read"]),
      await operatorApi(appliance, ["customers"]),
    ];
    for (const [key, status] of [
      [null, 401],
      [`${operator.key}x`, 401],
      [customers, 401],
      [expired, 401],
      [revoked, 401],
      [reads.key, 403],
      [manages.key, 403],
    ] as const) {
      const init = { method: "POST", key, body: CHANNELS };
      const refused = await appliance.request("/operator/v1/imports/?kind=channels", init);
      expect(refused.status).toBe(status);
    }
    expect((await operator.get("imports/")).body.results).toEqual([]);
    expect(subscribers()).toEqual([]);
    expect(uploads()).toEqual([]);
  });

  test("a file that cannot be read fails as a whole, and says why", async () => {
    const { body } = await send("kind=channels&wait=60", `${CHANNELS}"third,3,`);
    expect(body).toMatchObject({ state: "failed", failure: expect.stringContaining("quote") });
    expect(subscribers()).toEqual([]);
  });
});
