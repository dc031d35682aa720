import type { NewBot } from "../../src/catalog/sources/source-adding.ts";
import type { Source, SourceChat } from "../../src/catalog/sources/sources.table.ts";
import type { Environment } from "../../src/config.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { statement } from "../../src/db/database.ts";
import type { GetRequest } from "../../src/ports/network.ts";
import { inEnglish } from "../../src/values/messages/messages.ts";
import { type Appliance, startAppliance } from "./appliance.ts";
import { createFakeMax, type FakeMax, postIdOf } from "./fake-max.ts";
import type { FakeAnswer } from "./fake-ports.ts";

/** The fields of a stored post that tests of sources use. */
interface StoredPost {
  msgr_post_id: string;
  text: string;
  views: number;
  views_at: number | null;
  media: string | null;
  link: string | null;
  links: string | null;
}

export interface MaxAppliance {
  appliance: Appliance;
  max: FakeMax;
  /** Returns an answer that replaces MAX's, or undefined. */
  disturbNetwork: (url: string) => FakeAnswer | undefined;
  add(given?: Partial<NewBot>): Promise<Source>;
  /** Does what the process does every few seconds, and waits until it is done. */
  look(): Promise<Source>;
  /** Advances the clock, and looks. */
  after(durationMs: number): Promise<Source>;
  posts(): StoredPost[];
  /** Stored post with a `mid`. */
  stored(mid: string): StoredPost | undefined;
  chats(): Promise<SourceChat[]>;
  failure(): Promise<string | null>;
  close(): Promise<void>;
}

/** Starts an appliance whose network leads to a fake MAX. */
export async function startMaxAppliance(environment: Environment = {}): Promise<MaxAppliance> {
  const appliance = await startAppliance(environment);
  const { clock, network } = appliance.ports;
  const max = createFakeMax(clock.now);
  const { sources } = appliance.app;
  const started: MaxAppliance = {
    appliance,
    max,
    disturbNetwork: () => undefined,
    add: (given = {}) =>
      sources.addBot(
        { kind: "max", token: max.token, name: "max", api: "", schedule: "", ...given },
        COMMAND_LINE,
      ),
    async look() {
      await sources.tick();
      await sources.settled();
      return sources.find("max");
    },
    after(durationMs) {
      clock.advance(durationMs);
      return started.look();
    },
    posts: () =>
      statement<StoredPost>(
        appliance.app.domains.db,
        `SELECT CAST(msgr_post_id AS TEXT) AS msgr_post_id, text, views, views_at, media, link, links
         FROM posts ORDER BY published_at, id`,
      ).all(),
    stored: (mid) => started.posts().find((post) => post.msgr_post_id === postIdOf(mid)),
    chats: async () => sources.chats((await sources.find("max")).id),
    async failure() {
      const { failure } = await sources.find("max");
      return failure === null ? null : inEnglish(failure);
    },
    close: appliance.close,
  };
  const answers = answersOf(max);
  network.answerGet = (url, request) => started.disturbNetwork(url) ?? answers(url, request);
  return started;
}

/** Answers of a network that leads to MAX; for the port's `answerGet`. */
export function answersOf(max: FakeMax): (url: string, request: GetRequest) => Promise<FakeAnswer> {
  return async (url, request) => toAnswer(await max.answer(toRequest(url, request)));
}

function toRequest(url: string, { headers, method, body }: GetRequest): Request {
  return new Request(url, {
    headers,
    method: method ?? "GET",
    ...(body !== undefined && { body }),
  });
}

async function toAnswer(response: Response): Promise<FakeAnswer> {
  const retryAfter = response.headers.get("retry-after");
  const { status } = response;
  return { status, body: await response.text(), ...(retryAfter !== null && { retryAfter }) };
}
