import { type Database, statement } from "../../../src/db/database.ts";
import { formatDay } from "../../../src/values/moscow-time.ts";
import { END_DAY } from "./data/channels.ts";
import { directorySlugs } from "./data/generate.ts";
import { type SeededRandom, seededRandom } from "./data/random.ts";
import { type CatalogWish, PAGE_SIZE, type Wish, type Work } from "./requests.ts";
import { searchStrings } from "./search-strings.ts";

/** Orderings that all contenders have; those by metrics are measured by growth.ts. */
const ORDERINGS = ["-subscribers", "-quality", "-citation", "-last_post_at"] as const;

const PURPOSE = 10;
const WISHES = 400;
/** Far more cards than the appliance caches. */
const WISHES_RARE = 50_000;
const SEARCH_STRINGS = 200;
const PAGE_FAR = 1000;
/** Shares of the mix in percent, a guess at what customers request. */
const MIX: Record<string, number> = {
  "card by id": 30,
  "card by handle": 10,
  "catalog -subscribers": 6,
  "catalog -quality": 2,
  "catalog -citation": 2,
  "catalog -last_post_at": 2,
  "catalog filtered": 6,
  search: 10,
  "search filtered": 4,
  "page far": 1,
  "100 ids": 2,
  "statistics 1 x 30": 12,
  "statistics 100 x 100": 0.5,
  "statistics 27 x 366": 0.5,
  posts: 6,
  "posts with dates": 2,
  "posts of advertising": 2,
  post: 4,
};

/** All works of the bench, drawn from a database's content. */
export function allWorks(db: Database): Work[] {
  const { n: channels } = statement<{ n: number }>(
    db,
    "SELECT max(id) AS n FROM channels",
  ).get() ?? {
    n: 0,
  };
  const { n: posts } = statement<{ n: number }>(db, "SELECT max(id) AS n FROM posts").get() ?? {
    n: 0,
  };
  const random = seededRandom(PURPOSE);
  const slugs = directorySlugs(db);
  const isPublic = statement(db, "SELECT 1 FROM channels WHERE id = ? AND is_public = 1");
  const channel = (): number => {
    for (;;) {
      const id = 1 + random.below(channels);
      if (isPublic.get(id) !== undefined) return id;
    }
  };
  const busyChannel = (): number => {
    for (;;) {
      const id = 1 + 100 * random.below(channels / 100);
      if (isPublic.get(id) !== undefined) return id;
    }
  };
  const busyChannels = (most: number): number[] => {
    const ids = new Set<number>();
    // The smallest size has hardly more than the wanted number.
    for (let tries = 0; ids.size < most && tries < 100 * most; tries++) ids.add(busyChannel());
    return [...ids];
  };
  const handleOf = statement<{ handle: string }>(
    db,
    "SELECT handle FROM channel_cards WHERE id = ? AND handle IS NOT NULL",
  );
  const postChannel = statement<{ id: number }>(
    db,
    `SELECT p.id FROM posts p JOIN channels c ON c.id = p.channel_id
     WHERE p.id = ? AND c.is_public = 1`,
  );
  const times = <T>(count: number, make: () => T | undefined): T[] => {
    const made: T[] = [];
    while (made.length < count) {
      const one = make();
      if (one !== undefined) made.push(one);
    }
    return made;
  };
  const strings = searchStrings(SEARCH_STRINGS, channels, slugs);
  const day = (back: number): string => formatDay(END_DAY - back);
  const statistics = (ids: number[], days: number): Wish => {
    const back = 1 + random.below(400 - days);
    return { kind: "statistics", channels: ids, from: day(back + days - 1), to: day(back) };
  };

  const works: Work[] = [
    { name: "card by id", wishes: times(WISHES, () => ({ kind: "card", id: channel() })) },
    {
      name: "card by handle",
      wishes: times(WISHES, () => {
        const handle = handleOf.get(channel())?.handle;
        return handle === undefined ? undefined : { kind: "handle", handle };
      }),
    },
    ...ORDERINGS.map((ordering) => ({
      name: `catalog ${ordering}`,
      wishes: [{ kind: "catalog", ordering } as const],
    })),
    {
      name: "catalog filtered",
      wishes: times(WISHES, () => ({
        kind: "catalog",
        ordering: random.pick(ORDERINGS),
        ...filters(random, slugs, { all: true }),
      })),
    },
    {
      name: "search",
      wishes: strings.map((q) => ({ kind: "catalog", ordering: "-subscribers", q })),
    },
    {
      name: "search filtered",
      wishes: strings.map((q) => ({
        kind: "catalog",
        ordering: random.pick(ORDERINGS),
        q,
        ...filters(random, slugs, { all: false }),
      })),
    },
    {
      name: "page far",
      wishes: [{ kind: "catalog", ordering: "-subscribers", page: farPage(db) }],
    },
    {
      name: "100 ids",
      wishes: times(50, () => ({ kind: "ids", ids: [...new Set(times(100, channel))] })),
    },
    { name: "statistics 1 x 30", wishes: times(WISHES, () => statistics([busyChannel()], 30)) },
    { name: "statistics 100 x 100", wishes: times(20, () => statistics(busyChannels(100), 100)) },
    { name: "statistics 27 x 366", wishes: times(20, () => statistics(busyChannels(27), 366)) },
    { name: "posts", wishes: times(WISHES, () => ({ kind: "posts", channel: busyChannel() })) },
    {
      name: "posts with dates",
      wishes: times(WISHES, () => {
        const back = 30 + random.below(300);
        return { kind: "posts", channel: busyChannel(), from: day(back), to: day(back - 29) };
      }),
    },
    {
      name: "posts of advertising",
      wishes: times(WISHES, () => ({
        kind: "posts",
        channel: busyChannel(),
        isAd: random.chance(0.7),
      })),
    },
    {
      name: "post",
      wishes: times(WISHES, () => {
        const id = 1 + random.below(posts);
        return postChannel.get(id) === undefined ? undefined : { kind: "post", id };
      }),
    },
  ];
  return [
    ...works,
    { name: "mix", wishes: mix(works, random) },
    {
      name: "rare cards by id",
      wishes: times(WISHES_RARE, () => ({ kind: "card", id: channel() })),
    },
  ];
}

/** Category, territory and range of subscribers: all of them, or one or two. */
function filters(
  random: SeededRandom,
  slugs: { categories: readonly string[]; territories: readonly string[] },
  { all }: { all: boolean },
): Partial<CatalogWish> {
  const category = { category: random.pickOften(slugs.categories) };
  const territory = { territory: random.pickOften(slugs.territories.slice(0, 100)) };
  const range = {
    subscribersMin: 50 + random.below(200),
    subscribersMax: 2_000 + random.below(9_000),
  };
  if (all) return { ...category, ...territory, ...range };
  return random.pick([category, territory, range, { ...category, ...range }]);
}

/** Number of the thousandth page, or of the last full one in a smaller catalog. */
function farPage(db: Database): number {
  const { n } = statement<{ n: number }>(
    db,
    "SELECT count(*) AS n FROM channels WHERE is_public = 1 AND kind = 'channel'",
  ).get() ?? { n: 0 };
  return Math.min(PAGE_FAR, Math.floor(n / PAGE_SIZE));
}

function mix(works: readonly Work[], random: SeededRandom): Wish[] {
  const wishes = works.flatMap(({ name, wishes }) =>
    Array.from({ length: Math.round((MIX[name] ?? 0) * 10) }, () => random.pick(wishes)),
  );
  const keyed = wishes.map((wish) => ({ wish, key: random.next() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ wish }) => wish);
}
