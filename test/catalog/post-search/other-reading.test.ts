import { expect, test } from "bun:test";
import { otherReading } from "../../../src/catalog/post-search/finding/match-tokens.ts";

test("a query whose signs were ignored or searched as words is shown as it was understood", () => {
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

test("nothing is shown for a query understood as typed, in any letter case and with usual punctuation", () => {
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
