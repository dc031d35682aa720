import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Fields } from "../../../src/catalog/imports/reading/recognized.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { statement } from "../../../src/db/database.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import {
  channel,
  expectFaults,
  expectIds,
  expectOk,
  expectRefusal,
  imported,
  pagesOf,
} from "../../support/expectations.ts";

/** Which posts mention a channel (questions, section 3). */

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [
    channel(1, { handle: "target", msgr_id: "1111" }),
    channel(2, { handle: "source", subscribers: 70 }),
    channel(3, { handle: "third" }),
  ]);
});
afterEach(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

const day = (at: number) => `2026-11-${String(at).padStart(2, "0")}T10:00:00Z`;
const post = (id: number, text: string, more: Fields = {}): Fields => ({
  ...{ id, channel: 2, text, published_at: day(id), msgr_post_id: String(id) },
  ...more,
});
const posts = (...rows: Fields[]) => imported(appliance, "posts", rows);
const MENTIONS = "/v1/msgr/channels/1/mentions/";
const mentions = (ids: number[], path = MENTIONS) => expectIds(appliance, path, ids);

describe("a post mentions a channel", () => {
  test("by each form of a link, by its handle, its messenger id, and as a forward", async () => {
    const texts = [
      ...[
        "https://t.me/target",
        "t.me/s/target",
        "@TARGET!",
        "см. max.ru/target",
        "t.me/target/55",
      ],
      ...["https://t.me/c/1111/3", "tg://resolve?domain=target"],
    ];
    await posts(
      ...texts.map((text, at) => post(at + 1, text)),
      post(8, "x", { forwarded_from: 1 }),
      post(9, "x", { forwarded_from: "@target" }),
      post(10, "x", { forwarded_from: "t.me/c/1111/7" }),
      post(11, "me@target.ru t.me/joinchat/target https://example.com/target @targets"),
    );
    await mentions([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    await mentions([10, 9, 8], `${MENTIONS}?kind=forward`);
    await mentions([7, 6, 5, 4, 3, 2, 1], `${MENTIONS}?kind=link`);
  });

  test("and is listed once, with all its kinds and the channel that it belongs to", async () => {
    await posts(post(1, "@target t.me/target t.me/c/1111/2", { forwarded_from: "@target" }));
    for (const kind of ["", "?kind=link", "?kind=forward"]) {
      const { body } = await expectOk(appliance, MENTIONS + kind);
      const one = (await expectOk(appliance, "/v1/msgr/posts/1/")).body;
      expect(body).toEqual({
        results: [
          {
            ...one,
            kinds: ["link", "forward"],
            mentioned_by: { id: 2, title: "Channel 2", handle: "source", subscribers: 70 },
          },
        ],
        next: null,
      });
    }
  });

  test("unless it belongs to the channel itself or to a hidden one", async () => {
    await posts(
      post(1, "@target", { channel: 1 }),
      post(2, "@target"),
      post(3, "@target", { channel: 3 }),
    );
    await mentions([3, 2]);
    await appliance.app.domains.channels.setPublic(3, false, COMMAND_LINE);
    await mentions([2]);
  });

  test("by links to the hosts in the settings only", async () => {
    const other = await startAppliance({ KANALOG_MESSENGER_HOSTS: "chat.example" });
    await imported(other, "channels", [channel(1, { handle: "target" }), channel(2)]);
    await imported(other, "posts", [
      post(1, "t.me/target"),
      post(2, "https://chat.example/target"),
    ]);
    await expectIds(other, MENTIONS, [2]);
    await other.close();
  });
});

describe("a name is resolved when the mentions are requested,", () => {
  test("so that a channel has the mentions from before it was imported", async () => {
    await posts(
      post(1, "@later"),
      post(2, "t.me/c/2222/5"),
      post(3, "x", { forwarded_from: "t.me/later" }),
      post(4, "x", { forwarded_from: "t.me/c/2222/1" }),
    );
    await imported(appliance, "channels", [channel(9, { handle: "Later" })]);
    await mentions([3, 1], "/v1/msgr/channels/9/mentions/");
    await imported(appliance, "channels", [channel(9, { msgr_id: "-1000000002222" })]);
    await mentions([4, 3, 2, 1], "/v1/msgr/channels/9/mentions/");
  });

  test("so that mentions follow a handle to its new owner, and a former handle still counts", async () => {
    await imported(appliance, "channels", [channel(1, { handle: "Target" })]);
    await posts(post(1, "@target"));
    await imported(appliance, "channels", [channel(1, { handle: "renamed" })]);
    await posts(post(2, "@renamed"));
    await mentions([2, 1]);
    await imported(appliance, "channels", [channel(3, { handle: "target" })]);
    await mentions([2]);
    await mentions([1], "/v1/msgr/channels/third/mentions/");
    // A handle that two channels have given up leads to the later owner.
    await imported(appliance, "channels", [channel(2, { handle: "source2" })]);
    await posts(post(3, "@third"), post(4, "@source", { channel: 3 }));
    await imported(appliance, "channels", [channel(3, { handle: "fourth" })]);
    await mentions([3, 1], "/v1/msgr/channels/3/mentions/");
    await mentions([2]);
    await mentions([4], "/v1/msgr/channels/2/mentions/");
    await imported(appliance, "channels", [channel(1, { handle: "third" })]);
    await imported(appliance, "channels", [channel(1, { handle: "renamed" })]);
    await mentions([3, 2]);
    await mentions([1], "/v1/msgr/channels/3/mentions/");
  });

  test("so that a channel has the mentions of channels merged into it", async () => {
    await posts(
      post(1, "@target"),
      post(2, "t.me/c/1111/3"),
      post(3, "x", { forwarded_from: 1 }),
      post(4, "@third", { channel: 1 }),
    );
    await appliance.app.domains.channels.merge(1, 3, COMMAND_LINE);
    await mentions([3, 2, 1], "/v1/msgr/channels/3/mentions/");
    expect((await appliance.get(MENTIONS)).status).toBe(404);
    // A post that belonged to the merged channel is the remaining channel's own now.
    const { body } = await expectOk(appliance, "/v1/msgr/channels/3/mentions/?kind=link");
    expect(body.results.map((one: { channel: number }) => one.channel)).toEqual([2, 2]);
  });

  test("so that a channel has the mentions of all that were merged into it one after another", async () => {
    await imported(appliance, "channels", [channel(4, { handle: "fourth" })]);
    await posts(post(1, "@target"), post(2, "x", { forwarded_from: 1 }));
    await appliance.app.domains.channels.merge(1, 3, COMMAND_LINE);
    await appliance.app.domains.channels.merge(3, 4, COMMAND_LINE);
    await mentions([2, 1], "/v1/msgr/channels/4/mentions/");
  });
});

describe("mentions follow their posts", () => {
  const rows = () =>
    statement<object>(
      appliance.app.domains.db,
      "SELECT target, post_id, published_at, channel_id, kinds FROM mentions ORDER BY target",
    ).all();

  test("an edited text is processed again; changed numbers change nothing", async () => {
    await posts(post(1, "@target and @third", { forwarded_from: "@gone" }));
    await posts({ id: 1, text: "@third only" });
    await mentions([]);
    await mentions([1], "/v1/msgr/channels/3/mentions/");
    expect(rows()).toMatchObject([
      { target: "gone", kinds: 2 },
      { target: "third", kinds: 1 },
    ]);
    await posts({ id: 1, views: 5 });
    await posts({ id: 1, forwarded_from: "@target" });
    await mentions([1], `${MENTIONS}?kind=forward`);
    await imported(appliance, "posts", [{ id: 1, forwarded_from: null }]);
    expect(rows()).toMatchObject([{ target: "third", kinds: 1 }]);
  });

  test("a row with only a forward is an update, and the same row again changes nothing", async () => {
    await posts(post(1, "@gone"));
    const write = () => appliance.importRows("posts", [{ id: 1, forwarded_from: "@gone" }]);
    expect(await write()).toMatchObject({ updated: 1, unchanged: 0 });
    expect(rows()).toMatchObject([{ target: "gone", kinds: 3 }]);
    expect(await write()).toMatchObject({ updated: 0, unchanged: 1 });
  });

  test("they move with a post whose time or channel changes", async () => {
    await posts(post(1, "@target"), post(2, "@target"));
    await posts({ id: 1, published_at: day(3) });
    await mentions([1, 2]);
    await posts({ id: 1, channel: 3 });
    const { body } = await expectOk(appliance, `${MENTIONS}?limit=1`);
    expect(body.results[0]).toMatchObject({ id: 1, mentioned_by: { id: 3 } });
    expect(rows()).toHaveLength(2);
  });

  test("a post that is taken down disappears at once, and one that is restored is processed again", async () => {
    await posts(post(1, "@target"), post(2, "@target"), post(3, "@target"));
    await posts({ id: 1, deleted: true });
    await mentions([3, 2]);
    await appliance.app.domains.posts.delete([2], COMMAND_LINE);
    await mentions([3]);
    expect(rows()).toHaveLength(1);
    await posts({ ...post(1, "@target"), deleted: false });
    await mentions([3, 1]);
  });

  test("nothing is left of a deleted channel", async () => {
    await posts(post(1, "@target @third"), post(2, "@source", { channel: 1 }));
    await appliance.app.domains.channels.delete(2, COMMAND_LINE);
    expect(rows()).toMatchObject([{ target: "source", post_id: 2 }]);
  });
});

describe("the list", () => {
  test("shows every post once over its pages, including equal instants and several names", async () => {
    const names = ["@target", "t.me/c/1111/1", "x", "@target t.me/c/1111/1"];
    const rows = Array.from({ length: 40 }, (_, at) =>
      post(at + 1, names[at % 4] as string, {
        published_at: day(1 + Math.floor(at / 7)),
        forwarded_from: at % 4 === 2 ? 1 : null,
        channel: at % 2 === 0 ? 2 : 3,
      }),
    );
    await posts(...rows);
    const expected = rows.map(({ id }) => id as number).toReversed();
    for (const limit of [1, 3, 7, 39, 40]) {
      const pages = await pagesOf(appliance, `${MENTIONS}?limit=${limit}`);
      expect(pages.flat(), `limit ${limit}`).toEqual(expected);
      expect(pages, `limit ${limit}`).toHaveLength(Math.ceil(40 / limit));
    }
    const days = `${MENTIONS}?from=2026-11-02&to=2026-11-03`;
    await mentions(expected.slice(19, 33), days);
    const page = await expectOk(appliance, `${days}&limit=5`);
    const { pathname, search } = new URL(page.body.next);
    await mentions(expected.slice(24, 29), pathname + search);
  });

  test("includes both ends of a period of Moscow days, to the second", async () => {
    const times = ["11-01T23:59:59", "11-02T00:00:00", "11-03T23:59:59", "11-04T00:00:00"];
    await posts(
      ...times.map((time, at) => post(at + 1, "@target", { published_at: `2026-${time}+03:00` })),
    );
    await mentions([3, 2], `${MENTIONS}?from=2026-11-02&to=2026-11-03`);
  });

  test("is a 404 for an unknown channel, a 400 for wrong parameters, and needs the Start plan", async () => {
    expect((await appliance.get("/v1/msgr/channels/77/mentions/")).status).toBe(404);
    await expectFaults(appliance, `${MENTIONS}?kind=quote`, {
      kind: '"quote" is not a valid choice.',
    });
    const backwards = (await appliance.get(`${MENTIONS}?from=2026-11-03&to=2026-11-02`)).body;
    expect(Object.keys(backwards)).toEqual(["to"]);
    for (const path of [MENTIONS, "/v1/msgr/channels/1/similar/"]) {
      const { key } = await appliance.customer({ plan: "test" });
      await expectRefusal(appliance, path, 403, "tariff_required", key);
      const start = await appliance.customer({ plan: "start" });
      const { headers } = await expectOk(appliance, path, start.key);
      expect(headers.get("x-request-cost")).toBe("1");
    }
  });

  test("shows hostile texts unchanged", async () => {
    const texts = [
      "@target\u202e\u0000'\";--<script>",
      `@target ${"@a ".repeat(9_000)}`,
      "@@@target",
    ];
    const rows = texts.map((text, at) => post(at + 1, text.replace("\u0000", "")));
    await posts(...rows);
    const { body } = await expectOk(appliance, MENTIONS);
    expect(body.results.map((one: { text: string }) => one.text)).toEqual(
      [1, 0].map((at) => rows[at]?.["text"]),
    );
  });
});
