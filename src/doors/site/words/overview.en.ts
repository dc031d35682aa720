/** The customer's overview, apart from the plan and usage by method. */
export const overviewEn = {
  lasts: "At this pace the quota lasts to the end of the period.",
  ends: "At this pace the quota ends on",
  over: "The quota is used up: requests that cost are refused until the period ends on",
  usageByKey: "Usage by key",
  otherKey: (id: number) => `key ${id}`,
  otherKeys: (count: number) => `${count} other keys`,
  unfinished: "not over yet",
  todayUnfinished: "The last day is today, which is not over yet.",
  lastRequests: "Last requests",
  lastRequestsText: "The last 100 requests of a key within a week, newest first.",
  logOff: "The log of requests is switched off here.",
  show: "Show",
  noRequests: "No requests of this key in a week.",
  time: "Time",
  path: "Path",
  status: "Status",
  duration: "Duration",
  ms: "ms",
};

export type OverviewWords = typeof overviewEn;
