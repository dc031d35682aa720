/** @jsxImportSource hono/jsx */
import MarkdownIt, { type RendererRule, type StateInline, type Token } from "markdown-it";

/**
 * The messengers' marks, and link targets: a snippet may begin or end between a pair of marks, so they are
 * removed instead of rendered. The bracket of a link whose text the snippet's end cuts off is removed too.
 */
const MARKUP =
  /\*\*|~~|```|(?<!\w)__|__(?!\w)|\[(?=[^\][\n]+\]\(|[^\][\n]*…$)|\]\([^)\s]*(?:\)|$)/g;

type Place = readonly number[];

/** A post's text without its markup, for tables. @param text may be cut, with an ellipsis at its end */
export const withoutMarks = (text: string): string => text.replace(MARKUP, "");

/** Excerpt of a post with its matches marked; positions are in code points. */
export function PostExcerpt({
  snippet,
  highlights,
}: {
  snippet: string;
  highlights: readonly Place[];
}) {
  const shown = withoutMarkup(snippet, highlights);
  const ends = [0, ...highlights.map(([, end = 0]) => end)];
  return (
    <p class="text">
      <bdi>
        {highlights.map(([start = 0, end = 0], at) => (
          <>
            {shown(ends[at] ?? 0, start)}
            <mark>{shown(start, end)}</mark>
          </>
        ))}
        {shown(ends.at(-1) ?? 0)}
      </bdi>
    </p>
  );
}

/** Yields parts of the snippet; markup that contains a match is kept, so that the match is visible. */
function withoutMarkup(snippet: string, highlights: readonly Place[]) {
  const hidden = new Set<number>();
  for (const { index, 0: markup } of snippet.matchAll(MARKUP)) {
    const start = [...snippet.slice(0, index)].length;
    const end = start + [...markup].length;
    const isMatched = highlights.some(([from = 0, until = 0]) => from < end && until > start);
    for (let at = start; at < end && !isMatched; at++) hidden.add(at);
  }
  const points = [...snippet].map((point, at) => (hidden.has(at) ? "" : point));
  return (from: number, until?: number): string => points.slice(from, until).join("");
}

/** Schemes permitted for a post's links; other links are shown as text. */
const SCHEMES = /^(?:https?|tg|mailto):/i;

/** The messengers' marks, which toggle: unlike in CommonMark, a space may be next to them. */
const MARKS: Readonly<Record<string, string>> = { "**": "strong", __: "em", "~~": "s" };
const MARK_LENGTH = 2;
const CODE_MARK = "```";

/** Names of people and channels, but not after a letter, as in a mail address. */
const MENTION = /^[a-z]\w{3,31}(?!\w|@|\.\w)/i;

/** Blanks and invisible characters. */
const UNSEEN = /^[\s\p{Default_Ignorable_Code_Point}]*$/u;

/** Converts a post's text to HTML: the marks, code and links of messengers, and nothing else. */
export type PostMarkdown = (text: string) => string;

/**
 * The HTML contains no tags other than `strong`, `em`, `s`, `code` and `a`, and no attributes other than a
 * link's `href` and `rel` and the class of a code block: everything else is escaped.
 * @param messengerHost host that `@names` link to
 */
export function createPostMarkdown(messengerHost: string): PostMarkdown {
  const markdown = new MarkdownIt("zero", { html: false, linkify: true });
  markdown.enable(["link", "backticks", "linkify"]);
  markdown.inline.ruler.before("backticks", "code_block", readCodeBlock);
  markdown.inline.ruler.after("link", "marks", readMarks);
  markdown.validateLink = (address) => SCHEMES.test(address) && URL.canParse(address);
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  markdown.linkify.add("@", {
    validate: (text, at) => MENTION.exec(text.slice(at, at + 40))?.[0].length ?? 0,
    normalize: (match) => {
      match.url = `https://${messengerHost}/${match.url.slice(1)}`;
    },
  });
  Object.assign(markdown.renderer.rules, { link_open: openLink, code_block: codeBlock });
  return (text) => markdown.renderInline(text);
}

/** Text between two equal marks; without the second one, the first is plain text. */
function readMarks(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  const mark = src.slice(pos, pos + MARK_LENGTH);
  const tag = MARKS[mark];
  if (tag === undefined) return false;
  const start = pos + MARK_LENGTH;
  const end = src.indexOf(mark, start);
  const isClosed = end !== -1 && end + MARK_LENGTH <= posMax;
  if (!isClosed || src.slice(start, end).trim() === "") return false;
  if (!silent) {
    state.push("mark_open", tag, 1).markup = mark;
    state.pos = start;
    state.posMax = end;
    state.md.inline.tokenize(state);
    state.posMax = posMax;
    state.push("mark_close", tag, -1).markup = mark;
  }
  state.pos = end + MARK_LENGTH;
  return true;
}

/** Code with several lines, which are preserved. */
function readCodeBlock(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (!src.startsWith(CODE_MARK, pos)) return false;
  const start = pos + CODE_MARK.length;
  const end = src.indexOf(CODE_MARK, start);
  if (end <= start || end + CODE_MARK.length > posMax) return false;
  if (!silent) state.push("code_block", "code", 0).content = src.slice(start, end);
  state.pos = end + CODE_MARK.length;
  return true;
}

const codeBlock: RendererRule = (tokens, at) =>
  `<code class="lines">${Bun.escapeHTML(tokens[at]?.content.trim() ?? "")}</code>`;

/**
 * Whether a link has no text to click: authors write such links for the preview that messengers make of
 * them.
 */
function showsNothing(tokens: readonly Token[], at: number): boolean {
  for (let place = at + 1; place < tokens.length; place++) {
    const { type = "", content = "" } = tokens[place] ?? {};
    if (type === "link_close") return true;
    if (!UNSEEN.test(content)) return false;
  }
  return true;
}

const openLink: RendererRule = (tokens, at, _options, _env, renderer) => {
  const token = tokens[at];
  const href = String(token?.attrGet("href") ?? "");
  // validateLink is not called for an empty address.
  if (token === undefined || !SCHEMES.test(href) || showsNothing(tokens, at)) return "<a>";
  token.attrs = [
    ["href", href],
    ["rel", "noopener noreferrer nofollow"],
  ];
  return `<a${renderer.renderAttrs(token)}>`;
};
