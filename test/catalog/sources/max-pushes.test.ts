import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import type { Answer } from "../../support/appliance.ts";
import { type MaxAppliance, startMaxAppliance } from "../../support/max-appliance.ts";

/** Updates that MAX pushes instead of being polled (sources, section 4). */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NEWS = -9_007_199_254_740_993n;
const TALES = -9_007_199_254_740_995n;

let world: MaxAppliance;
let id: number;
beforeEach(async () => {
  world = await startMaxAppliance({ KANALOG_BASE_URL: "https://catalog.example.com" });
  world.max.addChannel({ id: NEWS, title: "Новости" });
  ({ id } = await world.add());
  await world.look();
  await world.appliance.app.sources.setPushes(id, true, COMMAND_LINE);
  await world.look();
});
afterEach(() => world.close());

interface Push {
  body: string;
  secret: string | null;
  path?: string;
}

function deliver({ body, secret, path = `/sources/${id}/` }: Push): Promise<Answer> {
  const headers = {
    "content-type": "application/json",
    ...(secret !== null && { "x-max-bot-api-secret": secret }),
  };
  return world.appliance.request(path, { method: "POST", headers, body });
}

/** Delivers all pending pushes, in the order that `order` returns. */
async function deliverAll(order: <T>(pushes: T[]) => T[] = (pushes) => pushes): Promise<void> {
  const pushes = order(world.max.pushes.splice(0));
  for (const push of pushes) expect((await deliver(push)).status).toBe(200);
}

const secret = () => world.max.subscriptions[0]?.secret ?? "";
const texts = () => world.posts().map(({ text }) => text);
const reads = () => world.max.requests.filter((path) => path.startsWith("GET /messages")).length;
/** The parts of an answer that must not reveal whether an address exists. */
const visible = ({ status, body }: Answer) => [status, body];

describe("a subscription", () => {
  test("has a secret of its own, and polling becomes hourly", async () => {
    expect(world.max.subscriptions).toEqual([
      {
        url: `https://catalog.example.com/sources/${id}/`,
        secret: expect.stringMatching(/^[a-z0-9]{64}$/),
      },
    ]);
    const before = reads();
    await world.after(59 * MINUTE_MS);
    expect(reads()).toBe(before);
    await world.after(MINUTE_MS);
    expect(reads()).toBeGreaterThan(before);
  });

  test("loses no channel that was added since updates were last polled", async () => {
    const other = await startMaxAppliance({ KANALOG_BASE_URL: "https://catalog.example.com" });
    const source = await other.add();
    await other.look();
    for (const n of [1n, 2n]) other.max.addChannel({ id: n, title: `Канал ${n}` });
    await other.appliance.app.sources.setPushes(source.id, true, COMMAND_LINE);
    // The first poll for updates fails.
    other.disturbNetwork = (url) =>
      url.includes("/updates") ? { status: 200, body: '{"upda' } : undefined;
    expect(await other.look()).toMatchObject({ failures: 1 });
    expect(other.max.subscriptions).toEqual([]);
    other.disturbNetwork = () => undefined;
    await other.after(MINUTE_MS);
    expect(other.max.subscriptions).toHaveLength(1);
    expect((await other.chats()).map(({ chat, isRead }) => [chat, isRead])).toEqual([
      ["1", true],
      ["2", true],
    ]);
    await other.close();
  });

  test("that MAX ended is renewed", async () => {
    world.max.subscriptions = [];
    await world.after(HOUR_MS);
    expect(world.max.subscriptions).toHaveLength(1);
  });

  test("ends when pushes are turned off, and updates are polled again", async () => {
    const given = secret();
    await world.appliance.app.sources.setPushes(id, false, COMMAND_LINE);
    expect((await deliver({ body: "{}", secret: given })).status).toBe(404);
    expect(await world.look()).toMatchObject({ schedule: "15m", failures: 0 });
    expect(world.max.subscriptions).toEqual([]);
    world.max.addChannel({ id: TALES, title: "Сказки" });
    await world.after(15 * MINUTE_MS);
    expect(await world.chats()).toHaveLength(2);
  });

  test("ends when the source is removed", async () => {
    await world.appliance.app.sources.removeSource(id, COMMAND_LINE);
    expect(world.max.subscriptions).toEqual([]);
  });

  test("that failed is retried by the next run", async () => {
    await world.appliance.app.sources.setPushes(id, false, COMMAND_LINE);
    await world.look();
    await world.appliance.app.sources.setPushes(id, true, COMMAND_LINE);
    world.disturbNetwork = (url) =>
      url.endsWith("/subscriptions") ? { fault: "broken" } : undefined;
    expect(await world.look()).toMatchObject({ failures: 1 });
    world.disturbNetwork = () => undefined;
    expect(await world.after(MINUTE_MS)).toMatchObject({ failures: 0 });
    expect(world.max.subscriptions).toHaveLength(1);
  });

  test("needs an https address on port 443", async () => {
    for (const base of ["http://127.0.0.1:8080", "https://catalog.example.com:8443", undefined]) {
      const other = await startMaxAppliance(base === undefined ? {} : { KANALOG_BASE_URL: base });
      const source = await other.add();
      const { sources } = other.appliance.app;
      await expect(sources.setPushes(source.id, true, COMMAND_LINE)).rejects.toMatchObject({
        fields: { state: [expect.stringContaining("only over https, to port 443")] },
      });
      await other.close();
    }
  });
});

