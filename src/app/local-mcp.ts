import { version } from "../../package.json";
import type { Config } from "../config.ts";
import type { Caller } from "../customers/keys/keys.ts";
import type { Database } from "../db/database.ts";
import { createTickSnapshots, withoutTickSnapshots } from "../db/read-transaction.ts";
import { brokenBound } from "../doors/http/requests/body.ts";
import { createDispatcher } from "../doors/mcp/dispatcher.ts";
import { toAppError } from "../errors.ts";
import type { PostText } from "../ports/download.ts";
import type { Ports } from "../ports/ports.ts";
import { parseJson } from "../values/json-text.ts";
import { inEnglish } from "../values/messages/messages.ts";
import { freeOutcome, type Outcome, viewMethod } from "../verbs/call.ts";
import type { ApiMethod } from "../verbs/method.ts";
import { meRetrieve } from "../verbs/methods/me.ts";
import { toolMethods } from "../verbs/methods/table.ts";
import type { RawArguments } from "../verbs/read-arguments.ts";
import type { Services } from "../verbs/services.ts";
import { composeReading } from "./compose/services.ts";
import { databaseThreads } from "./database-threads.ts";

/** The MCP server over a database, in this process. */
export interface LocalMcp {
  /** Answers a message as the appliance would if it were posted there. */
  post: PostText;
  close(): Promise<void>;
}

/** Whoever can read the file may read all of it: there is no account, and nothing is counted. */
const READER = { plan: { code: "profi", posts: true, historyDays: null } } as Omit<Caller, "key">;

const TOOLS = toolMethods
  .filter((method) => method !== meRetrieve)
  .map((method) => ({ ...method, units: 0 as const }));

/** @param db for reading; the caller closes it */
export function createLocalMcp(db: Database, config: Config, ports: Ports): LocalMcp {
  const { clock, log } = ports;
  const quiet = { noteHold() {}, noteSlow() {}, noteRefused() {} };
  const { threads, endThreads } = databaseThreads(config, clock, db, quiet, 1);
  // Services for customers only are missing; no tool but that of the account uses them.
  const services = composeReading({ db, threads, config, ports, crew: null }) as Services;
  const answer = createDispatcher(TOOLS, { version, messenger: config.messenger }, services);
  const tickSnapshot = db.isInMemory ? withoutTickSnapshots : createTickSnapshots(db, clock);

  async function call(method: ApiMethod, raw: RawArguments, nowMs: number): Promise<Outcome> {
    try {
      const viewing = { services, viewer: READER, nowMs };
      const body = await viewMethod(method, raw, viewing, (opened) =>
        services.cursors.writeShort(method, opened),
      );
      return { ok: true, status: 200, body, units: 0, charged: null };
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.cause !== undefined) log.error({ err: error.cause }, "a tool failed");
      return freeOutcome(error);
    }
  }

  return {
    async post(headers, text) {
      const bytes = Buffer.from(text);
      const bound = brokenBound(bytes);
      const nowMs = clock.now();
      await tickSnapshot();
      const { status, body } = await answer({
        body: bound === null ? { value: parseJson(bytes) } : { bound: inEnglish(bound) },
        nowMs,
        header: (name) => headers[name] ?? null,
        takeMessage: () => null,
        takeCall: () => null,
        call: (method, raw) => call(method, raw, nowMs),
        tickSnapshot,
        refuse: (_method, denial) => freeOutcome(denial),
      });
      return { status, body: body ?? "" };
    },
    close: endThreads,
  };
}
