import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import {
  channel,
  expectIds,
  expectOk,
  expectRefusal,
  imported,
} from "../../support/expectations.ts";

const CATALOG = "/v1/msgr/channels/";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const FULL = {
  id: 7,
  msgr_id: -1001234567890,
  handle: "NsMag",
  title: 'Наука и «жизнь» "мир" 😀',
  description: "Строка\nвторая",
  link: "https://t.me/NsMag",
  image: "https://img.example.com/7.webp",
  kind: "chat",
  subscribers: 12_345,
  category: "science",
  categories: ["news", "humor"],
  territory: "kazan",
  a_plus: true,
  verified: true,
  quality: 12.5,
  citation: 0.1,
  last_post_at: "2026-11-19T21:30:05.999Z",
};

const FULL_CARD = {
  id: 7,
  handle: "NsMag",
  title: 'Наука и «жизнь» "мир" 😀',
  description: "Строка\nвторая",
  link: "https://t.me/NsMag",
  image: "https://img.example.com/7.webp",
  kind: "chat",
  subscribers: 12_345,
  subscribers_at: "2026-11-20T12:00:00+03:00",
  category: "science",
  categories: ["news", "humor"],
  territory: "kazan",
  a_plus: true,
  verified: true,
  quality: 12.5,
  citation: 0.1,
  last_post_at: "2026-11-20T00:30:05+03:00",
  former_handles: [],
};

test("a card has exactly the contract's fields, also in the catalog and in resolve", async () => {
  await imported(appliance, "channels", [FULL]);
  const answer = await appliance.get(`${CATALOG}7/`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(answer.body).toEqual(FULL_CARD);
  expect(Object.keys(answer.body)).toEqual(Object.keys(FULL_CARD));
  expect((await appliance.get(`${CATALOG}?kind=chat`)).body).toEqual({
    results: [FULL_CARD],
    next: null,
  });
  expect((await appliance.get(`${CATALOG}?ids=7`)).body.results).toEqual([FULL_CARD]);
  expect((await appliance.get(`${CATALOG}resolve/?q=@nsmag`)).body).toEqual(FULL_CARD);
});

test("fields that a channel lacks are null, empty or false", async () => {
  await imported(appliance, "channels", [{ id: 1, title: "T", subscribers: 0 }]);
  expect((await appliance.get(`${CATALOG}1/`)).body).toEqual({
    id: 1,
    handle: null,
    title: "T",
    description: null,
    link: null,
    image: null,
    kind: "channel",
    subscribers: 0,
    subscribers_at: "2026-11-20T12:00:00+03:00",
    category: null,
    categories: [],
    territory: null,
    a_plus: false,
    verified: false,
    quality: null,
    citation: null,
    last_post_at: null,
    former_handles: [],
  });
});

test("a card is found by its number, and by its handle in upper or lower case", async () => {
  await imported(appliance, "channels", [channel(7, { handle: "Ns_Mag.1-a" }), channel(8)]);
  for (const name of ["7", "007", "Ns_Mag.1-a", "ns_mag.1-a", "NS_MAG.1-A", "%4es_mag%2E1-a"]) {
    expect((await appliance.get(`${CATALOG}${name}/`)).body.id, name).toBe(7);
  }
});

test("digits are the service number, never a messenger id or a handle", async () => {
  await imported(appliance, "channels", [channel(7, { msgr_id: 8, handle: "h9" }), channel(8)]);
  expect((await appliance.get(`${CATALOG}8/`)).body.id).toBe(8);
  await expectRefusal(appliance, `${CATALOG}9/`, 404, "not_found");
});

test("an unknown channel is a 404", async () => {
  await imported(appliance, "channels", [channel(7, { handle: "nsmag" })]);
  for (const name of ["8", "0", "nsma", "nsmagg", "@nsmag", "-7", "7.0", "7,8", "1e1", "+7"]) {
    await expectRefusal(appliance, `${CATALOG}${name}/`, 404, "not_found");
  }
});

test("a path that cannot name a channel is a 404, never a 500", async () => {
  await imported(appliance, "channels", [channel(1, { handle: "nsmag" })]);
  for (const name of [
    "9007199254740992",
    "99999999999999999999999999",
    "%FF",
    "nsmag%FF",
    "%ED%A0%80",
    "%00",
    "nsmag%00",
    "1%00",
    "%D1%91%D0%BB%D0%BA%D0%B0",
    "%27%20OR%201=1--",
    "%25",
    "%F0%9F%98%80",
    "nsmag%20",
    "nsmag%2F",
    "x".repeat(2000),
  ]) {
    await expectRefusal(appliance, `${CATALOG}${name}/`, 404, "not_found");
  }
  for (const name of ["9007199254740992", "%FF", "%00", "nsmag%00"]) {
    await expectRefusal(appliance, `${CATALOG}${name}/posts/`, 404, "not_found");
  }
  expect(appliance.ports.log.errors).toEqual([]);
});

test("a handle that moved to another channel finds its new owner", async () => {
  await imported(appliance, "channels", [channel(1, { handle: "nsmag" }), channel(2)]);
  await imported(appliance, "channels", [{ id: 2, handle: "NSMAG" }]);
  expect((await appliance.get(`${CATALOG}nsmag/`)).body.id).toBe(2);
  expect((await appliance.get(`${CATALOG}1/`)).body.handle).toBeNull();
});

test("a channel that is not public appears in no answer, and reappears once it is public", async () => {
  await imported(appliance, "channels", [
    channel(1, { handle: "hidden_one", msgr_id: -100, a_plus: true, category: "science" }),
    channel(2, { title: "Other" }),
  ]);
  await imported(appliance, "stats", [{ channel: 1, day: "2026-11-19", subscribers: 5 }]);
  await imported(appliance, "posts", [
    { id: 10, channel: 1, published_at: "2026-11-19T12:00:00+03:00" },
  ]);
  const catalog = [
    "",
    "?q=channel",
    "?q=hidden_one",
    "?q=@hidden_one",
    "?q=t.me/hidden_one",
    "?a_plus=true",
    "?category=science",
    "?ordering=-quality&subscribers_min=1",
    "?ids=1",
  ];
  const single = [
    `${CATALOG}1/`,
    `${CATALOG}hidden_one/`,
    `${CATALOG}resolve/?q=@hidden_one`,
    `${CATALOG}resolve/?q=-100`,
    `${CATALOG}1/posts/`,
    `${CATALOG}hidden_one/posts/`,
    "/v1/msgr/posts/10/",
  ];
  const statistics = "/v1/msgr/stats/daily/?channels=1,2";

  const expectShown = async () => {
    for (const query of catalog) {
      const { body } = await expectOk(appliance, CATALOG + query);
      expect(body.results[0].id, query).toBe(1);
    }
    for (const path of single) expect((await appliance.get(path)).status, path).toBe(200);
    expect((await expectOk(appliance, statistics)).body.results).toHaveLength(1);
  };
  await expectShown();

  await imported(appliance, "channels", [{ id: 1, is_public: false }]);
  for (const query of catalog) {
    const all = query === "" || query.includes("ordering");
    await expectIds(appliance, CATALOG + query, all ? [2] : []);
  }
  for (const path of single) await expectRefusal(appliance, path, 404, "not_found");
  expect((await expectOk(appliance, statistics)).body.results).toEqual([]);

  await imported(appliance, "channels", [{ id: 1, is_public: true, subscribers: 2000 }]);
  await expectShown();
});
