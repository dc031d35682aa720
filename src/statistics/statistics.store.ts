import { type Database, statement } from "../db/database.ts";
import { WITHIN_DEADLINE } from "../db/deadline.ts";
import { type JsonText, toJsonText } from "../json-text.ts";
import { type Day, formatDay } from "../moscow-time.ts";

/** A day of a channel as the API shows it (decisions, section 2). */
export interface DailyStatisticsView {
  channel: number;
  day: string;
  subscribers: number;
  views: number;
  posts: number;
}

export interface StatisticsSelection {
  /** Distinct service numbers, in the order of the answer; unknown ones are left out. */
  channelIds: readonly number[];
  from: Day;
  /** Included. */
  to: Day;
}

interface Row {
  day: Day;
  subscribers: number;
  views: number;
  posts: number;
}

/** The days of public channels, by channel in the order given, then by day. */
export function selectDailyStatistics(
  db: Database,
  { channelIds, from, to }: StatisticsSelection,
): JsonText<DailyStatisticsView[]> {
  const isPublic = statement(db, "SELECT 1 FROM channels WHERE id = ? AND is_public = 1");
  const days = statement<Row>(
    db,
    `SELECT s.day, s.subscribers, s.views, s.posts FROM daily_statistics s
     WHERE ${WITHIN_DEADLINE} AND s.channel_id = ? AND s.day BETWEEN ? AND ? ORDER BY s.day`,
  );
  const dayTexts = new Map<Day, string>();
  const dayText = (day: Day): string => {
    let text = dayTexts.get(day);
    if (text === undefined) {
      text = formatDay(day);
      dayTexts.set(day, text);
    }
    return text;
  };

  const views: DailyStatisticsView[] = [];
  for (const channel of channelIds) {
    if (isPublic.get(channel) === undefined) continue;
    for (const { day, subscribers, views: viewCount, posts } of days.all(channel, from, to)) {
      views.push({ channel, day: dayText(day), subscribers, views: viewCount, posts });
    }
  }
  return toJsonText(views);
}
