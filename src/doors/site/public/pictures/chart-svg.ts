import { formatDay } from "../../../../values/moscow-time.ts";
import { dateFormat, formatNumber, withoutUnshown } from "../../look/shown.tsx";
import { lineOf, type Reading } from "./line.ts";

/** Pictures of a channel as SVG, for other people's pages: without scripts, and without anything to load. */

export const THEMES = ["light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const COLOURS = {
  light: { paper: "#ffffff", ink: "#141c22", quiet: "#535f69", line: "#dde3e8" },
  dark: { paper: "#171c21", ink: "#e7ecef", quiet: "#9eabb5", line: "#2b343b" },
} as const;

export interface ChartTexts {
  title: string;
  subscribers: string;
  brand: string;
  locale: string;
  /** Shown in place of a line. */
  noReadings: string;
  /** Where a click leads. */
  address: string;
}

const WIDTH = 640;
const HEIGHT = 240;

/** @param theme null to follow the page's reader */
export function chartSvg(
  readings: readonly Reading[],
  texts: ChartTexts,
  accents: Record<Theme, string>,
  theme: Theme | null,
): string {
  const { locale } = texts;
  const line = lineOf(readings, { left: 24, top: 72, width: WIDTH - 48, height: 116 });
  const shownDay = (day: number | undefined) =>
    day === undefined
      ? ""
      : dateFormat(locale, { day: "numeric", month: "short" }).format(Date.parse(formatDay(day)));
  const last = readings.at(-1);
  const number = last === undefined ? "—" : formatNumber(locale, last.value);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(`${texts.title}: ${number} ${texts.subscribers}`)}">
<style>${styleOf(accents, theme)}</style>
<rect width="${WIDTH}" height="${HEIGHT}" rx="12" class="paper"/>
<a href="${escaped(texts.address)}" target="_blank" rel="noopener">
<text x="24" y="38" class="title">${escaped(shortened(texts.title, 36))}</text>
<text x="${WIDTH - 24}" y="38" text-anchor="end" class="number">${number}</text>
<text x="24" y="58" class="quiet">${escaped(texts.subscribers)}</text>
${
  line === null
    ? `<text x="24" y="132" class="quiet">${escaped(texts.noReadings)}</text>`
    : `<path d="${line.area}" class="area"/><path d="${line.line}" class="line"/>
<text x="${WIDTH - 24}" y="66" text-anchor="end" class="quiet">${formatNumber(locale, line.high)}</text>
<text x="${WIDTH - 24}" y="206" text-anchor="end" class="quiet">${formatNumber(locale, line.low)}</text>`
}
<text x="24" y="226" class="quiet">${shownDay(readings[0]?.day)} – ${shownDay(last?.day)}</text>
<text x="${WIDTH - 24}" y="226" text-anchor="end" class="brand">${escaped(texts.brand)}</text>
</a>
</svg>
`;
}

function styleOf(accents: Record<Theme, string>, theme: Theme | null): string {
  const light = variables(theme ?? "light", accents);
  const dark = `@media (prefers-color-scheme: dark) { ${variables("dark", accents)} }`;
  return `${light} ${theme === null ? dark : ""}
text { font: 13px ui-sans-serif, system-ui, "Segoe UI", Roboto, sans-serif; fill: var(--ink) }
.paper { fill: var(--paper); stroke: var(--line) } .quiet { fill: var(--quiet); font-size: 12px }
.title { font-size: 17px; font-weight: 650 } .number { font-size: 20px; font-weight: 700 }
.brand { fill: var(--accent); font-size: 12px; font-weight: 600 }
.area { fill: var(--accent); opacity: .12 }
.line { fill: none; stroke: var(--accent); stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round }`;
}

function variables(theme: Theme, accents: Record<Theme, string>): string {
  const { paper, ink, quiet, line } = COLOURS[theme];
  return `svg { --paper: ${paper}; --ink: ${ink}; --quiet: ${quiet}; --line: ${line}; --accent: ${accents[theme]} }`;
}

/** Width of a character at 11 pixels, on average: text that is narrower is stretched to fit. */
const CHARACTER = 6.6;

/** A badge as on project pages: a label, and the number of subscribers. */
export function badgeSvg(label: string, number: string, accent: string): string {
  const [left, right] = [label, number].map((text) =>
    Math.round([...text].length * CHARACTER + 14),
  );
  const [labelWidth, numberWidth] = [left ?? 0, right ?? 0];
  const width = labelWidth + numberWidth;
  const text = (value: string, middle: number, space: number) =>
    `<text x="${middle}" y="14" textLength="${space - 14}">${escaped(value)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${escaped(`${label}: ${number}`)}">
<clipPath id="r"><rect width="${width}" height="20" rx="4"/></clipPath>
<g clip-path="url(#r)"><rect width="${labelWidth}" height="20" fill="#3b454d"/><rect x="${labelWidth}" width="${numberWidth}" height="20" fill="${accent}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
${text(label, labelWidth / 2, labelWidth)}${text(number, labelWidth + numberWidth / 2, numberWidth)}</g>
</svg>
`;
}

/** Text for SVG: escaped, and without characters that XML forbids or that turn the writing direction. */
export function escaped(text: string): string {
  return Bun.escapeHTML(withoutUnshown(text).replace(/[\uFFFE\uFFFF\p{Cs}]/gu, "\uFFFD"));
}

export function shortened(text: string, charactersMax: number): string {
  const characters = [...text.trim()];
  if (characters.length <= charactersMax) return characters.join("");
  return `${characters
    .slice(0, charactersMax - 1)
    .join("")
    .trimEnd()}…`;
}
