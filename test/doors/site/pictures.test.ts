import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import {
  addPerson,
  signedInMember,
  signedInVisitor,
  type Visitor,
  visitorOf,
} from "../../support/visitor.ts";
import { callsWith, created } from "../../support/webhook-calls.ts";
import { webp } from "../../support/webp.ts";

const IMAGE = "https://cdn.example.com/pictures/1.webp";
const PICTURE = "/account/channels/1/picture/";
const HOUR_MS = 60 * 60 * 1000;

let appliance: Appliance;
let visitor: Visitor;
beforeEach(async () => {
  appliance = await startAppliance();
  await addPerson(appliance);
  visitor = await signedInVisitor(appliance, "ada@example.com");
  await imported(appliance, "channels", [
    channel(1, { image: IMAGE }),
    channel(2, { image: null }),
    channel(3, { image: "http://cdn.example.com/3.webp" }),
  ]);
  serve(webp(100, 100));
});
afterEach(() => appliance.close());

const serve = (body: Uint8Array | string, status = 200) => {
  appliance.ports.network.answerGet = () => ({ status, body });
};
const fetched = () => appliance.ports.network.gets.map(({ authority, path }) => authority + path);
/** A format's signature, followed by the text. */
const startingWith = (signature: string, text: string) =>
  Buffer.concat([Buffer.from(signature, "latin1"), Buffer.from(text)]);

