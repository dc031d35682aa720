import { planName } from "../../../values/plan-names.ts";

const planNamed = (code: string): string => planName("en", code);

/** Pages about keyword alerts. */
export const alertsEn = {
  about:
    "New posts of all public channels that have your words are sent to a webhook of yours, each once.",
  howTo: "What comes",
  name: "Name",
  query: "Words",
  queryHint:
    'All of them have to be in a post, in any form. Also: "a phrase", -without, one | other, begin*, =exact, #tag, @handle.',
  webhook: "Webhook",
  webhookNamed: (id: number, host: string) => `${id}: ${host}`,
  webhookOff: "disabled: nothing is sent",
  channel: "Only the channel",
  channelHint: "Its number, @handle or link; empty: all channels.",
  category: "Category",
  territory: "Territory",
  isAd: "Advertising",
  anyAd: "with and without",
  onlyAd: "only advertising",
  noAd: "without advertising",
  any: "any",
  sentToday: "Sent today",
  sentTodayText: (sent: string, most: string) => `${sent} of at most ${most} posts`,
  created: "Created",
  changed: "Changed",
  alert: (name: string) => `Alert: ${name}`,
  allAlerts: "All alerts",
  noAlerts: "There are no alerts yet.",
  noWebhooks: "Alerts are sent to a webhook, and there is none yet.",
  makeWebhook: "Create a webhook first",
  planWithout: (plan: string) =>
    `The plan ${planNamed(plan)} does not include alerts. They come with the plan Growth and the higher ones.`,
  planKept: "Alerts from before may be looked at and deleted; nothing is sent for them.",
  planFull: (plan: string, alerts: number) =>
    `The plan ${planNamed(plan)} includes this many alerts: ${alerts}. Delete one to create another.`,
  planPaused:
    "The newest ones beyond that pause: nothing is sent for them until the plan includes them again.",
  paused: "over the plan's number: nothing is sent",
  managersOnly: "Only owners and administrators change alerts.",
  create: "Create an alert",
  createButton: "Create",
  change: "Change the alert",
  remove: "Delete",
  removeConfirm: "The alert is deleted. This cannot be undone.",
  preview: "Preview",
  previewText: (days: string) =>
    `The posts of the last ${days} days that it would have sent. Looking sends nothing.`,
  showPreview: "Show what matches",
  matches: (count: string) => `Posts of the last 7 days that match: ${count}.`,
  matchesCapped: (count: string, looked: string) =>
    `Of the ${looked} posts read last, so many are of the last 7 days and match: ${count}.`,
  nothingMatches: "No post matches.",
  newest: "The newest of them:",
  openPost: "Open the post",
  done: {
    created: "The alert was created. Posts that are read from now on are matched.",
    changed: "The alert was changed.",
    deleted: "The alert was deleted.",
  },
};
