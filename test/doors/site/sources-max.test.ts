import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type MaxAppliance, startMaxAppliance } from "../../support/max-appliance.ts";
import { addPerson, signedInVisitor, type Visitor } from "../../support/visitor.ts";

/** A MAX bot on staff's pages: added step by step, with its channels and pushes. */

const PAGE = "/staff/sources/max/";
const NEWS = -9_007_199_254_740_993n;

let world: MaxAppliance;
let staff: Visitor;
beforeEach(async () => {
  world = await startMaxAppliance({ KANALOG_BASE_URL: "https://catalog.example.com" });
  staff = await staffOf(world);
});
afterEach(() => world.close());

async function staffOf({ appliance }: MaxAppliance): Promise<Visitor> {
  const { email } = await addPerson(appliance, { isStaff: true });
  return signedInVisitor(appliance, email);
}

const BOT = { action: "add", kind: "max", name: "max", schedule: "15m", api: "" };
const add = (token: string) => staff.post(PAGE, { ...BOT, token });

describe("a bot of MAX on the site", () => {
  test("is added by steps with the labels of MAX's menus, linked from the list of sources", async () => {
    expect((await staff.get("/staff/sources/")).html).toContain(`href="${PAGE}"`);
    const { html } = await staff.get(PAGE);
    for (const word of ["business.max.ru/self", "«Чат-боты»", "«Настройки»"]) {
      expect(html).toContain(word);
    }
  });

  test("has its token tested, and shown nowhere", async () => {
    const wrong = await add("a-wrong-token-of-nobody");
    expect(wrong.status).toBe(400);
    expect(wrong.html).toContain("does not know this token");
    expect(wrong.html).not.toContain("a-wrong-token-of-nobody");
    expect(await world.appliance.app.sources.list()).toEqual([]);
    const { location } = await add(world.max.token);
    expect(location).toBe("/staff/sources/1/?done=botAdded");
    expect((await staff.get(location ?? "")).html).not.toContain(world.max.token);
  });

  test("shows the channels found, and how to fix those that cannot be read", async () => {
    await add(world.max.token);
    expect((await staff.get("/staff/sources/1/")).html).toContain("None yet.");
    world.max.addChannel({ id: NEWS, title: "Новости" });
    world.max.addChannel({ id: 5n, title: "Закрытый" }).isAdmin = false;
    world.max.post(NEWS, "первый");
    await world.look();
    const { html } = await staff.get("/staff/sources/1/");
    expect(html).toContain("«Администраторы»");
    expect(html).toMatch(/Новости<\/bdi>.*?read/s);
    expect(html).toMatch(/Закрытый<\/bdi>.*?not an administrator/s);
    expect((await staff.get("/staff/sources/")).html).toContain("MAX");
  });

  test("switches push updates on and off, and both are audited", async () => {
    await add(world.max.token);
    const on = await staff.post("/staff/sources/1/", { action: "pushes", state: "on" });
    expect(on.location).toBe("/staff/sources/1/?done=pushesOn");
    await world.look();
    expect(world.max.subscriptions).toHaveLength(1);
    const { html } = await staff.get("/staff/sources/1/");
    expect(html).toContain("Turn off push updates");
    expect(html).not.toContain(world.max.subscriptions[0]?.secret ?? "?");
    await staff.post("/staff/sources/1/", { action: "pushes", state: "off" });
    await world.look();
    expect(world.max.subscriptions).toEqual([]);
    const audit = (await staff.get("/staff/audit/")).html;
    expect(audit).toContain("push updates turned on");
    expect(audit).toContain("push updates turned off");
  });

  test("explains why it cannot receive pushes", async () => {
    const other = await startMaxAppliance();
    const visitor = await staffOf(other);
    await visitor.post(PAGE, { ...BOT, token: other.max.token });
    const refused = await visitor.post("/staff/sources/1/", { action: "pushes", state: "on" });
    expect(refused.status).toBe(400);
    expect(refused.html).toContain("only over https, to port 443");
    await other.close();
  });
});
