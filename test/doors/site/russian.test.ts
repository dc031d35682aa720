import { afterAll, beforeAll, expect, test } from "bun:test";
import { englishIn } from "../../support/russian.ts";
import { type SiteWorld, startSiteWorld } from "../../support/site-world.ts";
import { signedInVisitor, type Visitor, visitorOf } from "../../support/visitor.ts";

/** Nothing is in English for readers of Russian. */
let world: SiteWorld;
let reader: Visitor;
beforeAll(async () => {
  world = await startSiteWorld();
  reader = await signedInVisitor(world.appliance, world.owner, "ru");
});
afterAll(() => world.appliance.close());

/** Names of programs and protocols. */
const NAMES =
  /: (?:Model Context Protocol|Cursor, LM Studio|Telegram Desktop, Telethon|Authorization: Bearer abc|lost with a laptop)$/;

test("every page is in Russian", async () => {
  const found: string[] = [];
  for (const path of Object.values(world.pages).flat()) {
    for (const who of [reader, visitorOf(world.appliance, "ru")]) {
      const { html } = await who.get(path);
      found.push(...englishIn(html).map((sentence) => `${path}: ${sentence}`));
    }
  }
  expect(found.filter((one) => !NAMES.test(one))).toEqual([]);
});

test("so are error messages", async () => {
  const { appliance } = world;
  const send = (path: string, init: RequestInit) => {
    const cookie = [...reader.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { cookie, "accept-language": "ru", ...init.headers };
    return appliance.request(path, { ...init, headers });
  };
  const typed = { "content-type": "application/x-www-form-urlencoded" };
  for (const [status, path, init] of [
    [404, "/account/nothing/", {}],
    [405, "/staff/errors/", { method: "POST" }],
    [403, "/account/keys/", { method: "POST", headers: { origin: "https://evil.example" } }],
    [413, "/account/keys/", { method: "POST", headers: typed, body: "x".repeat(2 ** 21) }],
    [
      400,
      "/staff/imports/",
      { method: "POST", headers: { "content-type": "multipart/form-data" }, body: "x" },
    ],
    [409, "/account/keys/", { method: "POST", headers: typed, body: "action=create" }],
    [404, "/staff/webhooks/99/", {}],
    [400, "/account/channels/?kind=group", {}],
  ] as const) {
    const answer = await send(path, init);
    expect(answer.status, path).toBe(status);
    expect(englishIn(answer.body), path).toEqual([]);
    expect(answer.body).toMatch(/<main[\s\S]*[а-я]{5}/);
  }
});

test("so are an import's messages about rows and files", async () => {
  const found: string[] = [];
  for (const [kind, name, text] of [
    [
      "stats",
      "a.csv",
      "channel,day,subscribers\n1,soon,1\n@nobody,2026-11-01,1\nx,2026-11-01,1\n1,,x\n1,2\n",
    ],
    [
      "channels",
      "a.csv",
      'title,subscribers,handle,verified\nX,,new_one,true\nX,5,new_two,perhaps\n"X" y,1,z,0\n',
    ],
    [
      "posts",
      "a.ndjson",
      'no\n[]\n{"x":1}\n{"id":1,"channel":"?"}\n{"id":1,"published_at":"soon","link":"x"}\n',
    ],
    ["territories", "a.csv", "slug,name,kind,parent\nA b,X,country,\nxx,X,city,\nxx,X,village,\n"],
    ["categories", "a.csv", "slug,name,image\nxx,X,image.webp\n"],
    ["stats", "a.csv", "channel,channel\n"],
    ["stats", "a.csv", 'channel,day,subscribers\n"1,2\n'],
  ] as const) {
    const file = new File([text], name);
    const sent = await reader.post("/staff/imports/", { action: "import", kind, file });
    let html = "data-refresh";
    for (let tries = 0; html.includes("data-refresh") && tries < 200; tries += 1) {
      html = (await reader.get(sent.location ?? "")).html;
    }
    const shown = [...html.matchAll(/<bdi>([^<]*)<\/bdi>/g)].map(([, line = ""]) => line);
    const reasons = shown.filter((line) => line !== name && line !== world.owner);
    expect(reasons.length, text).toBeGreaterThan(0);
    found.push(...reasons.filter((line) => !/[а-я]{3}/.test(line)));
  }
  expect(found).toEqual([]);
});

test("the test itself distinguishes English from names", () => {
  expect(englishIn("<p>The form is too large.</p>")).toEqual(["The form is too large"]);
  expect(englishIn("<p>Ключ API, сервер MCP (Model Context)</p><code>a b c d</code>")).toEqual([]);
});
