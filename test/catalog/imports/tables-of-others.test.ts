import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { zipSync } from "fflate";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { importText } from "../../support/import-text.ts";
import { operatorApi } from "../../support/operator-api.ts";
import { workbook } from "../../support/workbook.ts";

/** Tables as people have them: Excel workbooks, headers in words, names in place of codes. */

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await appliance.importRows("territories", [
    { slug: "russia", name: "Россия", kind: "country" },
    { slug: "belarus", name: "Беларусь", kind: "country" },
    { slug: "sfo", name: "Центральный федеральный округ", kind: "district", parent: "russia" },
    { slug: "tatarstan", name: "Республика Татарстан", kind: "region", parent: "sfo" },
    { slug: "moskovskaya", name: "Московская область", kind: "region", parent: "sfo" },
    { slug: "kazan", name: "Казань", kind: "city", parent: "tatarstan" },
  ]);
  await appliance.importRows("categories", [
    { slug: "news", name: "Новости и СМИ" },
    { slug: "tech", name: "Технологии" },
  ]);
});
afterEach(() => appliance.close());

const card = async (handle: string) => (await appliance.get(`/v1/msgr/channels/${handle}/`)).body;

describe("an Excel workbook", () => {
  const ROWS = [
    ["Канал", "Название", "Подписчики", "Последний пост", "Верификация"],
    ["@utro", "Утро, «новости»", 12345, new Date("2026-11-19T10:30:00Z"), true],
    ["https://t.me/vecher", "=Вечер", 1200, new Date("2026-11-18T00:00:00Z"), false],
  ];

  test("is read as CSV is, with its numbers, days and flags", async () => {
    const file = workbook({ Каналы: ROWS });
    const summary = await importText(appliance, "channels", file, { name: "list.xlsx" });
    expect(summary).toMatchObject({ inserted: 2, rejected: 0, warnings: [] });
    expect(summary.recognized).toMatchObject({ format: "csv", compression: "xlsx" });
    expect(await card("utro")).toMatchObject({
      ...{ title: "Утро, «новости»", subscribers: 12345, verified: true },
      last_post_at: "2026-11-19T10:30:00+03:00",
    });
    expect(await card("vecher")).toMatchObject({
      ...{ title: "=Вечер", last_post_at: "2026-11-18T00:00:00+03:00" },
    });
  });

  test("is read from its first sheet, or from the one that is named", async () => {
    const file = workbook({ Прочее: [["Текст"], ["x"]], Каналы: ROWS });
    const named = await importText(appliance, "channels", file, { sheet: "Каналы" });
    expect(named.inserted).toBe(2);
    await expect(importText(appliance, "channels", file, { sheet: "Лист9" })).rejects.toThrow(
      "has no sheet Лист9",
    );
    await expect(importText(appliance, "channels", file)).rejects.toThrow("Текст");
  });

  test("that is damaged, or another archive, is refused with advice", async () => {
    const file = workbook({ Каналы: ROWS });
    const cut = file.slice(0, file.byteLength - 100);
    await expect(importText(appliance, "channels", cut)).rejects.toThrow("no Excel workbook");
    const archive = zipSync({ "list.csv": new TextEncoder().encode("title\nA\n") });
    await expect(importText(appliance, "channels", archive)).rejects.toThrow("unpack an archive");
  });
});

