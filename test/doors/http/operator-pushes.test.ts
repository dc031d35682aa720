import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Answer, type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { endedKeys, type OperatorApi, operatorApi } from "../../support/operator-api.ts";
import { startPushing } from "../../support/pushing.ts";

/** Rows that a crawler of the operator's own sends, over the real application. */

let appliance: Appliance;
let operator: OperatorApi;
beforeEach(async () => {
  appliance = await startAppliance();
  operator = await operatorApi(appliance);
});
afterEach(() => appliance.close());

const post = (id: number, more: object = {}) => ({
  ...{ channel: 1, msgr_post_id: id, text: `Пост ${id}`, views: 5 },
  published_at: "2026-01-01T12:00:00+03:00",
  ...more,
});
const stored = (table: string) =>
  appliance.app.domains.db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number };
const results = ({ body }: Answer) => body.rows.map(({ result }: { result: string }) => result);

describe("rows", () => {
  test("of channels, days and posts fill an empty appliance, and change nothing when sent again", async () => {
    const kinds = [
      ["channels/", { handle: "one", title: "Один", subscribers: 10 }],
      ["stats/", { channel: "@one", day: "2026-01-01", subscribers: 9 }],
      ["posts/", { ...post(7), channel: "https://t.me/one" }],
    ] as const;
    for (const [path, row] of kinds) {
      const counts = { accepted: 1, unchanged: 0, kept_out: 0, rejected: 0 };
      const first = await operator.post(path, { rows: [row] });
      expect(first.status).toBe(200);
      expect(first.body).toEqual({
        ...counts,
        rows: [{ row: 0, result: "accepted", faults: [] }],
      });
      const again = await operator.post(path, { rows: [row] });
      expect(again.body).toMatchObject({ accepted: 0, unchanged: 1, rejected: 0 });
    }
    const found = await appliance.get("/v1/msgr/channels/?q=один");
    expect(found.body.results).toMatchObject([{ handle: "one", subscribers: 10 }]);
    expect((await appliance.get("/v1/msgr/channels/1/posts/")).body.results).toMatchObject([
      { text: "Пост 7" },
    ]);
  });

  test("half good: the good ones are in, the bad ones named with field and reason", async () => {
    await imported(appliance, "channels", [channel(1)]);
    const { status, body } = await operator.post("posts/", {
      rows: [
        post(1),
        { ...post(2), channel: "@nobody" },
        { ...post(3), views: "many" },
        { ...post(4), unheard: 3 },
        ["no row"],
        { ...post(5), published_at: "2099-01-01" },
        { ...post(6), msgr_post_id: 2 ** 60 },
        post(7),
        null,
      ],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: 3, unchanged: 0, rejected: 6 });
    const faults = body.rows.map((row: { faults: object[] }) => row.faults);
    const named = (field: string | null, reason: string) => [
      { field, reason: expect.stringContaining(reason) },
    ];
    expect(faults).toEqual([
      [],
      named("channel", "nobody"),
      named("views", "integer"),
      named(null, "unheard"),
      named(null, "object"),
      named("published_at", "future"),
      named("msgr_post_id", ""),
      [],
      named(null, "object"),
    ]);
    expect(stored("posts").n).toBe(3);
  });

  test("without a number get one above those beside them", async () => {
    const rows = [
      { handle: "aaaaa", title: "A", subscribers: 1 },
      { id: 5, title: "B", subscribers: 1 },
      { handle: "ccccc", title: "C", subscribers: 1 },
    ];
    expect((await operator.post("channels/", { rows })).body.accepted).toBe(3);
    const ids = appliance.app.domains.db.prepare("SELECT id FROM channels ORDER BY id").all();
    expect(ids).toEqual([{ id: 5 }, { id: 6 }, { id: 7 }]);
  });

  test("a thousand posts with long texts are one request, and one more is refused", async () => {
    await imported(appliance, "channels", [channel(1)]);
    const text = "Новости дня. ".repeat(90);
    const rows = Array.from({ length: 1_000 }, (_, at) => post(at + 1, { text }));
    // As Python writes them.
    const escaped = JSON.stringify({ rows }).replace(
      /[\u0080-\uffff]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    const { status, body } = await operator.post("posts/", escaped);
    expect(status).toBe(200);
    expect(body.accepted).toBe(1_000);
    const more = await operator.post("posts/", { rows: [...rows, post(1_001)] });
    expect(more.status).toBe(400);
    expect(more.body).toEqual({ rows: [expect.stringContaining("1000")] });
    expect(stored("posts").n).toBe(1_000);
  });

  test("a post is in its channel's alerts and webhooks like one of an import", async () => {
    const pushing = await startPushing();
    try {
      const crawler = await operatorApi(pushing.appliance);
      const words = { name: "news", q: "новость", webhook: pushing.id };
      expect((await pushing.call("POST", "/v1/msgr/alerts/", words)).status).toBe(201);
      const now = new Date(pushing.now()).toISOString();
      const rows = [post(1, { text: "Важная новость", published_at: now })];
      expect((await crawler.post("posts/", { rows })).body.accepted).toBe(1);
      const found = await pushing.call("GET", "/v1/msgr/posts/search/?q=новость");
      expect(found.body.results).toHaveLength(1);
      await pushing.pass(60_000);
      const events = pushing.attempts().map(({ headers }) => headers["x-service-event"]);
      expect(events.sort()).toEqual(["post.created", "post.matched"]);
    } finally {
      await pushing.close();
    }
  });
});

describe("bad input changes nothing", () => {
  test("bodies that are no rows are refused by field", async () => {
    await imported(appliance, "channels", [channel(1)]);
    for (const [body, status, expected] of [
      [{}, 400, { rows: ["This field is required."] }],
      [{ rows: [] }, 400, { rows: ["This list may not be empty."] }],
      [{ rows: {} }, 400, { rows: [expect.stringContaining("list")] }],
      [{ rows: null }, 400, { rows: expect.any(Array) }],
      [{ rows: [post(1)], kind: "x" }, 400, { kind: ["There is no such field."] }],
      ["[]", 400, { non_field_errors: expect.any(Array) }],
      ['{"rows": [{', 400, { code: "parse_error" }],
      [`{"rows": ${"[".repeat(100)}`, 400, { code: "parse_error" }],
      [`{"rows": [${"{},".repeat(40_000)}{}]}`, 400, { code: "parse_error" }],
      [`{"rows": ["${"x".repeat(9 * 1024 ** 2)}"]}`, 413, { code: "payload_too_large" }],
      // Rows of another kind.
      [{ rows: [{ slug: "a", name: "b", parent: "c" }] }, 400, expect.any(Object)],
    ] as const) {
      const answer = await operator.post("posts/", body);
      expect(answer.status, JSON.stringify(body).slice(0, 60)).toBe(status);
      expect(answer.body).toMatchObject(expected);
    }
    const text = await operator.post("posts/", "rows", { "content-type": "text/plain" });
    expect(text.status).toBe(415);
    expect(stored("posts").n).toBe(0);
  });

  test("an endless body is cut off at its limit, and one that breaks off is refused", async () => {
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 1;
        controller.enqueue(new TextEncoder().encode("x".repeat(64 * 1024)));
      },
    });
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"rows": ['));
        controller.error(new Error("gone"));
      },
    });
    for (const [body, status] of [
      [endless, 413],
      [broken, 400],
    ] as const) {
      const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
      expect((await operator.send("POST", "posts/", { headers, body })).status).toBe(status);
    }
    expect(sent).toBeLessThan(200);
  });

  test("wrong, expired, customers' and revoked keys, and keys without the ability, push nothing", async () => {
    await imported(appliance, "channels", [channel(1)]);
    const body = JSON.stringify({ rows: [post(1)] });
    const headers = { "content-type": "application/json" };
    const { key: customers } = await appliance.customer();
    const reads = await operatorApi(appliance, ["read"]);
    const { expired, revoked } = await endedKeys(appliance);
    for (const [key, status] of [
      [null, 401],
      [`${operator.key}x`, 401],
      [customers, 401],
      [expired, 401],
      [revoked, 401],
      [reads.key, 403],
    ] as const) {
      const init = { method: "POST", key, headers, body };
      expect((await appliance.request("/operator/v1/posts/", init)).status).toBe(status);
    }
    expect(stored("posts").n).toBe(0);
  });

  test("one Idempotency-Key with two bodies is a conflict", async () => {
    await imported(appliance, "channels", [channel(1)]);
    const once = { "idempotency-key": "batch 1" };
    const first = await operator.post("posts/", { rows: [post(1)] }, once);
    expect(results(first)).toEqual(["accepted"]);
    // The answer of the first time, although it would be "unchanged" now.
    const again = await operator.post("posts/", { rows: [post(1)] }, once);
    expect(again.body).toEqual(first.body);
    const other = await operator.post("posts/", { rows: [post(2)] }, once);
    expect(other.status).toBe(409);
    expect(stored("posts").n).toBe(1);
  });

  test("a push whose process died before it answered is not carried out again", async () => {
    await imported(appliance, "channels", [channel(1)]);
    const once = { "idempotency-key": "batch 1" };
    expect(results(await operator.post("posts/", { rows: [post(1)] }, once))).toEqual(["accepted"]);
    const { db } = appliance.app.domains;
    db.exec("UPDATE operator_requests SET status = NULL, body = NULL");
    appliance.ports.clock.advance(60_000);
    await operator.post("posts/", { rows: [post(1, { views: 6 })] });
    const again = await operator.post("posts/", { rows: [post(1)] }, once);
    expect(again.status).toBe(409);
    expect(again.body.detail).toContain("was carried out");
    expect(db.prepare("SELECT views FROM posts").all()).toEqual([{ views: 6 }]);
  });

  test("rows are written only together with the mark that they were", async () => {
    await imported(appliance, "channels", [channel(1)]);
    const { db } = appliance.app.domains;
    db.exec(`CREATE TEMP TRIGGER no_mark BEFORE UPDATE OF is_done ON main.operator_requests
      BEGIN SELECT RAISE(ABORT, 'no mark'); END`);
    const once = { "idempotency-key": "batch 1" };
    expect((await operator.post("posts/", { rows: [post(1)] }, once)).status).toBe(500);
    expect(stored("posts").n).toBe(0);
    db.exec("DROP TRIGGER no_mark");
    // Nothing was done, and so the same request may be sent again.
    expect(results(await operator.post("posts/", { rows: [post(1)] }, once))).toEqual(["accepted"]);
  });
});
