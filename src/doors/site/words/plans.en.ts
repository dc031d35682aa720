/** Staff's page of plans. */
export const plansEn = {
  title: "Plans",
  intro: "What a plan includes, for all its organizations, from their next request on.",
  limits: {
    requestsPerSecond: "Requests per second",
    requestsPerPeriod: "Request units per 30 days",
    webhooks: "Webhooks",
    webhookChannels: "Channels per webhook",
    alerts: "Keyword alerts",
  },
};
