import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { selectPosts } from "../../../src/catalog/posts/posts.store.ts";
import { withQueryDeadline } from "../../../src/db/deadline.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { IN_MEMORY, openDatabase } from "../../../src/db/open-database.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import { jsonValueOf } from "../../../src/values/json-text.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import {
  channel,
  expectFaults,
  expectIds,
  expectOk,
  expectRefusal,
  idsOf,
  imported,
  NOT_GIVEN,
  pagesOf,
  pathOfNext,
} from "../../support/expectations.ts";

const POSTS = "/v1/msgr/channels/1/posts/";
const WRONG_DATE = "Date has wrong format. Use one of these formats instead: YYYY-MM-DD.";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [channel(1, { handle: "NsMag" }), channel(2)]);
});
afterEach(() => appliance.close());

const post = (id: number, published_at: string, more: Record<string, unknown> = {}) => ({
  id,
  channel: 1,
  published_at,
  ...more,
});
const posts = (rows: Record<string, unknown>[]) => imported(appliance, "posts", rows);

test("long texts are complete, with all fields or some, on the first page and the next", async () => {
  const texts = ["я😀", "a", 'ё"\\\n'].map((one) => one.repeat(3_000));
  await posts(texts.map((text, at) => post(at + 1, `2026-11-0${at + 1}T00:00:00Z`, { text })));
  for (const fields of ["", "&fields=text"]) {
    const first = await appliance.get(`${POSTS}?limit=2${fields}`);
    const second = await appliance.get(pathOfNext(first.body.next));
    const answered = [...first.body.results, ...second.body.results];
    expect(answered.map(({ text }) => text)).toEqual(texts.toReversed());
    expect(second.body.next).toBeNull();
  }
});

describe("a post", () => {
  const given = {
    id: 42,
    channel: 1,
    msgr_post_id: 7,
    text: 'Строка\n"вторая" 😀 <b>',
    views: 1234,
    is_ad: true,
    published_at: "2026-11-19T22:15:30.987Z",
    link: "https://t.me/NsMag/7",
  };
  const shown = {
    id: 42,
    channel: 1,
    text: 'Строка\n"вторая" 😀 <b>',
    views: 1234,
    is_ad: true,
    published_at: "2026-11-20T01:15:30+03:00",
    link: "https://t.me/NsMag/7",
    ...NOT_GIVEN,
    msgr_post_id: "7",
    views_at: "2026-11-20T12:00:00+03:00",
  };

  test("has exactly the contract's fields, alone and in a page", async () => {
    await posts([given]);
    const answer = await appliance.get("/v1/msgr/posts/42/");
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(shown);
    expect((await appliance.get(POSTS)).body).toEqual({ results: [shown], next: null });
  });

  test("imported with nothing but its time has no views, no link, and is not advertising", async () => {
    await posts([post(1, "2026-11-19T12:00:00+03:00")]);
    expect((await appliance.get("/v1/msgr/posts/1/")).body).toEqual({
      id: 1,
      channel: 1,
      text: "",
      views: 0,
      is_ad: false,
      published_at: "2026-11-19T12:00:00+03:00",
      link: null,
      ...NOT_GIVEN,
    });
  });

  test("with an unknown or invalid number is a 404", async () => {
    await posts([post(1, "2026-11-19T12:00:00+03:00")]);
    for (const id of [
      "2",
      "0",
      "-1",
      "abc",
      "1.0",
      "1e0",
      "1a",
      "9007199254740992",
      "99999999999999999999",
      "%FF",
      "1%FF",
      "%00",
      "1%00",
      "1%20",
      "%D1%91",
    ]) {
      await expectRefusal(appliance, `/v1/msgr/posts/${id}/`, 404, "not_found");
    }
    expect(appliance.ports.log.errors).toEqual([]);
  });
});

