import { planName } from "../../../values/plan-names.ts";

const planNamed = (code: string): string => planName("en", code);

/** Pages about keyword alerts. */
export const alertsEn = {
  about:
    "New posts in any public channel that match your words are sent to your webhook, each of them once.",
  howTo: "What is sent",
  name: "Name",
  query: "Words",
  queryHint:
    'A post must contain all of them, in any form. Also: "a phrase", -without, one | other, begin*, =exact, #tag, @handle.',
  webhook: "Webhook",
  webhookNamed: (id: number, host: string) => `${id}: ${host}`,
  webhookOff: "disabled: nothing is sent",
  channel: "Channel",
  channelHint: "A number, @handle or link. Leave empty for all channels.",
  category: "Category",
  territory: "Territory",
  isAd: "Advertising",
  anyAd: "with and without ads",
  onlyAd: "only ads",
  noAd: "without ads",
  any: "any",
  sentToday: "Sent today",
  sentTodayText: (sent: string, most: string) => `${sent} of at most ${most} posts`,
  created: "Created",
  changed: "Changed",
  alert: (name: string) => `Alert: ${name}`,
  allAlerts: "All alerts",
  noAlerts: "No alerts yet.",
  noWebhooks: "Alerts are sent to a webhook, and you have none yet.",
  makeWebhook: "Create a webhook first",
  planWithout: (plan: string) =>
    `The ${planNamed(plan)} plan does not include alerts. They are available on the Growth plan and above.`,
  planKept: "You can still view and delete existing alerts; nothing is sent for them.",
  planFull: (plan: string, alerts: number) =>
    `You have reached the limit of the ${planNamed(plan)} plan (alerts: ${alerts}). Delete one to create another.`,
  planPaused:
    "The newest alerts beyond the limit are paused: nothing is sent for them until the plan includes them again.",
  paused: "over the plan's limit: nothing is sent",
  managersOnly: "Only owners and administrators can change alerts.",
  create: "Create an alert",
  createButton: "Create",
  change: "Change the alert",
  remove: "Delete",
  removeConfirm: "This deletes the alert. It cannot be undone.",
  preview: "Preview",
  previewText: (days: string) =>
    `The posts of the last ${days} days that it would have sent. The preview sends nothing.`,
  showPreview: "Show matching posts",
  matches: (count: string) => `Matching posts in the last 7 days: ${count}.`,
  matchesCapped: (count: string, looked: string) =>
    `Matching posts in the last 7 days, among the latest ${looked} posts: ${count}.`,
  nothingMatches: "No posts match.",
  newest: "The newest:",
  openPost: "Open the post",
  done: {
    created: "The alert was created. It applies to posts that are read from now on.",
    changed: "The alert was changed.",
    deleted: "The alert was deleted.",
  },
};
