import { audit } from "./customers/audit.ts";
import { keys } from "./customers/keys.ts";
import { members } from "./customers/members.ts";
import { organizations } from "./customers/organizations.ts";
import { people, staff } from "./customers/people.ts";
import { planOffers, planRequests, plans } from "./customers/plans.ts";
import { alerts, webhooks } from "./customers/webhooks.ts";
import { channels } from "./data/channels.ts";
import { exports, imports } from "./data/imports.ts";
import { categories, posts, statistics, territories } from "./data/pushes.ts";
import { endpointOf } from "./endpoint.ts";
import { backups, jobs, metrics, readiness } from "./system/jobs.ts";
import { operatorKeys } from "./system/operator-keys.ts";
import { operatorWebhooks } from "./system/operator-webhooks.ts";
import { sources } from "./system/sources.ts";

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
  people,
  staff,
  operatorKeys,
  operatorWebhooks,
];

export const endpoints = resources.flatMap((resource) =>
  resource.verbs.map((verb) => endpointOf(resource, verb)),
);