describe("a page", () => {
  test("is ordered newest first, equal instants by descending number", async () => {
    await posts([
      post(3, "2026-11-02T00:00:00Z"),
      post(9, "2026-11-01T00:00:00Z"),
      post(1, "2026-11-02T00:00:00Z"),
      post(2, "2026-11-02T00:00:00.001Z"),
      post(7, "2026-11-02T00:00:00Z"),
      post(8, "2026-11-03T00:00:00Z", { channel: 2 }),
    ]);
    await expectIds(appliance, POSTS, [2, 7, 3, 1, 9]);
    await expectIds(appliance, "/v1/msgr/channels/2/posts/", [8]);
  });

  test("has 50 posts, or from 1 to 100 if requested", async () => {
    await posts(Array.from({ length: 101 }, (_, at) => post(at + 1, "2026-11-01T00:00:00Z")));
    const length = async (query: string): Promise<number> =>
      idsOf(await expectOk(appliance, POSTS + query)).length;
    expect(await length("")).toBe(50);
    expect(await length("?limit=")).toBe(50);
    expect(await length("?limit=1")).toBe(1);
    expect(await length("?limit=100")).toBe(100);
    for (const [limit, message] of [
      ["101", "Ensure this value is less than or equal to 100."],
      ["0", "Ensure this value is greater than or equal to 1."],
      ["-5", "Ensure this value is greater than or equal to 1."],
      ["x", "A valid integer is required."],
      ["9007199254740992", "A valid integer is required."],
    ] as const) {
      await expectFaults(appliance, `${POSTS}?limit=${limit}`, { limit: message });
    }
  });

  test("and its next are found by the channel's handle in upper or lower case", async () => {
    await posts([post(1, "2026-11-01T00:00:00Z"), post(2, "2026-11-02T00:00:00Z")]);
    for (const name of ["NsMag", "nsmag", "NSMAG"]) {
      const pages = await pagesOf(appliance, `/v1/msgr/channels/${name}/posts/?limit=1`);
      expect(pages).toEqual([[2], [1]]);
    }
  });

  test("of an unknown channel is a 404, and of one without posts is empty", async () => {
    await expectIds(appliance, "/v1/msgr/channels/2/posts/", []);
    for (const name of ["3", "other", "@nsmag", "9007199254740992", "%FF", "%00"]) {
      await expectRefusal(appliance, `/v1/msgr/channels/${name}/posts/`, 404, "not_found");
    }
  });

  test("with wrong parameters is a 400 even if the channel is unknown", async () => {
    await expectFaults(appliance, "/v1/msgr/channels/99/posts/?limit=0", {
      limit: "Ensure this value is greater than or equal to 1.",
    });
  });

  test("has an absolute next that keeps every filter", async () => {
    await posts([
      post(1, "2026-11-01T00:00:00Z", { is_ad: true }),
      post(2, "2026-11-02T00:00:00Z", { is_ad: true }),
    ]);
    const filters = { from: "2026-10-01", to: "2026-11-20", is_ad: "Yes", limit: "1" };
    const { body } = await expectOk(appliance, `${POSTS}?${new URLSearchParams(filters)}&x=y`);
    const next = new URL(body.next);
    expect(next.origin + next.pathname).toBe(`http://localhost${POSTS}`);
    const { cursor, ...others } = Object.fromEntries(next.searchParams);
    expect(others).toEqual(filters);
    expect(cursor).toBeTruthy();
    await expectIds(appliance, pathOfNext(body.next), [1]);
  });

  test("with an altered cursor is a 400", async () => {
    await posts([post(1, "2026-11-01T00:00:00Z"), post(2, "2026-11-02T00:00:00Z")]);
    const { body } = await expectOk(appliance, `${POSTS}?limit=1`);
    const cursor = new URL(body.next).searchParams.get("cursor") ?? "";
    const other = cursor.startsWith("_") ? "-" : "_";
    for (const wrong of [cursor.slice(1), `${cursor}A`, "x", cursor.replace(/^./, other)]) {
      await expectFaults(appliance, `${POSTS}?cursor=${wrong}`, { cursor: "Invalid cursor." });
    }
  });
});

