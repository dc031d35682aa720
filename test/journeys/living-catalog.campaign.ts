import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { CHROMIUM, launchBrowser, openWindow } from "../support/site-browser.ts";
import { createMaxWorld } from "../support/source-worlds/max-world.ts";
import { createPullWorld } from "../support/source-worlds/pull-world.ts";
import type { Addition, SourceWorld } from "../support/source-worlds/source-world.ts";
import { createTelegramWorld } from "../support/source-worlds/telegram-world.ts";
import { until } from "../support/until.ts";
import { PASSWORD } from "../support/visitor.ts";

/**
 * From an empty appliance to a living catalog, by commands and in the browser (sources, sections 2 to 4).
 */

const inBrowser = test.skipIf(CHROMIUM === undefined);
const environment = { KANALOG_SOURCE_ALLOW: "127.0.0.0/8" };

let browser: Browser;
beforeAll(async () => {
  if (CHROMIUM !== undefined) browser = await launchBrowser();
});
afterAll(() => browser?.close());

let machine: Machine;
let world: SourceWorld;
beforeEach(() => {
  machine = createMachine();
});
afterEach(async () => {
  await world.server.stop();
  await machine.leave();
});

const isRead = (name: string): boolean =>
  machine.query<{ wasRead: number }>(
    "SELECT succeeded_at IS NOT NULL AND owner IS NULL AS wasRead FROM sources WHERE name = ?",
    name,
  )[0]?.wasRead === 1;
const isIdle = (): boolean =>
  machine.query("SELECT 1 FROM sources WHERE owner IS NOT NULL").length === 0;
const countPosts = (): number =>
  machine.query<{ posts: number }>("SELECT count(*) AS posts FROM posts")[0]?.posts ?? 0;

/** The owner of channels adds the bot and publishes posts. */
function live(): void {
  world.join?.();
  for (let count = 0; count < 5; count++) world.happen(() => 0);
}

async function command({ words, stdin }: Pick<Addition, "words" | "stdin">): Promise<string> {
  const ran = await machine.run(words, { environment, ...(stdin !== undefined && { stdin }) });
  expect(ran).toMatchObject({ exitCode: 0 });
  return ran.out;
}

/**
 * After this many looks without posts, an idle source is read on request: MAX is otherwise read on a
 * schedule.
 */
const LOOKS = 50;

async function waitForPosts(readNow: () => Promise<void>): Promise<void> {
  let looks = 0;
  await until(async () => {
    looks += 1;
    if (countPosts() > 0) return true;
    if (looks % LOOKS === 0 && isIdle()) await readNow();
    return false;
  }, "posts");
}

async function setUp(page: Page, serving: Serving): Promise<void> {
  const address = (): string | undefined =>
    /https?:\S+\/account\/set-up\/\S+(?=\n)/.exec(serving.printed())?.[0];
  await until(() => address() !== undefined, "the set-up address");
  await page.goto(address() ?? "");
  await page.fill("[name=name]", "Ada");
  await page.fill("[name=email]", "ada@example.com");
  await page.fill("[name=password]", PASSWORD);
  await page.fill("[name=organization]", "Acme");
  await page.click("main button[type=submit]");
  await page.waitForURL("**/staff/start/");
}

async function addByClicks(page: Page, { path, fields, button }: Addition): Promise<void> {
  await page.goto(path);
  for (const [name, value] of Object.entries(fields)) {
    const choice = page.locator(`main select[name=${name}]`);
    if ((await choice.count()) > 0) await choice.first().selectOption(value);
    else await page.locator(`main input[name=${name}]`).first().fill(value);
  }
  await page.getByRole("button", { name: button, exact: true }).click();
  await page.getByRole("status").waitFor();
}

const KINDS = { pull: createPullWorld, telegram: createTelegramWorld, max: createMaxWorld };

describe.each(Object.entries(KINDS))("a catalog fed by %s", (_, createWorld) => {
  test("is created with commands", async () => {
    world = createWorld();
    const serving = await machine.serve(["serve"], { environment });
    for (const addition of world.additions) {
      expect(await command(addition)).toContain(addition.name);
      await until(() => isRead(addition.name) || world.join !== undefined, addition.name);
    }
    live();
    const { name = "" } = world.additions.at(-1) ?? {};
    await waitForPosts(async () => {
      const ran = await machine.run(["source", "run", name], { environment });
      // The schedule may have begun a run meanwhile.
      if (ran.exitCode !== 0) expect(ran.notes).toContain("is running");
    });
    expect(await command({ words: ["source", "list"] })).toContain(name);
    await command({ words: ["source", "show", name] });
    const { key } = await machine.customer();
    const [{ id = 0 } = {}] = machine.query<{ id: number }>("SELECT channel_id AS id FROM posts");
    const channels = await serving.get("/v1/msgr/channels/", key);
    expect(await channels.text()).toContain(`"id":${id},`);
    const posts = await serving.get(`/v1/msgr/channels/${id}/posts/`, key);
    expect(await posts.text()).toContain('"text":"post ');
    expect(await command({ words: ["source", "remove", name] })).toContain(name);
    expect(await serving.stop()).toBe(0);
  });

  inBrowser("is made by clicks", async () => {
    world = createWorld();
    const serving = await machine.serve(["serve"], { environment });
    const { page, faults, context } = await openWindow(browser, serving.address);
    await setUp(page, serving);
    for (const addition of world.additions) {
      await addByClicks(page, addition);
      await until(() => isRead(addition.name) || world.join !== undefined, addition.name);
    }
    live();
    const { name = "" } = world.additions.at(-1) ?? {};
    await waitForPosts(async () => {
      await page.goto("/staff/sources/");
      await page.getByRole("button", { name: `Run now ${name}` }).click();
      await page.getByRole("status").waitFor();
    });
    await page.goto("/staff/sources/");
    await page.locator("main").getByRole("link", { name, exact: true }).click();
    expect(await page.locator("main").textContent()).toContain("Last success");
    const [{ id = 0 } = {}] = machine.query<{ id: number }>("SELECT channel_id AS id FROM posts");
    await page.goto(`/account/channels/${id}/`);
    expect(await page.locator("main").textContent()).toContain("post");
    expect(faults).toEqual([]);
    await context.close();
    expect(await serving.stop()).toBe(0);
  });
});
