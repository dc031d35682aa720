import { endpointOf } from "./endpoint.ts";
import { imports } from "./imports.ts";
import { keys } from "./keys.ts";
import { members } from "./members.ts";
import { operatorKeys } from "./operator-keys.ts";
import { operatorWebhooks } from "./operator-webhooks.ts";
import { organizations } from "./organizations.ts";
import { planRequests } from "./plan-requests.ts";
import { plans } from "./plans.ts";
import { channels, posts, statistics } from "./pushes.ts";
import { webhooks } from "./webhooks.ts";

/** All resources, in the order of the documentation. */
export const resources = [
  organizations,
  members,
  keys,
  plans,
  planRequests,
  webhooks,
  channels,
  posts,
  statistics,
  imports,
  operatorKeys,
  operatorWebhooks,
];

/** The operations of the operator's API. */
export const endpoints = resources.flatMap((resource) =>
  resource.verbs.map((verb) => endpointOf(resource, verb)),
);