describe("paging", () => {
  test("shows every post exactly once, in order, with any page size", async () => {
    // Many posts of one instant, with some before and after it.
    const rows = Array.from({ length: 40 }, (_, at) =>
      post(at + 1, `2026-11-0${1 + Math.floor(at / 15)}T00:00:00.00${at % 2}Z`, {
        is_ad: at % 3 === 0,
      }),
    );
    await posts(rows);
    const order = rows
      .toSorted((a, b) => b.published_at.localeCompare(a.published_at) || b.id - a.id)
      .map(({ id }) => id);
    const ads = order.filter((id) => (id - 1) % 3 === 0);
    for (const limit of [1, 2, 3, 7, 39, 40]) {
      expect((await pagesOf(appliance, `${POSTS}?limit=${limit}`)).flat()).toEqual(order);
    }
    for (const limit of [1, 2, 3]) {
      const path = `${POSTS}?limit=${limit}&is_ad=true`;
      expect((await pagesOf(appliance, path)).flat()).toEqual(ads);
      const rest = order.filter((id) => !ads.includes(id));
      const without = `${POSTS}?limit=${limit}&is_ad=false`;
      expect((await pagesOf(appliance, without)).flat()).toEqual(rest);
    }
  });

  test("within a period shows only its posts, and accepts no cursor from outside it", async () => {
    const rows = Array.from({ length: 40 }, (_, at) =>
      post(at + 1, `2026-11-0${1 + Math.floor(at / 10)}T12:00:00.00${at % 2}Z`),
    );
    await posts(rows);
    const order = rows
      .toSorted((a, b) => b.published_at.localeCompare(a.published_at) || b.id - a.id)
      .map(({ id }) => id);
    const within = order.filter((id) => id > 10 && id <= 30);
    const period = "from=2026-11-02&to=2026-11-03";
    for (const limit of [1, 3, 19, 20]) {
      const path = `${POSTS}?${period}&limit=${limit}`;
      expect((await pagesOf(appliance, path)).flat()).toEqual(within);
    }
    const { body } = await expectOk(appliance, `${POSTS}?limit=4`);
    const cursor = new URL(body.next).searchParams.get("cursor");
    await expectFaults(appliance, `${POSTS}?${period}&cursor=${cursor}`, {
      cursor:
        "The cursor was made with another from and to: leave those out, or begin again without a cursor.",
    });
  });

  test("takes no more steps than a page has posts, however many come before it", async () => {
    const db = openDatabase(IN_MEMORY, systemClock);
    await migrate(db, systemClock);
    db.exec(
      `INSERT INTO channels (id, kind, is_public, subscribers) VALUES (1, 'channel', 1, 10);
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
       INSERT INTO posts (id, channel_id, published_at, is_ad, views, read_at, text)
         SELECT i, 1, max(i, 1000), 0, 0, 0, '' FROM n`,
    );
    // The deadline, already over, is checked every 128 steps.
    for (const untilMs of [null, 5000]) {
      const selection = { channelId: 1, fromMs: 0, untilMs, isAd: false, limit: 10 };
      for (const after of [
        [1500, 1500],
        [1000, 500],
      ] as const) {
        const page = withQueryDeadline(db, 0, () => selectPosts(db, { ...selection, after }));
        expect(jsonValueOf(page.results)[0]?.id).toBe(after[1] - 1);
      }
    }
    db.close();
  });

  test("shows a post that exists throughout exactly once while others are added", async () => {
    const first = Array.from({ length: 12 }, (_, at) => post(at + 1, "2026-11-02T00:00:00Z"));
    await posts(first);
    let added = 100;
    const pages = await pagesOf(appliance, `${POSTS}?limit=3`, async () => {
      if (added > 130) return;
      await posts(
        ["2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z", "2026-11-03T00:00:00Z"].map((at) =>
          post(++added, at),
        ),
      );
    });
    const seen = pages.flat();
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => id <= 12)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });
});

