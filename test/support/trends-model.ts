const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MOSCOW_MS = 3 * HOUR;
/** Windows in which terms are sought. */
const SOUGHT_HOURS = [24, 6];

/** A post as the model sees it: its words and pairs of words. */
export interface ModelPost {
  channel: number;
  at: number;
  views: number;
  terms: ReadonlySet<string>;
}

/** Words, and pairs of neighbouring ones. */
export function withPairs(words: readonly string[]): string[] {
  return [...words, ...words.slice(1).map((word, at) => `${words[at]} ${word}`)];
}

/** What rises by the rules that the guide gives, from plain lists of all posts. */
export function trendsModel(
  posts: readonly ModelPost[],
  { now, hours, isIn = () => true }: { now: number; hours: number; isIn?: (id: number) => boolean },
) {
  const hour = (ms: number) => Math.floor(ms / HOUR);
  const lastHour = hour(now);
  const day = (ms: number) => Math.floor((ms + MOSCOW_MS) / DAY);
  const endDay = day((lastHour - 71) * HOUR);
  const days = Array.from({ length: 14 }, (_, back) =>
    posts.filter(({ at }) => day(at) === endDay - 1 - back),
  ).filter((some) => some.length > 0);
  const users = (some: readonly ModelPost[], term: string) =>
    new Set(some.filter(({ terms }) => terms.has(term)).map((post) => post.channel));
  const windows = new Map<number, ModelPost[]>();
  const within = (span: number): ModelPost[] => {
    const known = windows.get(span);
    if (known !== undefined) return known;
    const found = posts.filter(({ at }) => hour(at) > lastHour - span && hour(at) <= lastHour);
    windows.set(span, found);
    return found;
  };
  const meanOf = (term: string, few: number): number => {
    const counts = days.map((some) => users(some, term).size);
    return counts.reduce((sum, count) => sum + (count >= 3 ? count : few), 0) / days.length;
  };
  const usualOf = (term: string, span: number): number => (meanOf(term, 0) * span) / 24;
  const mostOf = (term: string, span: number): number =>
    usualOf(term, span) + ((meanOf(term, 2) - meanOf(term, 0)) * Math.min(span, 24)) / 24;
  const rises = (term: string, span: number): boolean => {
    const { size } = users(within(span), term);
    return size >= 5 && size >= 3 * mostOf(term, span);
  };
  /** A pair is left out if one of its words is everywhere, in each window in which the pair rises. */
  const isCommon = (term: string): boolean =>
    SOUGHT_HOURS.filter((span) => rises(term, span)).every((span) => {
      const active = new Set(within(span).map((post) => post.channel)).size;
      const parts = term.split(" ");
      return (
        active >= 20 &&
        parts.length === 2 &&
        parts.some((part) => users(within(span), part).size > active / 4)
      );
    });
  const own = within(hours).filter((post) => isIn(post.channel));
  const terms = new Set(within(hours).flatMap((post) => [...post.terms]));
  const rows = [...terms].flatMap((term) => {
    if (days.length === 0 || !rises(term, hours) || isCommon(term)) return [];
    const usual = usualOf(term, hours);
    const all = users(within(hours), term).size;
    const using = own.filter((post) => post.terms.has(term));
    const channels = users(using, term).size;
    if (channels < 3) return [];
    const expected = (mostOf(term, hours) * channels) / all;
    return [
      {
        term,
        score: (channels - expected) / Math.sqrt(expected + 1),
        row: {
          channels,
          posts: using.length,
          views: using.reduce((sum, { views }) => sum + views, 0),
          channels_usual: Math.round(usual * 10) / 10,
          growth: usual === 0 ? null : Math.round((all / usual) * 10) / 10,
          by_hour: Array.from(
            { length: hours },
            (_, back) => using.filter(({ at }) => hour(at) === lastHour - hours + 1 + back).length,
          ),
        },
      },
    ];
  });
  return rows
    .filter(
      ({ term, row }) =>
        term.includes(" ") ||
        !rows.some(
          (pair) =>
            pair.term.includes(" ") &&
            pair.term.split(" ").includes(term) &&
            pair.row.channels >= (row.channels * 2) / 3,
        ),
    )
    .toSorted((a, b) => b.score - a.score || (a.term < b.term ? -1 : 1))
    .map(({ term, row }) => ({ term, ...row }));
}
