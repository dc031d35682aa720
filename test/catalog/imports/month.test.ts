import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { DAY_MS, dayOf, formatDay } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { answersOf, exported } from "../../support/exporting.ts";
import { importText } from "../../support/import-text.ts";

/** The month of a pipeline that sends whole files every day: the guide has its table. */

const KINDS = ["channels", "posts", "stats"] as const;
const DAYS = 30;
const GUIDE = "src/catalog/imports/importing.md";
const [BEGIN, END] = ["<!-- month -->\n", "<!-- /month -->"];
const HEAD =
  "| day | before its files | channels sent | channels | posts | statistics | in the catalog then |\n" +
  "|---|---|---|---|---|---|---|\n";

let appliance: Appliance;
let copy: Appliance;
beforeEach(async () => {
  [appliance, copy] = [await startAppliance(), await startAppliance()];
});
afterEach(() => Promise.all([appliance.close(), copy.close()]));

/** What a provider's file of a day says about its channels, by messenger id. */
type Provided = Map<number, { handle: string; title: string }>;

/** What happens in the messenger, or is done by the operator, before the files of a day. */
const HAPPENS: Record<number, [what: string, happens: (provided: Provided) => unknown]> = {
  6: [
    "the operator merges beta into alpha",
    () => appliance.app.domains.channels.merge(2, 1, COMMAND_LINE),
  ],
  9: ["the operator deletes gamma", () => appliance.app.domains.channels.delete(3, COMMAND_LINE)],
  10: [
    "alpha and delta swap their handles",
    (provided) => {
      Object.assign(provided.get(101) ?? {}, { handle: "delta" });
      Object.assign(provided.get(104) ?? {}, { handle: "alpha" });
    },
  ],
  12: [
    "the deleted channel becomes gamma_2, and another one gamma",
    (provided) => {
      Object.assign(provided.get(103) ?? {}, { handle: "gamma_2" });
      provided.set(106, { handle: "gamma", title: "Another" });
    },
  ],
  14: ["epsilon is missing", (provided) => provided.delete(105)],
  21: [
    "epsilon is back as epsilon_2",
    (provided) => provided.set(105, { handle: "epsilon_2", title: "Epsilon" }),
  ],
  24: [
    "the operator restores the deleted channel",
    () => appliance.app.domains.channels.restore(3, COMMAND_LINE),
  ],
  26: [
    "the operator deletes Delta, now alpha",
    () => appliance.app.domains.channels.delete(4, COMMAND_LINE),
  ],
};

/** The files of a day: each channel has one post and one day of statistics. */
function filesOf(provided: Provided, day: number, nowMs: number): Record<string, string> {
  const date = formatDay(dayOf(nowMs));
  const rows = [...provided];
  return {
    channels: [
      "msgr_id;handle;title;subscribers",
      ...rows.map(
        ([id, { handle, title }]) => `-1000000000${id};${handle};${title};${id * 10 + day}`,
      ),
    ].join("\n"),
    posts: [
      "channel_msgr_id;msgr_post_id;text;published_at",
      ...rows.map(([id]) => `${id};${id * 100 + day};Пост ${day};${date}T08:00:00+03:00`),
    ].join("\n"),
    stats: [
      "channel_msgr_id;day;subscribers;views;posts",
      ...rows.map(([id]) => `${id};${date};${id * 10 + day};${id};1`),
    ].join("\n"),
  };
}

async function sent(to: Appliance, files: Record<string, string>) {
  const counts: Record<string, number[]> = {};
  for (const kind of KINDS) {
    const { rejects, inserted, updated, kept_out } = await importText(to, kind, files[kind] ?? "");
    expect(rejects).toEqual([]);
    counts[kind] = [inserted, updated, kept_out];
  }
  return counts;
}

