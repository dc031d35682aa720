import { expect, test } from "bun:test";
import { languageOf } from "../../src/values/messages/messages.ts";

test("the visitor's choice comes before what the browser accepts", () => {
  expect(languageOf("ru", "en")).toBe("ru");
  expect(languageOf("de", "ru")).toBe("ru");
});

test("of the accepted languages, the supported one with the highest quality is taken", () => {
  expect(languageOf(undefined, "de, ru-RU;q=0.8, en;q=0.5")).toBe("ru");
  expect(languageOf(undefined, "de, en;q=0.5, ru;q=0.8")).toBe("ru");
  expect(languageOf(undefined, "ru;q=0, *")).toBe("en");
  expect(languageOf(undefined, null)).toBe("en");
});

test("white space around a quality does not matter (RFC 9110, section 12.4.2)", () => {
  expect(languageOf(undefined, "de, ru ; q=0.8, en;\tQ=0.5")).toBe("ru");
  expect(languageOf(undefined, "ru; q=0, en; q=0.1")).toBe("en");
});
