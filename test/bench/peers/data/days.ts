import { dayCount, END_DAY } from "./channels.ts";
import { seededRandom } from "./random.ts";

const PURPOSE = 3;

interface StatisticsDay {
  day: number;
  subscribers: number;
  views: number;
  posts: number;
}

/** A channel's days, oldest first, growing towards its present number of subscribers. */
export function* statisticsDays(
  id: number,
  subscribers: number,
  count = dayCount(id),
): Generator<StatisticsDay> {
  const random = seededRandom(PURPOSE, id);
  for (let back = count; back >= 1; back--) {
    const grown = subscribers * (1 - 0.0008 * (back - 1) + 0.0004 * random.next());
    const posts = random.below(5);
    yield {
      day: END_DAY - back,
      subscribers: Math.max(0, Math.round(grown)),
      views: posts * Math.round(subscribers * 0.3 * random.next()),
      posts,
    };
  }
}