test("a month of daily files leaves standing what was merged, deleted, swapped and restored", async () => {
  const names = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"];
  const provided: Provided = new Map(
    names.map((title, at) => [101 + at, { handle: title.toLowerCase(), title }]),
  );
  const lines: string[] = [];
  for (let day = 1; day <= DAYS; day++) {
    appliance.ports.clock.advance(DAY_MS);
    const [what, happens] = HAPPENS[day] ?? [];
    await happens?.(provided);
    const files = filesOf(provided, day, appliance.ports.clock.now());
    const counts = await sent(appliance, files);
    if (day === 1 || day === DAYS || what !== undefined) {
      const stood = (await standing(appliance)).map(([, handle]) => handle).join(", ");
      const cells = KINDS.map((kind) => (counts[kind] ?? []).join(" "));
      lines.push(`| ${[day, what ?? "", provided.size, ...cells, stood].join(" | ")} |\n`);
    }
    // The file again changes nothing.
    for (const [inserted, updated] of Object.values(await sent(appliance, files))) {
      expect([day, inserted, updated]).toEqual([day, 0, 0]);
    }
  }
  const guide = await Bun.file(GUIDE).text();
  const [before, after = ""] = guide.split(BEGIN);
  const wanted = `${before}${BEGIN}${HEAD}${lines.join("")}${END}${after.split(END)[1]}`;
  if (process.env["KANALOG_TEST_WRITE_EXAMPLES"] === "1") await Bun.write(GUIDE, wanted);
  else expect(guide).toBe(wanted);

  const stood = await standing(appliance);
  expect(stood).toEqual([
    [1, "delta", "Alpha", 1010 + 30, 30 + 30],
    [3, "gamma_2", "Gamma", 1030 + 30, 7],
    [5, "epsilon_2", "Epsilon", 1050 + 30, 13 + 10],
    [6, "gamma", "Another", 1060 + 30, 19],
  ]);
  const resolved = async (q: string) =>
    (await appliance.get(`/v1/msgr/channels/resolve/?q=${encodeURIComponent(q)}`)).body.id;
  // The merged channel's names lead to the one that stayed; the deleted one's lead nowhere.
  for (const name of ["102", "https://t.me/c/102/7", "@beta"]) expect(await resolved(name)).toBe(1);
  for (const name of ["104", "@alpha"]) expect(await resolved(name)).toBeUndefined();
  expect((await appliance.get("/v1/msgr/channels/2/")).status).toBe(404);

  copy.ports.clock.advance(appliance.ports.clock.now() - copy.ports.clock.now());
  // A copy from exports has the same identities, and takes the next day's files as this one does.
  for (const kind of KINDS) {
    const file = await exported(appliance, { kind });
    expect((await importText(copy, kind, file)).rejects).toEqual([]);
    expect(await exported(copy, { kind })).toBe(file);
  }
  for (const { ports } of [appliance, copy]) ports.clock.advance(DAY_MS);
  const next = filesOf(provided, DAYS + 1, appliance.ports.clock.now());
  expect(await sent(copy, next)).toEqual(await sent(appliance, next));
  expect(await standing(copy)).toEqual(await standing(appliance));
  for (const path of ["channels/", "channels/1/posts/", "channels/resolve/?q=102"]) {
    expect(await answersOf(copy, path)).toEqual(await answersOf(appliance, path));
  }
});

/** The channels with what they have: number, handle, title, subscribers and posts. */
async function standing({ app }: Appliance): Promise<unknown[][]> {
  const { channels } = app.domains;
  return channels.page(0, 100).map(({ id, handle, title, subscribers }) => {
    return [id, handle, title, subscribers, channels.channel(String(id)).posts];
  });
}

test("rows by handle keep a deleted channel out too, also once the file has its messenger id", async () => {
  const row = "handle,title,subscribers\nold,Old,5\n";
  await importText(appliance, "channels", row);
  await appliance.app.domains.channels.delete(1, COMMAND_LINE);
  expect(await importText(appliance, "channels", row)).toMatchObject({ kept_out: 1, inserted: 0 });
  const withId = "msgr_id,handle,title,subscribers\n7,old,Old,5\n";
  expect((await importText(appliance, "channels", withId)).kept_out).toBe(1);
  const renamed = "msgr_id,handle,title,subscribers\n7,newer,Old,5\n";
  expect((await importText(appliance, "channels", renamed)).kept_out).toBe(1);
  // A channel with another messenger id may have the handle.
  const other = "msgr_id,handle,title,subscribers\n8,old,Other,5\n";
  expect((await importText(appliance, "channels", other)).inserted).toBe(1);
  expect((await appliance.get("/v1/msgr/channels/old/")).body.title).toBe("Other");
});

test("a row with removed=false brings a deleted channel back under its number", async () => {
  await importText(appliance, "channels", "msgr_id,title,subscribers\n7,Old,5\n8,Other,1\n");
  await appliance.app.domains.channels.delete(1, COMMAND_LINE);
  const row = (more: string) => `msgr_id,title,subscribers,removed\n7,Old,6,${more}\n`;
  expect((await importText(appliance, "channels", row(""))).kept_out).toBe(1);
  expect((await importText(appliance, "channels", row("false"))).inserted).toBe(1);
  expect((await appliance.get("/v1/msgr/channels/1/")).body).toMatchObject({
    id: 1,
    subscribers: 6,
  });
});

test("a merged channel's posts that have the numbers of other posts of the one that stayed do not replace them", async () => {
  await importText(appliance, "channels", "msgr_id,title,subscribers\n7,Old,5\n8,Stays,1\n");
  const post = (channel: number, text: string, day: string) =>
    `channel_msgr_id,msgr_post_id,text,published_at\n${channel},1,${text},${day}T08:00:00Z\n`;
  await importText(appliance, "posts", post(7, "Gone", "2026-11-18"));
  await importText(appliance, "posts", post(8, "Kept", "2026-11-19"));
  await appliance.app.domains.channels.merge(1, 2, COMMAND_LINE);
  expect((await importText(appliance, "posts", post(7, "Gone", "2026-11-18"))).kept_out).toBe(1);
  const { body } = await appliance.get("/v1/msgr/channels/2/posts/");
  expect(body.results.map(({ text }: { text: string }) => text)).toEqual(["Kept"]);
});
