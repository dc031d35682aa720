export interface HabitsSelection {
  channelId: number;
  /** Inclusive. */
  fromMs: number;
  /** Exclusive. */
  untilMs: number;
}

export interface Habits {
  posts: number;
  /** Whether the period has more posts, which were not examined. */
  isMore: boolean;
  ads: number;
  /** Posts by hour of the week in Moscow time, starting with Monday midnight. */
  hours: number[];
  /** Ids of the most viewed posts, most views first. */
  best: number[];
}
