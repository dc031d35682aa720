import { expect, test } from "bun:test";
import fc from "fast-check";
import { createPostMarkdown } from "../../../../src/doors/site/look/post-excerpt.tsx";

const html = createPostMarkdown("t.me");
const REL = 'rel="noopener noreferrer nofollow"';

test("messengers' marks are rendered as intended, also next to a space", () => {
  for (const [text, shown] of [
    ["**bold**", "<strong>bold</strong>"],
    [
      "[**планирует**](https://x.example/)** титановый дирижабль** (ага)",
      `<a href="https://x.example/" ${REL}><strong>планирует</strong></a><strong> титановый дирижабль</strong> (ага)`,
    ],
    ["**«Слово»**дальше", "<strong>«Слово»</strong>дальше"],
    ["**a __b__ c**", "<strong>a <em>b</em> c</strong>"],
    ["~~нет~~ __да__", "<s>нет</s> <em>да</em>"],
    ["**two\nlines**", "<strong>two\nlines</strong>"],
    ["`a **b** <i>`", "<code>a **b** &lt;i&gt;</code>"],
    ["```js\nif (a < b) {\n}\n```", '<code class="lines">js\nif (a &lt; b) {\n}</code>'],
    ["5 ** 2, snake_case, 2 * 3 * 4", "5 ** 2, snake_case, 2 * 3 * 4"],
    [
      "# not a heading\n1. nor a list\n> nor a quote",
      "# not a heading\n1. nor a list\n&gt; nor a quote",
    ],
    ["****", "****"],
  ] as const) {
    expect(html(text), text).toBe(shown);
  }
});

test("written, bare and mention links work, and none sends a referrer", () => {
  for (const [text, href] of [
    ["[text](https://x.example/a_b?c=1&d)", "https://x.example/a_b?c=1&amp;d"],
    ["see https://x.example/__a__/b.", "https://x.example/__a__/b"],
    ["http://пример.рф/путь", "http://xn--e1afmkfd.xn--p1ai/%D0%BF%D1%83%D1%82%D1%8C"],
    ["[bot](tg://resolve?domain=bot)", "tg://resolve?domain=bot"],
    ["mailto:a@x.example", "mailto:a@x.example"],
    ["by @some_channel, today", "https://t.me/some_channel"],
    ["**@bold_channel**", "https://t.me/bold_channel"],
  ] as const) {
    expect(html(text), text).toContain(`<a href="${href}" ${REL}>`);
  }
  for (const text of ["mail a@example.com", "@ab", "@name.surname"]) {
    expect(html(text), text).not.toContain("<a");
  }
});

test("a link without text is no link, so the keyboard does not stop at something invisible", () => {
  for (const text of ["\n\n", " ", "\u200b"].map((shown) => `[${shown}](https://x.example/)`)) {
    expect(html(text), text).not.toContain("href");
  }
  expect(html("[**a**](https://x.example/)")).toContain("href");
});

test("no other scheme becomes a link, and no picture is loaded", () => {
  for (const address of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "&#106;avascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "//x.example/",
    "/account/sign-in/",
    "https://[",
  ]) {
    for (const text of [`[x](${address})`, `[x](<${address}>)`, `<${address}>`]) {
      expect(html(text), text).not.toContain("<a");
    }
  }
  expect(html("![x](https://x.example/y.png)")).not.toContain("<img");
  expect(html('[x][y]\n\n[y]: https://x.example/ "t"')).not.toContain("title=");
});

/** Everything allowed between `<` and `>`. */
const ALLOWED =
  /^(?:\/?(?:strong|em|s|code|a)|code class="lines"|a href="(?:https?|tg|mailto):[^"<>]*" rel="noopener noreferrer nofollow")$/i;

test("whatever the text, its HTML contains only the allowed tags and attributes, all closed", () => {
  const part = fc.oneof(
    fc.constantFrom(
      ...["**", "__", "~~", "`", "```", "[", "](", ")", "<", ">", '"', "'", "&", "&lt;", "@", "!["],
      ...[
        "javascript:",
        "https://a.b/",
        "tg://",
        "mailto:",
        "data:",
        "<script>",
        "<img src=x onerror=a>",
      ],
      ...["\\", "\n", " ", "name", "\u202e", "\u0000", "<!--", "]]>", "onload=x", ' "t"'],
    ),
    fc.string({ unit: "binary", maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const shown = html(parts.join(""));
      const open: string[] = [];
      for (const [, tag = ""] of shown.matchAll(/<([^>]*)>?/g)) {
        expect(tag).toMatch(ALLOWED);
        const [name = ""] = tag.split(" ");
        if (!name.startsWith("/")) open.push(name);
        else expect(open.pop()).toBe(name.slice(1));
      }
      expect(open).toEqual([]);
    }),
    { numRuns: 3_000 },
  );
});

test("texts of the maximum length are fast", () => {
  const length = 100_000;
  for (const piece of [
    "**",
    "**a__",
    "[",
    "](",
    "`",
    "`a``b",
    "@name_a ",
    "https://",
    "<",
    "a@b.c ",
    "~~ **",
    "![a](",
    "\\",
    "&",
    "[[](",
  ]) {
    const text = piece.repeat(length / piece.length);
    const start = performance.now();
    html(text);
    expect(performance.now() - start, piece).toBeLessThan(2_000);
  }
});