test("pages show a channel's picture from the appliance's own address, on top of its initials", async () => {
  for (const path of ["/account/channels/", "/account/channels/1/"]) {
    const { html } = await visitor.get(path);
    expect(html, path).toContain(`<img src="${PICTURE}" alt="" loading="lazy"/>`);
    expect(html, path).not.toMatch(/src="https?:/);
  }
  // A picture that could not be fetched anyway is not requested.
  for (const id of [2, 3]) {
    expect((await visitor.get(`/account/channels/${id}/`)).html).not.toContain("<img");
  }
});

test("so do other pages that name channels: compare, posts found, mentions, an alert's preview", async () => {
  const { organizationId, key } = await appliance.customer({ access: "read_write" });
  const member = await signedInMember(appliance, organizationId, "member", "nina@example.com");
  await imported(appliance, "channels", [channel(4, { title: "Four", handle: "four" })]);
  await imported(appliance, "posts", [
    { id: 1, channel: 1, text: "comet @four", published_at: "2026-11-18T10:00:00Z" },
    { id: 2, channel: 2, text: "comet", published_at: "2026-11-18T10:00:00Z" },
  ]);
  const call = callsWith(appliance, key);
  const webhook = await created(call, { channels: [1] });
  const { body: alert } = await appliance.request("/v1/msgr/alerts/", {
    ...{ method: "POST", key, headers: { "content-type": "application/json" } },
    body: JSON.stringify({ name: "comets", q: "comet", webhook: webhook.id }),
  });
  for (const path of [
    "/account/compare/?channels=1,2",
    "/account/posts/?q=comet",
    "/account/channels/4/",
    "/account/channels/4/mentions/",
    `/account/alerts/${alert.id}/?preview=yes`,
  ]) {
    const { html } = await member.get(path);
    expect(html, path).toContain(`<img src="${PICTURE}" alt="" loading="lazy"/>`);
    expect(html, path).not.toMatch(/src="https?:|channels\/2\/picture/);
  }
});

test("a picture is fetched once, without the visitor's cookies, and served under the strict policy", async () => {
  const answers = await Promise.all([visitor.get(PICTURE), visitor.get(PICTURE)]);
  for (const { status, headers } of answers) {
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("image/webp");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("cache-control")).toStartWith("private,");
  }
  expect(fetched()).toEqual(["cdn.example.com/pictures/1.webp"]);
  expect(Object.keys(appliance.ports.network.gets[0]?.headers ?? {})).toEqual([
    "accept",
    "user-agent",
  ]);
});

test("a picture is cached for a day, a failure for ten minutes", async () => {
  const { clock } = appliance.ports;
  await visitor.get(PICTURE);
  clock.advance(23 * HOUR_MS);
  await visitor.get(PICTURE);
  expect(fetched()).toHaveLength(1);
  clock.advance(2 * HOUR_MS);
  serve("", 500);
  expect((await visitor.get(PICTURE)).status).toBe(404);
  expect((await visitor.get(PICTURE)).status).toBe(404);
  expect(fetched()).toHaveLength(2);
  clock.advance(HOUR_MS / 5);
  serve(webp(10, 10));
  expect((await visitor.get(PICTURE)).status).toBe(200);
});

test("strangers get no picture, and hidden channels have none", async () => {
  expect((await visitorOf(appliance).get(PICTURE)).status).toBe(303);
  await imported(appliance, "channels", [channel(4, { image: IMAGE, is_public: false })]);
  expect((await visitor.get("/account/channels/4/picture/")).status).toBe(404);
  expect((await visitor.get("/account/channels/77/picture/")).status).toBe(404);
  expect((await visitor.get("/account/channels/2/picture/")).status).toBe(404);
  expect(fetched()).toEqual([]);
});

describe("not served, so that the initials remain visible", () => {
  for (const [what, body] of [
    ["an SVG", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ["a page", "<!doctype html><script>alert(1)</script>"],
    ["a page that begins as a picture does", startingWith("GIF89a", "<script>alert(1)</script>")],
    ["a picture that is cut off", webp(100, 100).subarray(0, 14)],
    ["one of more than 2000 pixels", webp(2_001, 10)],
    ["one of more than 512 KiB", Buffer.concat([webp(10, 10), Buffer.alloc(512 * 1024)])],
    ["nothing", ""],
  ] as const) {
    test(what, async () => {
      serve(body);
      const { status, headers, html } = await visitor.get(PICTURE);
      expect([status, headers.get("content-type")]).toEqual([404, "image/gif"]);
      expect(html).toHaveLength(42);
    });
  }

  test("a redirect, which is not followed", async () => {
    serve(webp(10, 10), 302);
    expect((await visitor.get(PICTURE)).status).toBe(404);
    expect(fetched()).toHaveLength(1);
  });

  for (const image of [
    "https://127.0.0.1/a.webp",
    "https://[::1]/a.webp",
    "https://inside.example.com/a.webp",
    "https://localhost/a.webp",
    "https://user:password@cdn.example.com/a.webp",
    "https://cdn.example.com:22/a.webp",
  ]) {
    test(`the content at ${image}, which is not even requested`, async () => {
      appliance.ports.network.names.set("inside.example.com", ["93.184.215.14", "10.0.0.7"]);
      await imported(appliance, "channels", [channel(1, { image })]);
      expect((await visitor.get(PICTURE)).status).toBe(404);
      expect(fetched()).toEqual([]);
    });
  }
});

test("six pictures are fetched at once; others wait for their turn", async () => {
  const channels = Array.from({ length: 40 }, (_, at) =>
    channel(100 + at, { image: `https://cdn.example.com/${at}.webp` }),
  );
  await imported(appliance, "channels", channels);
  let open = 0;
  let openMax = 0;
  appliance.ports.network.answerGet = async () => {
    open += 1;
    openMax = Math.max(openMax, open);
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    return { status: 200, body: webp(10, 10) };
  };
  const answers = await Promise.all(
    channels.map((_, at) => visitor.get(`/account/channels/${100 + at}/picture/`)),
  );
  expect(answers.map(({ status }) => status)).toEqual(channels.map(() => 200));
  expect(openMax).toBe(6);
});

test("one for which no place is left in the queue is asked for again later, not taken to be missing", async () => {
  const ids = Array.from({ length: 207 }, (_, at) => 100 + at);
  const pictureOf = (id: number) => `/account/channels/${id}/picture/`;
  await imported(
    appliance,
    "channels",
    ids.map((id) => channel(id, { image: `https://cdn.example.com/${id}.webp` })),
  );
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  appliance.ports.network.answerGet = async () => {
    await released;
    return { status: 200, body: webp(10, 10) };
  };
  // Six are fetched and 200 wait, so that one is refused at once.
  const asked = ids.map(async (id) => ({ id, answer: await visitor.get(pictureOf(id)) }));
  const { id, answer } = await Promise.race(asked);
  expect(answer.status).toBe(429);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  release();
  const answers = await Promise.all(asked);
  expect(answers.filter((one) => one.answer.status === 200)).toHaveLength(206);
  expect((await visitor.get(pictureOf(id))).status).toBe(200);
});
