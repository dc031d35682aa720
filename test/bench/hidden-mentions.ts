/**
 * Mentions that are seen in posts without and with the links under their words:
 * `bun test/bench/hidden-mentions.ts posts.ndjson`. The posts have such links as `[words](address)`; a messenger
 * gives the words as text, and the addresses beside it.
 */

import { extractMentions } from "../../src/catalog/mentions/write-mentions.ts";
import type { HiddenLink } from "../../src/catalog/posts/hidden-links.ts";

const HOSTS = ["t.me"];
const LINK = /\[([^\]]*)\]\((https?:\/\/[^\s)]+|t\.me\/[^\s)]+)\)/g;

/** A post as a messenger gives it. */
function asGiven(written: string): { text: string; links: HiddenLink[] } {
  const links: HiddenLink[] = [];
  let text = "";
  let from = 0;
  for (const { 0: whole, 1: words = "", 2: target = "", index } of written.matchAll(LINK)) {
    text += written.slice(from, index);
    links.push({ offset: text.length, length: words.length, target });
    text += words;
    from = index + whole.length;
  }
  return { text: text + written.slice(from), links };
}

const [path = ""] = process.argv.slice(2);
const lines = (await Bun.file(path).text()).trimEnd().split("\n");
const posts = lines.map((line) => asGiven(JSON.parse(line).text ?? ""));
const withLinks = posts.map(({ text, links }) =>
  extractMentions(text, HOSTS, JSON.stringify(links)),
);
const without = posts.map(({ text }) => extractMentions(text, HOSTS));
const mentions = (found: readonly string[][]) => found.reduce((sum, { length }) => sum + length, 0);
const mentioning = (found: readonly string[][]) => found.filter(({ length }) => length > 0).length;
const hidden = posts.reduce((sum, { links }) => sum + links.length, 0);
console.log(`${posts.length} posts, ${hidden} links under words`);
console.log(`without them: ${mentions(without)} mentions in ${mentioning(without)} posts`);
console.log(`with them: ${mentions(withLinks)} mentions in ${mentioning(withLinks)} posts`);
