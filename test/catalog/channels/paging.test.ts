import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import {
  channel,
  expectFaults,
  expectIds,
  expectOk,
  imported,
  pagesOf,
  pathOfNext,
} from "../../support/expectations.ts";

const CATALOG = "/v1/msgr/channels/";
const ORDERINGS = ["-subscribers", "-quality", "-citation", "-last_post_at"] as const;

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

/** Channels in no particular order, some tied and some without a value. */
const MIXED = [
  channel(1, { subscribers: 10, quality: 1.5, citation: 3, last_post_at: "2026-11-01T00:00:00Z" }),
  channel(2, { subscribers: 30 }),
  channel(3, { subscribers: 10, quality: 9, citation: 0, last_post_at: "2026-11-03T00:00:00Z" }),
  channel(4, { subscribers: 0 }),
  channel(5, { subscribers: 30, quality: 1.5, citation: 3, last_post_at: "2026-11-01T00:00:00Z" }),
  channel(6, { subscribers: 10, quality: -2, citation: 3, last_post_at: "2026-11-03T00:00:00Z" }),
  channel(7, { subscribers: 5 }),
  channel(8, {
    subscribers: 30,
    quality: 1.5,
    citation: 1e9,
    last_post_at: "1970-01-01T00:00:00Z",
  }),
  channel(9, { subscribers: 0, quality: 0 }),
];

const EXPECTED: Record<(typeof ORDERINGS)[number], number[]> = {
  "-subscribers": [2, 5, 8, 1, 3, 6, 7, 4, 9],
  "-quality": [3, 1, 5, 8, 9, 6, 2, 4, 7],
  "-citation": [8, 1, 5, 6, 3, 2, 4, 7, 9],
  "-last_post_at": [3, 6, 1, 5, 8, 2, 4, 7, 9],
};

describe("the order", () => {
  test("is descending, channels without a value last, ties by ascending id", async () => {
    await imported(appliance, "channels", MIXED.toReversed());
    await expectIds(appliance, CATALOG, EXPECTED["-subscribers"]);
    for (const ordering of ORDERINGS) {
      await expectIds(appliance, `${CATALOG}?ordering=${ordering}`, EXPECTED[ordering]);
    }
  });

  test("is one of the four orderings, and any other is refused", async () => {
    for (const wrong of ["subscribers", "-id", "-Quality", "--quality", "quality", "-title"]) {
      await expectFaults(appliance, `${CATALOG}?ordering=${wrong}`, {
        ordering: `"${wrong}" is not a valid choice.`,
      });
    }
  });

  test("pages of any size show every channel once, in order, across to channels without a value", async () => {
    await imported(appliance, "channels", MIXED);
    // Each query is answered by a different plan.
    for (const query of ["", "q=channel", "subscribers_min=0", "a_plus=false"]) {
      for (const ordering of ORDERINGS) {
        for (const limit of [1, 2, 3]) {
          const path = `${CATALOG}?${query}&ordering=${ordering}&limit=${limit}`;
          const pages = await pagesOf(appliance, path);
          expect(pages.flat(), path).toEqual(EXPECTED[ordering]);
          expect(pages.length, path).toBe(Math.ceil(9 / limit));
        }
      }
    }
  });

  test("fractions that are close together keep their order across pages", async () => {
    const values = [0.1 + 0.2, 0.3, 1 / 3, 2 / 3, 1e-300, Number.MAX_VALUE, -1e-9];
    await imported(
      appliance,
      "channels",
      values.map((quality, at) => channel(at + 1, { quality })),
    );
    const pages = await pagesOf(appliance, `${CATALOG}?ordering=-quality&limit=1`);
    expect(pages.flat()).toEqual([6, 4, 3, 1, 2, 5, 7]);
  });

  test("many channels that share one value are each listed once", async () => {
    const rows = Array.from({ length: 250 }, (_, at) => channel(at + 1, { quality: 7 }));
    await imported(appliance, "channels", rows.toReversed());
    const ids = rows.map(({ id }) => Number(id));
    for (const ordering of ORDERINGS) {
      for (const query of ["", "&q=channel", "&subscribers_max=1000"]) {
        const path = `${CATALOG}?ordering=${ordering}&limit=7${query}`;
        expect((await pagesOf(appliance, path)).flat(), path).toEqual(ids);
      }
    }
  });
});

