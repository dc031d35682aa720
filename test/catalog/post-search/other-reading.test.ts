import { expect, test } from "bun:test";
import { otherReading } from "../../../src/catalog/post-search/other-reading.ts";

test("a query is told as it was read where its signs were read as words or left out", () => {
  for (const [q, reading] of [
    ["(дом)", "дом"],
    ["но* дача", "но дача"],
    ["=#дом", "дом"],
    ["#нов*", "#нов"],
    ["кто-то", '"кто то"'],
    ["c++", "c"],
    ["дом & -(сад)", "дом -сад"],
    ["| дом", "дом"],
  ] as const) {
    expect([q, otherReading(q)]).toEqual([q, reading]);
  }
});

test("nothing is told of a query that was read as it was typed, in any case and with usual punctuation", () => {
  for (const q of [
    "дом",
    "Дом, сад.",
    'Ёлка "Новый год" -дача',
    'дом|сад "дача"',
    "нов* =Дома #Тег @handle_1 -#тег",
    "--",
  ]) {
    expect([q, otherReading(q)]).toEqual([q, null]);
  }
});
