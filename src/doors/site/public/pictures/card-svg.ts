import { escaped, shortened } from "./chart-svg.ts";
import { FONT } from "./draw-png.ts";
import { lineOf, type Reading } from "./line.ts";

/** The picture of a channel that messengers and networks show beside a link to its page. */

const WIDTH = 1200;
const HEIGHT = 630;
const LEFT = 72;
const TITLE_LINES = 2;
const TITLE_CHARACTERS = 27;

/** Characters that the font has; others, such as emoji, would be empty boxes. */
const NOT_DRAWN = /[^\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{Nd}\p{P}\p{Zs}\p{Sc}\p{Sm}№°]/gu;

export interface CardPicture {
  title: string;
  handle: string;
  brand: string;
  subscribers: string;
  label: string;
  /** Its growth in words; null if unknown or not public. */
  growth: string | null;
  isGrowing: boolean;
  days: readonly Reading[];
  /** The accent for dark surfaces. */
  accent: string;
}

export function cardSvg(card: CardPicture): string {
  const { accent } = card;
  const title = linesOf(drawn(card.title) || `@${card.handle}`);
  const line = lineOf(card.days, { left: 0, top: 430, width: WIDTH, height: 150 });
  const text = (content: string, x: number, y: number, style: string) =>
    `<text x="${x}" y="${y}" font-family="${FONT}" ${style}>${escaped(content)}</text>`;
  const below = 178 + title.length * 78;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
<defs><linearGradient id="sky" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#0a0f12"/><stop offset="1" stop-color="#16303a"/></linearGradient>
<linearGradient id="below" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${accent}" stop-opacity="0.38"/><stop offset="1" stop-color="${accent}" stop-opacity="0"/></linearGradient></defs>
<rect width="${WIDTH}" height="${HEIGHT}" fill="url(#sky)"/>
${line === null ? "" : `<path d="${line.area}" fill="url(#below)"/><path d="${line.line}" fill="none" stroke="${accent}" stroke-width="6" stroke-linejoin="round" stroke-linecap="round"/>`}
<rect x="${LEFT}" y="62" width="14" height="34" rx="7" fill="${accent}"/>
${text(drawn(card.brand), LEFT + 32, 90, 'font-weight="700" font-size="32" fill="#e7ecef"')}
${title.map((one, at) => text(one, LEFT, 190 + at * 78, 'font-weight="700" font-size="68" fill="#ffffff"')).join("\n")}
${text(`@${card.handle}`, LEFT, below, 'font-weight="500" font-size="34" fill="#9eabb5"')}
${text(card.subscribers, LEFT, below + 108, 'font-weight="700" font-size="88" fill="#ffffff"')}
${text(card.label, LEFT, below + 152, 'font-weight="500" font-size="30" fill="#9eabb5"')}
${card.growth === null ? "" : `<text x="${WIDTH - LEFT}" y="${below + 108}" text-anchor="end" font-family="${FONT}" font-weight="700" font-size="44" fill="${card.isGrowing ? "#6fd198" : "#ff9f96"}">${escaped(card.growth)}</text>`}
</svg>
`;
}

function drawn(text: string): string {
  return text.replace(NOT_DRAWN, "").replace(/\s+/g, " ").trim();
}

/** A title on up to two lines. */
function linesOf(title: string): string[] {
  const lines: string[] = [];
  let left = title;
  while (left !== "" && lines.length < TITLE_LINES - 1) {
    if ([...left].length <= TITLE_CHARACTERS) break;
    const start = [...left].slice(0, TITLE_CHARACTERS + 1).join("");
    const space = start.lastIndexOf(" ");
    const line = space > 0 ? start.slice(0, space) : [...left].slice(0, TITLE_CHARACTERS).join("");
    lines.push(line);
    left = left.slice(line.length).trimStart();
  }
  return [...lines, shortened(left, TITLE_CHARACTERS)];
}