describe("while the catalog changes", () => {
  test("a channel that exists throughout is listed exactly once", async () => {
    const original = MIXED.map(({ id }) => Number(id));
    for (const ordering of ORDERINGS) {
      for (const query of ["", "&q=channel"]) {
        const fresh = await startAppliance();
        await imported(fresh, "channels", MIXED);
        let added = 100;
        // New channels sort before, at and after the end of every page, and among those without a value.
        const between = () =>
          imported(
            fresh,
            "channels",
            [0, 5, 10, 30, 100].flatMap((value) => [
              channel(++added, {
                subscribers: value,
                quality: value - 3,
                citation: value,
                last_post_at: "2026-11-01T00:00:00Z",
              }),
              channel(++added, { subscribers: value }),
            ]),
          );
        const path = `${CATALOG}?ordering=${ordering}&limit=2${query}`;
        // Additions stop after some pages, so that the paging ends.
        let rounds = 0;
        const pages = await pagesOf(fresh, path, async () => {
          if (++rounds <= 6) await between();
        });
        const seen = pages.flat();
        expect(new Set(seen).size, path).toBe(seen.length);
        expect(
          seen.filter((id) => original.includes(id)),
          path,
        ).toEqual(EXPECTED[ordering]);
        await fresh.close();
      }
    }
  });

  test("the next page continues in the same place even if the channel before it is gone", async () => {
    await imported(appliance, "channels", MIXED);
    const { body } = await expectOk(appliance, `${CATALOG}?limit=4`);
    await imported(appliance, "channels", [{ id: 1, is_public: false }]);
    const rest = await pagesOf(appliance, pathOfNext(body.next));
    expect(rest.flat()).toEqual([3, 6, 7, 4, 9]);
  });
});

describe("next", () => {
  test("is an absolute address that keeps every filter and the page size", async () => {
    await imported(
      appliance,
      "channels",
      [1, 2].map((id) =>
        channel(id, {
          title: "Ёлки & палки + 100%",
          category: "science",
          territory: "kazan",
          kind: "chat",
          a_plus: true,
        }),
      ),
    );
    const filters = {
      q: "ёлки & палки + 100%",
      category: "science",
      territory: "russia",
      kind: "chat",
      subscribers_min: "1",
      subscribers_max: "5000",
      a_plus: "yes",
      verified: "No",
      ordering: "-quality",
      limit: "1",
    };
    const { body } = await expectOk(
      appliance,
      `${CATALOG}?${new URLSearchParams(filters)}&foo=bar`,
    );
    const next = new URL(body.next);
    expect(next.origin + next.pathname).toBe(`http://localhost${CATALOG}`);
    const { cursor, ...others } = Object.fromEntries(next.searchParams);
    expect(others).toEqual(filters);
    expect(cursor).toMatch(/^[\w-]+$/);
    const second = await expectOk(appliance, pathOfNext(body.next));
    expect(second.body.results.map(({ id }: { id: number }) => id)).toEqual([2]);
    expect(second.body.next).toBeNull();
  });

  test("of a later page replaces the cursor", async () => {
    await imported(appliance, "channels", [channel(1), channel(2), channel(3)]);
    const first = await expectOk(appliance, `${CATALOG}?limit=1`);
    const second = await expectOk(appliance, pathOfNext(first.body.next));
    const cursors = new URL(second.body.next).searchParams.getAll("cursor");
    expect(cursors).toHaveLength(1);
    expect(cursors).not.toEqual(new URL(first.body.next).searchParams.getAll("cursor"));
  });
});

