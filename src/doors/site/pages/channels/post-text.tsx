/** @jsxImportSource hono/jsx */
import { raw } from "hono/html";
import type { HiddenLink } from "../../../../catalog/posts/hidden-links.ts";
import type { PostView } from "../../../../catalog/posts/post.ts";
import { UserLink, webAddress } from "../../look/user-text.tsx";
import { useSite, useVisit } from "../../visit/visit.ts";

/** Paired marks: a text is not cut between the two. */
const PAIRS = ["```", "**", "__", "~~", "`"];

/**
 * A post's text as its author meant it: marks, code and links are rendered; everything else is shown as
 * written.
 */
export function PostText({
  text: plain,
  links = null,
  shown,
  rest,
  restMax = Number.POSITIVE_INFINITY,
}: {
  text: string;
  links?: PostView["links"];
  /** Characters of a long text to show at once. */
  shown: number;
  /** Label of the fold that contains the rest; without it, the rest is omitted. */
  rest?: string;
  /** Approximate limit for the rest in characters; anything beyond is omitted. */
  restMax?: number;
}) {
  const text = withLinks(plain, links ?? []);
  const [start, more] = foldLong(text, shown);
  const [folded, over] = restMax < shown ? ["", more] : foldLong(more, restMax);
  return (
    <>
      <Html text={more === "" ? start : `${start} …`} />
      {folded !== "" && rest !== undefined && (
        <details>
          <summary>{rest}</summary>
          <Html text={`… ${folded}${over === "" ? "" : " …"}`} />
        </details>
      )}
    </>
  );
}

/** The text with its hidden links as marks; words with brackets of their own stay words. */
export function withLinks(text: string, links: readonly HiddenLink[]): string {
  let marked = text;
  let end = text.length;
  for (const { offset, length, target } of links.toSorted((a, b) => b.offset - a.offset)) {
    const words = text.slice(offset, offset + length);
    if (offset + length > end || words === "" || /[[\]]/.test(words)) continue;
    const address = target.replaceAll("(", "%28").replaceAll(")", "%29");
    marked = `${marked.slice(0, offset)}[${words}](${address})${marked.slice(offset + length)}`;
    end = offset;
  }
  return marked;
}

function Html({ text }: { text: string }) {
  const context = useSite();
  return (
    <div class="text" dir="auto">
      {raw(context.postHtml(text))}
    </div>
  );
}

/** A post's media, its mark of advertising, and the link to it in the messenger. */
export function PostMarks({
  post: { media, is_ad, link },
}: {
  post: Pick<PostView, "media" | "is_ad" | "link">;
}) {
  const words = useVisit().words.explorerPages;
  return (
    <>
      {media?.map((kind) => (
        <span>{words.media[kind]}</span>
      ))}
      {is_ad && <span class="badge warn">{words.advertising}</span>}
      <PostLink link={link} />
    </>
  );
}

/** Link to a post in its messenger; null if it does not lead to the web. */
export function PostLink({ link }: { link: string | null }) {
  if (link === null || webAddress(link) === null) return null;
  return <UserLink address={link}>{useVisit().words.openPost}</UserLink>;
}

/** Splits a long text between lines, or else between words, and before anything that must not be cut. */
export function foldLong(text: string, shown: number): [start: string, rest: string] {
  if (text.length <= shown * 1.5) return [text, ""];
  const head = text.slice(0, shown);
  const line = head.lastIndexOf("\n");
  const blank = head.search(/\s\S*$/);
  // Surrogate pairs are not split.
  const whole = head.isWellFormed() ? shown : shown - 1;
  const wanted = line > shown / 2 ? line : blank === -1 ? whole : blank;
  const at = beforePairs(text, wanted);
  return [text.slice(0, at).trimEnd(), text.slice(at).trimStart()];
}

/** Position of the first mark or link still open at the cut, if enough text precedes it. */
function beforePairs(text: string, cut: number): number {
  const start = text.slice(0, cut);
  const open = PAIRS.filter((mark) => start.split(mark).length % 2 === 0);
  const places = open.map((mark) => start.lastIndexOf(mark));
  const link = start.lastIndexOf("[");
  if (link > start.lastIndexOf(")")) places.push(link);
  const first = Math.min(cut, ...places);
  return first > cut / 3 ? first : cut;
}
