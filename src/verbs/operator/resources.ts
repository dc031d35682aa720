import { alerts } from "./alerts.ts";
import { audit } from "./audit.ts";
import { channels } from "./channels.ts";
import { endpointOf } from "./endpoint.ts";
import { exports, imports } from "./imports.ts";
import { backups, jobs } from "./jobs.ts";
import { keys } from "./keys.ts";
import { members } from "./members.ts";
import { operatorKeys } from "./operator-keys.ts";
import { operatorWebhooks } from "./operator-webhooks.ts";
import { organizations } from "./organizations.ts";
import { planRequests } from "./plan-requests.ts";
import { planOffers, plans } from "./plans.ts";
import { posts } from "./posts.ts";
import { categories, statistics, territories } from "./pushes.ts";
import { metrics, readiness } from "./running.ts";
import { sources } from "./sources.ts";
import { webhooks } from "./webhooks.ts";

/** All resources, in the order of the documentation. */
export const resources = [
  organizations,
  members,
  keys,
  plans,
  planOffers,
  planRequests,
  webhooks,
  alerts,
  audit,
  channels,
  posts,
  statistics,
  categories,
  territories,
  imports,
  exports,
  sources,
  jobs,
  backups,
  readiness,
  metrics,
  operatorKeys,
  operatorWebhooks,
];

export const endpoints = resources.flatMap((resource) =>
  resource.verbs.map((verb) => endpointOf(resource, verb)),
);
