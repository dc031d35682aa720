export interface HabitsSelection {
  channelId: number;
  /** Inclusive. */
  fromMs: number;
  /** Exclusive. */
  untilMs: number;
}

/** When and how a channel posts, judged by its posts of a period. */
export interface Habits {
  /** Number of posts examined. */
  posts: number;
  /** Whether the period has more posts, which were not examined. */
  isMore: boolean;
  /** Number of advertising posts among them. */
  ads: number;
  /** Posts by hour of the week in Moscow time, starting with Monday midnight. */
  hours: number[];
  /** Ids of the most viewed posts, most views first. */
  best: number[];
}
