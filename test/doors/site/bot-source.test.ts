import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { auditOf } from "../../support/audit.ts";
import {
  createFakeTelegram,
  type FakeTelegram,
  TELEGRAM_TOKEN,
} from "../../support/fake-telegram.ts";
import { addPerson, signedInVisitor, type Visitor } from "../../support/visitor.ts";

/** Staff add a Telegram bot on the site and see the result (sources, section 3). */

const PAGE = "/staff/sources/telegram/";
const DAY_MS = 24 * 60 * 60 * 1000;

let appliance: Appliance;
let telegram: FakeTelegram;
let staff: Visitor;
beforeEach(async () => {
  appliance = await startAppliance();
  telegram = createFakeTelegram(appliance.ports.clock.now);
  appliance.ports.network.answerGet = telegram.answerGet;
  await addPerson(appliance, { email: "op@example.com", isStaff: true });
  staff = await signedInVisitor(appliance, "op@example.com");
});
afterEach(() => appliance.close());

async function look(): Promise<void> {
  appliance.ports.clock.advance(60_000);
  await appliance.app.sources.tick();
  await appliance.app.sources.settled();
}

const bodyOf = async (path: string) => String((await staff.get(path)).body);
const add = (token = TELEGRAM_TOKEN) =>
  staff.post(PAGE, { action: "add", kind: "telegram", token });

test("an empty catalog fills up: the steps, the token's test, the channels found", async () => {
  expect(await bodyOf("/staff/sources/")).toContain(PAGE);
  const steps = await bodyOf(PAGE);
  expect(steps).toContain("/newbot");
  expect(steps).toContain("Use this token to access the HTTP API:");
  const added = await add();
  expect(added.status).toBe(303);
  const found = String(added.headers.get("location"));
  const waiting = await bodyOf(found);
  expect(waiting).toContain("The token is valid, and the bot was added.");
  expect(waiting).toContain("Search for @kanalog_bot");
  expect(waiting).toContain("None yet.");
  const channel = telegram.addChannel();
  telegram.post(channel, "Доброе утро");
  await look();
  const living = await bodyOf(found);
  expect(living).toContain("Утренние новости");
  expect(living).toContain("@utro");
  expect(living).toContain("60 s");
  expect(await bodyOf("/staff/sources/")).toContain("Delay of the last arrival: 60 s");
  expect(living).toContain('data-chart="source-rows"');
  const { body } = await appliance.get("/v1/msgr/channels/utro/posts/");
  expect(body.results).toMatchObject([{ text: "Доброе утро" }]);
});

test("a wrong token is reported at its field and shown nowhere else; nothing is half created", async () => {
  const answer = await add("110201543:AAwrong");
  expect(answer.status).toBe(400);
  expect(String(answer.body)).toContain("The messenger does not know this token.");
  expect(String(answer.body)).not.toContain("AAwrong");
  expect(await appliance.app.sources.list()).toEqual([]);
});

test("no page shows the token, and the audit log says who added the bot", async () => {
  await add();
  await look();
  for (const path of ["/staff/sources/", "/staff/sources/1/", "/staff/audit/"]) {
    expect(await bodyOf(path)).not.toContain(TELEGRAM_TOKEN.slice(-20));
  }
  expect(await auditOf(appliance)).toContainEqual(
    expect.objectContaining({ person: "op@example.com", action: "source.add" }),
  );
});

test("a channel that the bot was removed from is marked, and so are posts missing after a long gap", async () => {
  await add();
  const channel = telegram.addChannel();
  await look();
  telegram.membership(channel, false);
  await look();
  expect(await bodyOf("/staff/sources/1/")).toContain("the bot was removed");
  appliance.ports.clock.advance(2 * DAY_MS);
  await look();
  expect(await bodyOf("/staff/sources/1/")).toContain("Posts that may be missing");
});

test("the last errors are shown with how often they were met, and what to do about them", async () => {
  await add();
  telegram.addChannel();
  await look();
  expect(await bodyOf("/staff/sources/1/")).not.toContain("Last errors");
  appliance.ports.network.answerGet = () => ({ fault: "unreachable" });
  const { sources } = appliance.app;
  for (const _ of [1, 2]) expect((await sources.runNow(1)).failure).not.toBeNull();
  const failing = await bodyOf("/staff/sources/1/");
  expect(failing).toContain("did not accept the connection");
  expect(failing).toContain("What to do");
  expect(failing).toContain("it is tried again by itself");
  expect(failing).toMatch(/Last errors[\s\S]*<td class="number"[^>]*>2</);
  appliance.ports.network.answerGet = telegram.answerGet;
  expect((await sources.runNow(1)).failure).toBeNull();
  const well = await bodyOf("/staff/sources/1/");
  expect(well).not.toContain("What to do");
  expect(well).toContain("Last errors");
});

test("a demonstration is one click, and fills the catalog without a token or the network", async () => {
  appliance.ports.network.answerGet = () => {
    throw new Error("a demonstration contacts nobody");
  };
  for (const kind of ["telegram", "max"]) {
    const page = `/staff/sources/${kind}/`;
    expect(await bodyOf(page)).toContain("Add a demonstration");
    const added = await staff.post(page, { action: "demo", kind, demo: "yes" });
    expect(added.status).toBe(303);
    expect(await bodyOf(String(added.headers.get("location")))).toContain(
      "demonstration was added",
    );
  }
  for (const { id } of await appliance.app.sources.list()) await appliance.app.sources.runNow(id);
  expect((await appliance.get("/v1/msgr/channels/")).body.results).toHaveLength(6);
});
