import { createHmac } from "node:crypto";
import type { Check, Fault, Json, Kit, Received } from "../check.ts";
import { check, differs, each, Missing, objectsIn, unless } from "../check.ts";
import { fieldFault, SHAPES, shapeFault } from "../shapes.ts";
import { managersKey, operate } from "./customers.ts";
import { ownChannel } from "./operator.ts";
import { firstPing, type Hook, newHook } from "./webhooks.ts";

interface Delivery {
  hook: Hook;
  answer: Json;
  /** Requests that arrived: more than one if a redirect is followed. */
  requests: readonly Received[];
  event: Json;
}

/** The test ping of a webhook of its own, which is answered with this status; one in a run. */
const ping = (kit: Kit, status: number): Promise<Delivery> =>
  kit.once(`ping ${status}`, () => newPing(kit, status));

async function newPing(kit: Kit, status: number): Promise<Delivery> {
  const { receiver } = kit;
  if (receiver === null) throw new Missing("needs --receiver");
  const hook = await newHook(kit, await managersKey(kit));
  const from = receiver.requests.length;
  receiver.status = status;
  const { body } = await firstPing(kit, hook);
  receiver.status = 200;
  await kit.askAgain({ method: "DELETE", path: hook.path, key: hook.key });
  const requests = receiver.requests.slice(from);
  return { hook, answer: body, requests, event: eventOf(requests[0]) };
}

const eventOf = (request: Received | undefined): Json =>
  request === undefined ? {} : (JSON.parse(request.body) as Json);
const header = (request: Received | undefined, name: string): string =>
  String(request?.headers[name] ?? "");

/** The pushed post as an event, which comes once the batch is over. */
const WAIT_MAX_MS = 150_000;
async function createdEvent(kit: Kit): Promise<Json> {
  const { receiver } = kit;
  if (receiver === null) throw new Missing("needs --receiver");
  const channel = await ownChannel(kit);
  await newHook(kit, await managersKey(kit), channel);
  const from = receiver.requests.length;
  const published = new Date(kit.now() - 60_000).toISOString();
  const post = {
    channel,
    msgr_post_id: String(kit.now()),
    text: "Conformance",
    published_at: published,
  };
  await operate(kit, "POST", "posts/", { rows: [post] });
  for (const until = kit.now() + WAIT_MAX_MS; kit.now() < until; await kit.sleep(200)) {
    const found = receiver.requests
      .slice(from)
      .map(eventOf)
      .find(({ event }) => event === "post.created");
    if (found !== undefined) return found;
  }
  throw new Error("no event post.created came within 150 seconds");
}
const postCreated = (kit: Kit): Promise<Json> => kit.once("post.created", () => createdEvent(kit));

const ofPing = (
  clause: Check["clause"],
  title: string,
  faultOf: (delivery: Delivery) => Fault,
): Check => check(clause, `ping: ${title}`, async (kit) => faultOf(await ping(kit, 200)));
const ofPost = (clause: Check["clause"], title: string, faultOf: (event: Json) => Fault): Check =>
  check(clause, `post.created: ${title}`, async (kit) => faultOf(await postCreated(kit)));

export const eventChecks: readonly Check[] = [
  ofPing(
    "spec 6 kinds",
    "it arrives, once",
    ({ requests, event, answer }) =>
      differs("the number of requests", requests.length, 1) ??
      differs("event", event["event"], "ping") ??
      differs("delivered", answer["delivered"], true),
  ),
  ofPing("spec 6 body", "webhook is its number", ({ event, hook }) =>
    differs("webhook", event["webhook"], hook.id),
  ),
  ofPing("spec 6 body", "created_at has Moscow's offset", ({ event }) =>
    fieldFault(event, "created_at", "moment"),
  ),
  ofPing("spec 6 body", "posts are empty", ({ event }) => differs("posts", event["posts"], [])),
  ofPing("spec 6 headers", "X-Service-Event is the event", ({ requests }) =>
    differs("X-Service-Event", header(requests[0], "x-service-event"), "ping"),
  ),
  ofPing(
    "spec 6 headers",
    "X-Service-Delivery is the delivery that the test named",
    ({ requests, answer }) =>
      differs(
        "X-Service-Delivery",
        header(requests[0], "x-service-delivery"),
        String(answer["delivery"]),
      ),
  ),
  ofPing("spec 6 headers", "X-Service-Signature has time and signature", ({ requests }) => {
    const text = header(requests[0], "x-service-signature");
    return unless(/^t=\d{10},v1=[0-9a-f]{64}$/.test(text), text);
  }),
  ...(["spec 6 signature 1", "spec 5.7", "spec 1.3"] as const).map((clause) =>
    ofPing(clause, "the signature is that of the time and the raw body", ({ requests, hook }) => {
      const [, time, signature] =
        /^t=(\d+),v1=(\w+)$/.exec(header(requests[0], "x-service-signature")) ?? [];
      const own = createHmac("sha256", String(hook.created.body["secret"]));
      return differs("v1", signature, own.update(`${time}.${requests[0]?.body}`).digest("hex"));
    }),
  ),
  ofPing("decisions 6 attempt", "its body is JSON in UTF-8", ({ requests }) =>
    unless(
      header(requests[0], "content-type").startsWith("application/json"),
      header(requests[0], "content-type"),
    ),
  ),
  ...[204, 302, 500].map((status) =>
    check(
      "spec 6 delivery 1",
      `an answer of ${status} is ${status === 204 ? "a success" : "a failure"}, after one request`,
      async (kit) => {
        const { answer, requests } = await ping(kit, status);
        return (
          differs("delivered", answer["delivered"], status === 204) ??
          differs("status", answer["status"], status) ??
          differs("the number of requests", requests.length, 1)
        );
      },
    ),
  ),
  ofPost("spec 6 kinds", "a new post of a watched channel arrives", ({ event }) =>
    differs("event", event, "post.created"),
  ),
  ofPost("decisions 6 event", "at most 100 posts", ({ posts }) =>
    unless(objectsIn(posts).length <= 100, "more"),
  ),
  ...SHAPES.filter(([resource]) => resource === "post").map(([, , fields]) =>
    ofPost("spec 6 body", `posts have the shape of one post: ${fields}`, ({ posts }) =>
      each(objectsIn(posts), (post) => shapeFault(post, fields)),
    ),
  ),
];