describe("the period", () => {
  test("lasts from midnight in Moscow of from to the midnight after to", async () => {
    await posts([
      post(1, "2026-11-09T20:59:59.999Z"),
      post(2, "2026-11-09T21:00:00.000Z"),
      post(3, "2026-11-10T20:59:59.999Z"),
      post(4, "2026-11-10T21:00:00.000Z"),
    ]);
    await expectIds(appliance, `${POSTS}?from=2026-11-10&to=2026-11-10`, [3, 2]);
    await expectIds(appliance, `${POSTS}?from=2026-11-10`, [4, 3, 2]);
    await expectIds(appliance, `${POSTS}?to=2026-11-10`, [3, 2, 1]);
    await expectIds(appliance, `${POSTS}?to=2026-11-09`, [1]);
    await expectIds(appliance, `${POSTS}?from=2026-11-11&to=2026-12-31`, [4]);
    await expectIds(appliance, `${POSTS}?from=2000-01-01&to=9999-12-31`, [4, 3, 2, 1]);
    await expectIds(appliance, `${POSTS}?from=&to=`, [4, 3, 2, 1]);
  });

  test("that ends before it starts is a 400 on to", async () => {
    await expectFaults(appliance, `${POSTS}?from=2026-11-10&to=2026-11-09`, {
      to: "The period ends before it starts.",
    });
  });

  test("takes existing dates only", async () => {
    for (const wrong of [
      "2026-02-29",
      "2026-11-31",
      "2026-11-1",
      "today",
      "2026-11-01T00:00:00Z",
    ]) {
      await expectFaults(appliance, `${POSTS}?from=${wrong}&to=${wrong}`, {
        from: WRONG_DATE,
        to: WRONG_DATE,
      });
    }
  });
});

test("is_ad selects only advertising or none of it, in every spelling", async () => {
  await posts([
    post(1, "2026-11-01T00:00:00Z", { is_ad: true }),
    post(2, "2026-11-02T00:00:00Z"),
    post(3, "2026-11-03T00:00:00Z", { is_ad: true }),
  ]);
  for (const yes of ["true", "TRUE", "1", "yes", "Yes"]) {
    await expectIds(appliance, `${POSTS}?is_ad=${yes}`, [3, 1]);
  }
  for (const no of ["false", "False", "0", "no", "NO"]) {
    await expectIds(appliance, `${POSTS}?is_ad=${no}`, [2]);
  }
  await expectIds(appliance, `${POSTS}?is_ad=`, [3, 2, 1]);
  await expectIds(appliance, `${POSTS}?is_ad=1&from=2026-11-02`, [3]);
  for (const wrong of ["2", "maybe", "%FF", "%00"]) {
    const answer = await appliance.get(`${POSTS}?is_ad=${wrong}`);
    expect(answer.status, wrong).toBe(400);
    expect(Object.keys(answer.body), wrong).toEqual(["is_ad"]);
  }
  await expectFaults(appliance, `${POSTS}?is_ad=2`, { is_ad: "Must be a valid boolean." });
});

describe("the Test plan", () => {
  test("has no posts, and says so before parameters or the channel are checked", async () => {
    const { key } = await appliance.customer({ plan: "test" });
    await posts([post(1, "2026-11-01T00:00:00Z")]);
    for (const path of [
      POSTS,
      `${POSTS}?limit=0&from=x&cursor=x`,
      "/v1/msgr/channels/99/posts/",
      "/v1/msgr/channels/%FF/posts/",
      "/v1/msgr/posts/1/",
      "/v1/msgr/posts/99/",
      "/v1/msgr/posts/abc/",
    ]) {
      await expectRefusal(appliance, path, 403, "tariff_required", key);
    }
  });

  test("is the only one without posts", async () => {
    await posts([post(1, "2026-11-01T00:00:00Z")]);
    for (const plan of ["start", "growth", "profi"] as const) {
      const { key } = await appliance.customer({ plan });
      expect((await appliance.get(POSTS, key)).status, plan).toBe(200);
      expect((await appliance.get("/v1/msgr/posts/1/", key)).status, plan).toBe(200);
    }
  });
});
