/** @jsxImportSource hono/jsx */
import { expect, test } from "bun:test";
import { PostExcerpt, withoutMarks } from "../../../../src/doors/site/look/post-excerpt.tsx";

const shown = (snippet: string, ...highlights: [number, number][]): string =>
  String(PostExcerpt({ snippet, highlights }))
    .replace(/^<p class="text"><bdi>/, "")
    .replace(/<\/bdi><\/p>$/, "");

test("a snippet is shown without Markdown marks and addresses, with its matches marked", () => {
  for (const [snippet, html] of [
    ["**Главные** новости", "Главные новости"],
    ["…iPhone.** Самые __странные__ ~~слова~~", "…iPhone. Самые странные слова"],
    ["читать [здесь](https://example.com/a_b?c=d), дальше", "читать здесь, дальше"],
    ["читать [здесь](https://example.com/cut…", "читать здесь"],
    ["вышел [первый ролик новой…", "вышел первый ролик новой…"],
    // No markup: nothing is removed.
    ["[1] и (2), snake__case, 2 * 2", "[1] и (2), snake__case, 2 * 2"],
    ["a < b & <script>", "a &lt; b &amp; &lt;script&gt;"],
  ] as const) {
    expect(shown(snippet), snippet).toBe(html);
  }
});

test("positions count code points, whatever is removed before them", () => {
  expect(shown("😀 **новости** дня", [4, 11])).toBe("😀 <mark>новости</mark> дня");
  expect(shown("**a** b **c**", [6, 7], [10, 11])).toBe("a <mark>b</mark> <mark>c</mark>");
});

test("an address that contains a match is shown completely", () => {
  expect(shown("[Boeing](https://example.com/titan/) строит", [29, 34])).toBe(
    "Boeing](https://example.com/<mark>titan</mark>/) строит",
  );
});

test("a text in a table loses its marks and addresses, and is cut inside none of them", () => {
  expect(withoutMarks("**Итоги** [здесь](https://example.com/a) и [дальше…")).toBe(
    "Итоги здесь и дальше…",
  );
  expect(withoutMarks("<b>2 * 2</b> snake__case")).toBe("<b>2 * 2</b> snake__case");
});
