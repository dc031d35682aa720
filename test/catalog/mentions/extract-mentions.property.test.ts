import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { extractMentions, TARGETS_MAX } from "../../../src/catalog/mentions/write-mentions.ts";

/** Checks mentions against an independent extraction, a scanner that goes character by character. */

const HOSTS = ["t.me", "telegram.me", "max.ru"];

const isAscii = (char: string, more: string): boolean =>
  /[a-z\d_]/i.test(char) || more.includes(char);
const isLetter = (char: string | undefined): boolean =>
  char !== undefined && (/[\p{L}\p{N}]/u.test(char) || char === "_");

function scan(text: string): string[] {
  const chars = [...text];
  const found = new Set<string>();
  let at = 0;
  const rest = (): string =>
    chars
      .slice(at, at + 12)
      .join("")
      .toLowerCase();
  const take = (allowed: string): string => {
    let taken = "";
    while (at < chars.length && isAscii(chars[at] as string, allowed)) taken += chars[at++];
    return taken;
  };
  while (at < chars.length && found.size < TARGETS_MAX) {
    const before = chars[at - 1];
    const begins = !isLetter(before) && !["@", "/", ".", "-"].includes(before ?? " ");
    const scheme = ["https://", "http://"].find((one) => rest().startsWith(one));
    const begun = at;
    if (scheme !== undefined) {
      at += scheme.length;
      const word = take(".-~%/?#@:=&+");
      if (word === "") at = begun + 1;
      else read(word, found);
    } else if (begins && chars[at] === "@" && isAscii(chars[at + 1] ?? " ", "")) {
      at += 1;
      keep(take(".-"), found);
    } else if (begins && isAscii(chars[at] as string, "") && chars[at] !== "_") {
      const [host] = /^[a-z\d-]+(?:\.[a-z\d-]+)+/i.exec(take(".-")) ?? [];
      at = begun + (host?.length ?? 1);
      if (host === undefined) continue;
      read(chars[at] === "/" ? host + take(".-~%/?#@:=&+") : host, found);
    } else {
      at += 1;
    }
  }
  return [...found];
}

function read(word: string, found: Set<string>): void {
  const trimmed = word.replace(/[.:?&=+~%#@-]+$/, "");
  const [host = "", ...path] = (trimmed.split(/[?#]/)[0] ?? "").replace(/^www\./i, "").split("/");
  const name = host.toLowerCase().replace(/:(80|443)$/, "");
  const [, under] = /^(\w+)\.t\.me$/.exec(name) ?? [];
  if (under !== undefined) keep(under, found);
  if (under !== undefined || !HOSTS.includes(name)) return;
  const [first = "", second] = path.filter((part) => part !== "");
  const before = second === undefined ? "" : first.toLowerCase();
  if (before === "c") {
    const id = second ?? "";
    if (/^[+-]?\d{1,15}$/.test(id)) found.add(`c/${BigInt(id.replace("+", ""))}`);
  } else if (["s", "boost"].includes(before)) {
    keep(second ?? "", found);
  } else if (!["joinchat", "join", "addlist"].includes(before)) {
    keep(first.replace(/^@/, ""), found);
  }
}

function keep(name: string, found: Set<string>): void {
  const handle = name.replace(/[.-]+$/, "");
  if (/^\d*$/.test(handle) || handle.length > 64) return;
  if (/^[a-z\d_][a-z\d_.-]*$/i.test(handle)) found.add(handle.toLowerCase());
}

const handle = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/);
const piece = fc.oneof(
  handle.map((name) => `@${name}`),
  handle.map((name) => `https://t.me/${name}`),
  handle.map((name) => `t.me/s/${name}/12`),
  handle.map((name) => `http://max.ru:443/${name}?x=1`),
  handle.map((name) => `www.telegram.me/${name}/`),
  handle.map((name) => `${name}@mail.ru`),
  handle.map((name) => `https://example.com/@${name}`),
  fc.nat().map((id) => `https://t.me/c/${id}/4`),
  fc.constantFrom("t.me/+AbCd", "t.me/joinchat/AbCd", "t.me/1234", "durov.t.me", "t.me", "@", "@1"),
  fc.constantFrom("Привет", "канал", "1.5", "и т. д.", "a.b", "naïve", "😀", "ссылка:"),
);
const separator = fc.constantFrom(
  " ",
  "\n",
  ", ",
  ". ",
  "(",
  ")",
  "«",
  "»",
  "**",
  "—",
  "[x](",
  "…",
  "!",
);
const texts = fc
  .array(fc.tuple(piece, separator), { maxLength: 30 })
  .map((parts) => parts.flat().join(""));

test("random texts of links, handles and words give the mentions that an independent scanner finds", () => {
  let found = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const expected = scan(text);
      found += expected.length;
      expect(extractMentions(text, HOSTS), text).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
  expect(found).toBeGreaterThan(5_000);
});

test("the sample's posts give the mentions that the scanner finds", () => {
  const lines = readFileSync(join(import.meta.dir, "../../../data/sample/posts.ndjson"), "utf8");
  let found = 0;
  for (const line of lines.trim().split("\n")) {
    const { text } = JSON.parse(line) as { text: string };
    const expected = scan(text);
    found += expected.length;
    expect(extractMentions(text, HOSTS), text).toEqual(expected);
  }
  expect(found).toBeGreaterThan(50);
});

test("any text gives well-formed names only, at most as many as a post may have", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      for (const target of extractMentions(`${text} @known ${text}`, HOSTS)) {
        expect(target).toMatch(/^(?:[a-z\d_][a-z\d_.-]{0,63}|c\/-?\d{1,19})$/);
      }
    }),
    { numRuns: 500 },
  );
  const many = Array.from({ length: 5_000 }, (_, at) => `@handle_${at}`).join(" ");
  const targets = extractMentions(many, HOSTS);
  expect([targets.length, targets[0]]).toEqual([TARGETS_MAX, "handle_0"]);
});

test("no text of the greatest length takes more than half a second", () => {
  const units = [
    "a",
    "a.",
    "@",
    "@a",
    "a-",
    "https://",
    "@a.-",
    "t.me/",
    "tg:",
    "@a....",
    "a.b/c?@",
  ];
  for (const unit of units) {
    const text = unit.repeat(100_000 / unit.length);
    const begunMs = performance.now();
    extractMentions(text, HOSTS);
    expect(performance.now() - begunMs, unit).toBeLessThan(500);
  }
});
