export interface HabitsSelection {
  channelId: number;
  /** First instant, included. */
  fromMs: number;
  /** First instant that is not included any more. */
  untilMs: number;
}

/** When and how a channel posts, by its posts of a period. */
export interface Habits {
  /** Posts that were looked at. */
  posts: number;
  /** Whether the period has more, which were not. */
  isMore: boolean;
  /** How many of them are advertising. */
  ads: number;
  /** Posts by hour of the week, Moscow time: Monday from midnight first. */
  hours: number[];
  /** Numbers of those with most views, the most first. */
  best: number[];
}