describe("a push", () => {
  test("causes its channel to be read within seconds", async () => {
    const before = reads();
    world.max.post(NEWS, "свежее");
    await deliverAll();
    await world.after(5000);
    expect(texts()).toEqual(["свежее"]);
    await world.after(5000);
    // The page with the post, and one more that has nothing new.
    expect(reads() - before).toBe(2);
  });

  test("does not postpone reading all channels", async () => {
    world.max.addChannel({ id: TALES, title: "Сказки" });
    await deliverAll();
    await world.after(5000);
    world.max.pushes = [];
    const lost = world.max.post(TALES, "push потерялся");
    world.max.pushes = [];
    for (let minutes = 0; minutes < 60; minutes += 10) {
      world.max.post(NEWS, `пост ${minutes}`);
      await deliverAll();
      await world.after(10 * MINUTE_MS);
    }
    await world.after(0);
    expect(world.stored(lost)?.text).toBe("push потерялся");
  });

  test("may be repeated and reordered", async () => {
    const mid = world.max.post(NEWS, "как было");
    world.max.edit(mid, "как стало");
    world.max.edit(mid, "как осталось");
    const other = world.max.post(NEWS, "другой");
    world.max.remove(other);
    await deliverAll((pushes) => [...pushes.toReversed(), ...pushes, ...pushes.toReversed()]);
    await world.after(5000);
    await world.after(5000);
    expect(texts()).toEqual(["как осталось"]);
  });

  test("of a deletion that arrives before its post keeps the post out of the catalog", async () => {
    const mid = world.max.post(NEWS, "мимолётное");
    const [created] = world.max.pushes.splice(0);
    world.max.remove(mid);
    await deliverAll();
    // MAX's list of messages may lag behind, and still contain the post.
    world.max.channels.get(String(NEWS))?.posts.set(mid, {
      ...{ mid, at: world.appliance.ports.clock.now(), text: "мимолётное", views: 0 },
      ...{ attachments: [], link: null },
    });
    if (created !== undefined) await deliver(created);
    await world.after(5000);
    expect(texts()).toEqual([]);
  });

  test("that arrives while its channel is read causes another reading", async () => {
    world.max.post(NEWS, "первый");
    await deliverAll();
    let isLate = false;
    world.max.disturb = (path) => {
      if (!path.startsWith("GET /messages") || isLate) return undefined;
      isLate = true;
      world.max.post(NEWS, "второй");
      return Response.json({ messages: [] });
    };
    await world.after(5000);
    await deliverAll();
    await world.after(5000);
    expect(texts()).toEqual(["первый", "второй"]);
  });

  test("adds new channels, and marks those that the bot was removed from", async () => {
    world.max.addChannel({ id: TALES, title: "Сказки" });
    world.max.removeBot(NEWS);
    await deliverAll((pushes) => pushes.toReversed());
    await world.after(5000);
    const chats = (await world.chats()).map(({ chat, isRead }) => [chat, isRead]);
    expect(chats).toEqual([
      [String(NEWS), false],
      [String(TALES), true],
    ]);
  });

  test("to a paused source takes effect when the source is resumed", async () => {
    await world.appliance.app.sources.pauseSource(id, COMMAND_LINE);
    world.max.post(NEWS, "свежее");
    await deliverAll();
    await world.after(5000);
    expect(texts()).toEqual([]);
    await world.appliance.app.sources.resumeSource(id, COMMAND_LINE);
    await world.after(5000);
    expect(texts()).toEqual(["свежее"]);
  });

  test("with irrelevant content is accepted and changes nothing", async () => {
    const before = await world.chats();
    for (const body of ["{}", "[]", "null", '"text"', '{"update_type":"bot_started"}', "7"]) {
      expect((await deliver({ body, secret: secret() })).status).toBe(200);
    }
    const tooLarge = await deliver({ body: "x".repeat(2_000_000), secret: secret() });
    expect(tooLarge.status).toBe(413);
    expect(await world.chats()).toEqual(before);
  });
});

describe("a request without the secret", () => {
  test("gets the same answer as an address that does not exist", async () => {
    const unknown = visible(await deliver({ body: "{}", secret: "x", path: "/nowhere/1/" }));
    expect(unknown[0]).toBe(404);
    const paths = ["999", "0", "x", "1e3", "-1", `${id}0`].map((one) => `/sources/${one}/`);
    for (const push of [
      ...[null, "", "wrong", `${secret()}x`, secret().toUpperCase()].map((one) => ({
        secret: one,
      })),
      ...paths.map((path) => ({ secret: secret(), path })),
    ]) {
      expect(visible(await deliver({ body: "{}", ...push }))).toEqual(unknown);
    }
    // The secret is checked before the body.
    expect(visible(await deliver({ body: "no json", secret: "wrong" }))).toEqual(unknown);
    expect(visible(await deliver({ body: "x".repeat(2_000_000), secret: "" }))).toEqual(unknown);
  });

  test("gets 404 from a source without pushes, even with its former secret", async () => {
    const given = secret();
    await world.appliance.app.sources.setPushes(id, false, COMMAND_LINE);
    for (const one of [given, "", null]) {
      expect((await deliver({ body: "{}", secret: one })).status).toBe(404);
    }
  });

  test("changes nothing", async () => {
    world.max.post(NEWS, "свежее");
    for (const { body } of world.max.pushes) await deliver({ body, secret: "wrong" });
    await world.after(5000);
    expect(texts()).toEqual([]);
  });
});

test("a body that is too long or is not JSON is refused", async () => {
  const long = await deliver({ body: `"${"x".repeat(1024 * 1024)}"`, secret: secret() });
  expect(long.status).toBe(413);
  expect((await deliver({ body: "{", secret: secret() })).status).toBe(400);
  const deep = await deliver({ body: "[".repeat(500_000), secret: secret() });
  expect(deep.status).toBe(400);
});
