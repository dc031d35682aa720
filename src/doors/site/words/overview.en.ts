/** The customer's overview, apart from the plan and usage by method. */
export const overviewEn = {
  lasts: "At this pace, the quota will last until the end of the period.",
  ends: "At this pace, the quota will run out on",
  over: "The quota is used up. Requests that cost units are refused until the period ends on",
  usageByKey: "Usage by key",
  otherKey: (id: number) => `key ${id}`,
  otherKeys: (count: number) => `${count} other keys`,
  unfinished: "not over yet",
  todayUnfinished: "The last day shown is today, which is not over yet.",
  lastRequests: "Last requests",
  lastRequestsText: "The last 100 requests with a key in the past week, newest first.",
  logOff: "The request log is switched off.",
  show: "Show",
  noRequests: "No requests with this key in the past week.",
  time: "Time",
  path: "Path",
  status: "Status",
  duration: "Duration",
  ms: "ms",
};

export type OverviewWords = typeof overviewEn;