describe("a cursor", () => {
  const faults = { cursor: "Invalid cursor." };
  const ofAnother = (names: string) =>
    `The cursor was made with another ${names}: leave ${names.includes(" ") ? "those" : "that"} out, or begin again without a cursor.`;

  async function cursorOf(path: string): Promise<string> {
    const { body } = await expectOk(appliance, path);
    return new URL(body.next).searchParams.get("cursor") ?? "";
  }

  test("that was altered in any character, shortened or lengthened is a 400", async () => {
    await imported(appliance, "channels", MIXED);
    const cursor = await cursorOf(`${CATALOG}?limit=2`);
    expect((await appliance.get(`${CATALOG}?cursor=${cursor}`)).status).toBe(200);
    const changed = [...cursor].map(
      (character, at) =>
        cursor.slice(0, at) + (character === "A" ? "B" : "A") + cursor.slice(at + 1),
    );
    const last = cursor.slice(-1);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    // Some of these may decode to the same bytes as the last character.
    const lookalikes = [...alphabet].filter((other) => other !== last);
    for (const wrong of [
      ...changed,
      ...lookalikes.map((other) => cursor.slice(0, -1) + other),
      cursor.slice(0, -1),
      cursor.slice(1),
      `${cursor}A`,
      `${cursor}%3D`,
      `${cursor}%20`,
      cursor + cursor,
      "x",
      "null",
      "%5B10%2C1%5D",
      "A".repeat(10_000),
      "%D1%91",
    ]) {
      await expectFaults(appliance, `${CATALOG}?cursor=${wrong}`, faults);
    }
  });

  test("is valid for its ordering only", async () => {
    await imported(appliance, "channels", MIXED);
    for (const ordering of ORDERINGS) {
      const cursor = await cursorOf(`${CATALOG}?limit=1&ordering=${ordering}`);
      for (const other of ORDERINGS) {
        const path = `${CATALOG}?limit=1&ordering=${other}&cursor=${cursor}`;
        if (other === ordering) expect((await appliance.get(path)).status).toBe(200);
        else await expectFaults(appliance, path, { cursor: ofAnother("ordering") });
      }
    }
  });

  test("carries its filters: alone it gives the same page as together with them", async () => {
    await imported(appliance, "channels", MIXED);
    for (const query of ["ordering=-quality", "q=channel&subscribers_min=5", "a_plus=false"]) {
      const path = `${CATALOG}?limit=2&${query}`;
      const cursor = await cursorOf(path);
      const beside = await expectOk(appliance, `${path}&cursor=${cursor}`);
      const alone = await expectOk(appliance, `${CATALOG}?cursor=${cursor}`);
      expect(alone.body, query).toEqual(beside.body);
      expect(alone.body.results, query).toHaveLength(2);
    }
  });

  test("accepts its own filters in any spelling of their values, and refuses others by name", async () => {
    await imported(appliance, "channels", MIXED);
    const cursor = await cursorOf(`${CATALOG}?limit=2&a_plus=false&subscribers_min=0`);
    for (const same of ["a_plus=0", "a_plus=NO&kind=channel", "subscribers_min=%2B0", "kind="]) {
      expect((await appliance.get(`${CATALOG}?cursor=${cursor}&${same}`)).status, same).toBe(200);
    }
    for (const [other, names] of [
      ["a_plus=true", "a_plus"],
      ["kind=chat", "kind"],
      ["q=channel", "q"],
      ["ordering=-citation&q=channel", "q and ordering"],
    ] as const) {
      const path = `${CATALOG}?cursor=${cursor}&${other}`;
      await expectFaults(appliance, path, { cursor: ofAnother(names) });
    }
  });

  test("accepts another page size and other fields, which select no channels", async () => {
    await imported(appliance, "channels", MIXED);
    const cursor = await cursorOf(`${CATALOG}?limit=1&fields=id`);
    const { body } = await expectOk(
      appliance,
      `${CATALOG}?cursor=${cursor}&limit=3&fields=id,title`,
    );
    expect(body.results.map(Object.keys)).toEqual(Array(3).fill(["id", "title"]));
    const alone = await expectOk(appliance, `${CATALOG}?cursor=${cursor}`);
    expect(alone.body.results.map(Object.keys)).toEqual([["id"]]);
  });

  test("is also accepted as the whole address in next", async () => {
    await imported(appliance, "channels", MIXED);
    const { body } = await expectOk(appliance, `${CATALOG}?limit=2&q=channel`);
    const whole = await expectOk(appliance, `${CATALOG}?cursor=${encodeURIComponent(body.next)}`);
    expect(whole.body).toEqual((await expectOk(appliance, pathOfNext(body.next))).body);
  });

  test("of posts carries the channel, whichever name the address has for it", async () => {
    await imported(appliance, "channels", [channel(1, { handle: "one" }), channel(2)]);
    await imported(
      appliance,
      "posts",
      [1, 2, 3, 4].map((id) => ({
        ...{ id, channel: 1 + (id % 2), published_at: "2026-11-01T00:00:00Z" },
      })),
    );
    const cursor = await cursorOf("/v1/msgr/channels/ONE/posts/?limit=1");
    for (const name of ["1", "one"]) {
      const path = `/v1/msgr/channels/${name}/posts/?cursor=${cursor}`;
      const { body } = await expectOk(appliance, path);
      expect(body.results.map((post: { id: number }) => post.id)).toEqual([2]);
    }
    await expectFaults(appliance, `/v1/msgr/channels/2/posts/?cursor=${cursor}`, {
      cursor: ofAnother("channel"),
    });
  });

  test("is valid for its method only", async () => {
    await imported(appliance, "channels", MIXED);
    await imported(
      appliance,
      "posts",
      [1, 2].map((id) => ({ id, channel: 1, published_at: "2026-11-01T00:00:00Z" })),
    );
    const ofPosts = await cursorOf(`${CATALOG}1/posts/?limit=1`);
    const ofCatalog = await cursorOf(`${CATALOG}?limit=1`);
    for (const ordering of ORDERINGS) {
      await expectFaults(appliance, `${CATALOG}?ordering=${ordering}&cursor=${ofPosts}`, faults);
    }
    await expectFaults(appliance, `${CATALOG}1/posts/?cursor=${ofCatalog}`, faults);
  });

  test("of another appliance is a 400", async () => {
    await imported(appliance, "channels", MIXED);
    const elsewhere = await startAppliance();
    await imported(elsewhere, "channels", MIXED);
    const { body } = await expectOk(elsewhere, `${CATALOG}?limit=1`);
    await elsewhere.close();
    await expectFaults(appliance, pathOfNext(body.next), faults);
  });

  test("is checked even if the filters cannot match anything", async () => {
    await expectFaults(appliance, `${CATALOG}?q=t.me/joinchat/abc&cursor=nonsense`, faults);
  });
});