describe("headers", () => {
  test("in Russian and English are recognized, and what Kanalog computes itself is left out", async () => {
    const csv = [
      "№;Название канала;Ссылка;Тематика;Подписчиков;Средний охват;ER %;ИЦ",
      "1;Утро;https://t.me/utro;Новости и СМИ;1 200;300;25,0;4,2",
    ].join("\n");
    const summary = await importText(appliance, "channels", csv);
    expect(summary).toMatchObject({ inserted: 1, warnings: [] });
    expect(summary.recognized.ignored).toEqual(["№", "Средний охват", "ER %"]);
    expect(await card("utro")).toMatchObject({
      ...{ title: "Утро", handle: "utro", category: "news", subscribers: 1200, citation: 4.2 },
    });
  });

  test("of TGStat's API are recognized, and its own numbers are not taken for ours", async () => {
    await importText(appliance, "channels", "handle,title,subscribers\nvecher,Вечер,5\n");
    const got = {
      ...{ id: 1, tg_id: 1234567890, link: "t.me/utro", peer_type: "channel", username: "@utro" },
      ...{
        active_usernames: ["@utro"],
        title: "Утро",
        about: "О городе",
        category: "Новости и СМИ",
      },
      ...{ country: "Россия", language: "russian", image100: "//static.tgstat.ru/100.jpg" },
      ...{ participants_count: 2048184, tgstat_restrictions: [] },
    };
    const fetched = await importText(appliance, "channels", JSON.stringify([got]));
    expect(fetched).toMatchObject({ inserted: 1, warnings: [] });
    expect(fetched.recognized.ignored).toContain("id");
    const stat = {
      ...{
        id: 1,
        title: "Утро",
        username: "@utro",
        participants_count: 2048200,
      },
      ...{ avg_post_reach: 541540, adv_post_reach_12h: 475712, adv_post_reach_24h: 554476 },
      ...{ adv_post_reach_48h: 580952, err_percent: 26.4, err24_percent: 25.2, er_percent: 11.11 },
      ...{
        daily_reach: 35496444,
        ci_index: 8737.68,
        mentions_count: 171477,
        forwards_count: 472536,
      },
      ...{ mentioning_channels_count: 18740, posts_count: 53500 },
    };
    const read = await importText(appliance, "channels", JSON.stringify([stat]));
    expect(read).toMatchObject({ inserted: 0, updated: 1, warnings: [] });
    expect(await card("utro")).toMatchObject({
      ...{ id: 2, description: "О городе", category: "news" },
      ...{ territory: "russia", kind: "channel", subscribers: 2048200, citation: 8737.68 },
    });
    expect(await card("vecher")).toMatchObject({ id: 1, title: "Вечер" });
  });

  const POST = {
    ...{ id: 15761865587, date: 1795080600, views: 4, link: "t.me/utro/274", channel_id: 5969949 },
    ...{ forwarded_from: 2519, is_deleted: 0, deleted_at: null, text: "Пост", snippet: "Пост" },
    media: { media_type: "mediaDocument", mime_type: "video/mp4", size: 3155305 },
  };
  const posts = async () => (await appliance.get("/v1/msgr/channels/utro/posts/")).body.results;

  test("of TGStat's posts give the messenger's numbers by their links, in a whole answer too", async () => {
    await importText(
      appliance,
      "channels",
      "id,msgr_id,handle,title,subscribers\n7,5969949,other,Чужой,5\n8,1234567890,utro,Утро,5\n",
    );
    const items = [POST, { ...POST, link: "https://t.me/c/1234567890/275", text: "Второй" }];
    const response = { count: 2, total_count: 2, channel: { id: 5969949, tg_id: 1 }, items };
    const answer = JSON.stringify({ status: "ok", response }, null, 2);
    const summary = await importText(appliance, "posts", answer);
    expect(summary).toMatchObject({ inserted: 2, rejected: 0, warnings: [] });
    expect(summary.recognized.renamed).toEqual({ published_at: "date", deleted: "is_deleted" });
    expect(summary.recognized.ignored).toEqual([
      ...["id", "channel_id", "forwarded_from", "deleted_at", "snippet", "media"],
    ]);
    expect((await posts()).map((post: { msgr_post_id: string }) => post.msgr_post_id)).toEqual([
      ...["275", "274"],
    ]);
    expect((await posts())[1]).toMatchObject({
      ...{ text: "Пост", views: 4, link: "https://t.me/utro/274", forwarded_from: null },
      published_at: "2026-11-19T12:30:00+03:00",
    });
    expect((await posts())[0].id).toBeLessThan(100);
    const same = await importText(appliance, "posts", JSON.stringify(items));
    expect(same).toMatchObject({ unchanged: 2 });
  });

  test("of TGStat's posts take down what is deleted, restore nothing, and need a link to a post", async () => {
    await importText(appliance, "channels", "id,handle,title,subscribers\n8,utro,Утро,5\n");
    const csv = (rows: readonly (readonly [link: string, isDeleted: number])[]): string =>
      [
        "id;date;views;link;channel_id;is_deleted;text",
        ...rows.map(([link, isDeleted]) => `15;1795080600;4;${link};8;${isDeleted};Пост`),
      ].join("\n");
    const live = csv([
      ["t.me/utro/1", 0],
      ["t.me/utro/2", 0],
    ]);
    expect(await importText(appliance, "posts", live)).toMatchObject({ inserted: 2 });
    expect(await importText(appliance, "posts", csv([["t.me/utro/1", 1]]))).toMatchObject({
      updated: 1,
    });
    expect(await importText(appliance, "posts", live)).toMatchObject({ unchanged: 2 });
    const operator = await operatorApi(appliance, ["data"]);
    const spelled = [0, false, "", " ", "no", "No", "нет", "0.0", " 0 ", "FALSE ", null, "null"];
    for (const isDeleted of spelled) {
      const rows = [{ ...POST, link: "t.me/utro/1", is_deleted: isDeleted }];
      const { body } = await operator.post("posts/", { rows });
      expect([isDeleted, body]).toMatchObject([isDeleted, { unchanged: 1, rejected: 0 }]);
    }
    expect(await posts()).toHaveLength(1);
    const map = { is_deleted: "deleted" };
    const first = csv([["t.me/utro/1", 0]]);
    expect(await importText(appliance, "posts", first, { map })).toMatchObject({ inserted: 1 });
    const without = csv([
      ["t.me/utro", 0],
      ["t.me/c/123", 0],
      ["https://example.com/utro/5", 0],
      ["https://t.me/utro?x=/a/5", 0],
      ["", 0],
    ]);
    const { rejected, rejects } = await importText(appliance, "posts", without);
    expect(rejected).toBe(5);
    const reasons = new Set(rejects.map(({ reason }) => reason));
    expect([...reasons]).toEqual(["Give id, or channel and msgr_post_id, or a link to the post."]);
  });

  test("of posts may link to a post of the channel that they name, and of no other", async () => {
    await importText(
      appliance,
      "channels",
      "id,msgr_id,handle,title,subscribers\n1,111,utro,Утро,5\n2,222,vecher,Вечер,5\n",
    );
    const row = (channel: string, link: string): string =>
      `${channel},${link},2026-11-19T10:00:00Z,Пост`;
    const csv = (...rows: string[]): string =>
      ["channel,link,published_at,text", ...rows].join("\n");
    const own = csv(row("@utro", "https://t.me/utro/5"), row("1", "https://t.me/c/111/6"));
    expect(await importText(appliance, "posts", own)).toMatchObject({ inserted: 2 });
    const others = csv(
      ...["vecher/5", "nobody/5", "c/222/5"].map((to) => row("@utro", `https://t.me/${to}`)),
    );
    const { rejected, rejects } = await importText(appliance, "posts", others);
    expect(rejected).toBe(3);
    expect(new Set(rejects.map(({ reason }) => reason))).toEqual(
      new Set(["Give id, or channel and msgr_post_id, or a link to the post."]),
    );
    expect(await posts()).toHaveLength(2);
  });

  test("that may mean two things mean what the others leave", async () => {
    await importText(appliance, "channels", "Канал;Ссылка;Участники\nУтро;t.me/utro;5\n");
    expect(await card("utro")).toMatchObject({ title: "Утро" });
    await importText(appliance, "channels", "Канал;Name;Members\n@vecher;Вечер;7\n");
    expect(await card("vecher")).toMatchObject({ title: "Вечер", subscribers: 7 });
  });

  test("of posts and days are recognized too, in JSON as well", async () => {
    await importText(appliance, "channels", "handle,title,subscribers\nutro,Утро,5\n");
    const posts = JSON.stringify([
      { Канал: "@utro", "ID поста": 7, Текст: "Пост", Дата: "19.11.2026 10:00", Репосты: 3 },
    ]);
    expect(await importText(appliance, "posts", posts)).toMatchObject({ inserted: 1 });
    const days = "Канал;Дата;Подписчики;Просмотры;Публикации\n@utro;18.11.2026;5;40;2\n";
    expect(await importText(appliance, "stats", days)).toMatchObject({ inserted: 1 });
    const { body } = await appliance.get("/v1/msgr/channels/utro/posts/");
    expect(body.results).toMatchObject([{ msgr_post_id: "7", text: "Пост", forwards: 3 }]);
  });

  test("that are unknown are refused by name", async () => {
    const csv = "Название;Подписчики;Цвет\nУтро;5;red\n";
    await expect(importText(appliance, "channels", csv)).rejects.toThrow("Цвет");
  });

  test("lacking a column get it by --set", async () => {
    const csv = "Название;Ссылка;Подписчики\nУтро;t.me/utro;5\n";
    const set = { category: "tech", subscribers: "0" };
    expect(await importText(appliance, "channels", csv, { set })).toMatchObject({ inserted: 1 });
    expect(await card("utro")).toMatchObject({ category: "tech", subscribers: 5 });
    await expect(
      importText(appliance, "channels", csv, { set: { colour: "red" } }),
    ).rejects.toThrow("colour");
  });
});

test.each([
  ["territory", "Татарстан", "tatarstan"],
  ["territory", "республика татарстан", "tatarstan"],
  ["territory", "Респ. Татарстан", "tatarstan"],
  ["territory", "Московская обл.", "moskovskaya"],
  ["territory", "г. Казань", "kazan"],
  ["territory", "Belarus", "belarus"],
  ["territory", "RUSSIA", "russia"],
  ["category", "СМИ", "news"],
  ["category", "новости", "news"],
  ["category", "Tech", "tech"],
])("a %s may be written %s", async (column, name, code) => {
  const csv = `handle,title,subscribers,${column}\nutro,Утро,5,${name}\n`;
  expect(await importText(appliance, "channels", csv)).toMatchObject({ inserted: 1, warnings: [] });
  expect((await card("utro"))[column]).toBe(code);
});

test("a name that no entry has is a bad cell, whose reason names the nearest", async () => {
  const csv = "handle,title,subscribers,territory\nutro,Утро,5,Козань\n";
  const { warnings } = await importText(appliance, "channels", csv);
  expect(warnings).toMatchObject([{ column: "territory", fault: { values: { near: ["kazan"] } } }]);
});
