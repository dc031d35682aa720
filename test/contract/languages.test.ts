import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { LANGUAGES } from "../../src/values/messages/messages.ts";

/** Texts as written, by path such as `explorerPages.found(count)`. */
type Written = Map<string, string>;

function textsIn(value: unknown, path: string, texts: Written): Written {
  if (typeof value === "string") texts.set(path, value);
  else {
    for (const [key, inner] of Object.entries(value as object)) {
      textsIn(inner, path === "" ? key : `${path}.${key}`, texts);
    }
  }
  return texts;
}

async function written(language: string): Promise<Written> {
  const folder = join(import.meta.dir, `../../src/words/${language}`);
  const { audit, texts } = await Bun.file(join(folder, "messages.json")).json();
  return textsIn(
    { messages: { ...texts, audit }, pages: await Bun.file(join(folder, "pages.json")).json() },
    "",
    new Map(),
  );
}

const english = await written("en");
const all = await Promise.all(LANGUAGES.map(async (one) => [one, await written(one)] as const));
/** A channel's fields have their English labels beside their declaration. */
const keysOf = (texts: Written) =>
  [...texts.keys()].filter((key) => !/^pages\.channelFields/.test(key));

/** The names in a text's placeholders: a brace at an even depth opens one, at an odd depth an option. */
function namesIn(text: string): string[] {
  let depth = 0;
  const names = [...text.replace(/'[{}]/g, "").matchAll(/[{}](\w*)/g)].map(([brace, name = ""]) => {
    const isOpened = brace.startsWith("{");
    depth += isOpened ? 1 : -1;
    return isOpened && depth % 2 === 1 ? [name] : [];
  });
  return names.flat();
}

describe("the texts of every language", () => {
  test("have the same keys as the English ones: none is missing, none is left over", () => {
    expect(english.size).toBeGreaterThan(1_400);
    for (const [language, texts] of all) {
      expect(keysOf(texts).toSorted(), language).toEqual(keysOf(english).toSorted());
    }
  });

  test("use only the values that their keys name", () => {
    for (const [language, texts] of all) {
      for (const [path, text] of texts) {
        const marks = /\(([^)]*)\)/.exec(path)?.[1]?.split(", ") ?? null;
        if (marks === null) continue;
        const takes = marks.map((mark) => mark.replace(/\W+$/, ""));
        const used = namesIn(text);
        expect(takes, `${language} ${path}`).toEqual(expect.arrayContaining(used));
      }
    }
  });

  test("contain no markup, which a value could break", () => {
    for (const [language, texts] of all) {
      const marked = [...texts].filter(([path, text]) => /^pages/.test(path) && /[<&]/.test(text));
      expect(marked, language).toEqual([]);
    }
  });

  test("end each placeholder, and have every plural form of their language", () => {
    for (const [language, texts] of all) {
      const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      for (const [path, text] of texts) {
        const bare = text.replace(/'[{}]/g, "");
        expect(bare.split("{").length, `${language} ${path}`).toBe(bare.split("}").length);
        for (const [, options = ""] of text.matchAll(/, plural, (.*)/g)) {
          const used = [...options.matchAll(/(?:^|\} )([a-z]+) \{/g)].map(([, form]) => form);
          const needed = used.every((form) => form === "other") ? ["other"] : forms;
          expect(used, `${language} ${path}`).toEqual(expect.arrayContaining(needed));
        }
      }
    }
  });
});
