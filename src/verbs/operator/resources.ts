import { endpointOf } from "./endpoint.ts";
import { imports } from "./imports.ts";
import { keys } from "./keys.ts";
import { members } from "./members.ts";
import { operatorKeys } from "./operator-keys.ts";
import { organizations } from "./organizations.ts";
import { plans } from "./plans.ts";
import { channels, posts, statistics } from "./pushes.ts";
import { webhooks } from "./webhooks.ts";

/** All resources, in the order of the documentation. */
export const resources = [
  organizations,
  members,
  keys,
  plans,
  webhooks,
  channels,
  posts,
  statistics,
  imports,
  operatorKeys,
];

/** The operations of the operator's API. */
export const endpoints = resources.flatMap((resource) =>
  resource.verbs.map((verb) => endpointOf(resource, verb)),
);
