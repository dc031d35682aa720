import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { zipSync } from "fflate";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { importText } from "../../support/import-text.ts";
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
        peer_type: "channel",
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
