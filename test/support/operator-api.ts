import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import type { Ability } from "../../src/customers/operator-keys/operator-keys.table.ts";
import type { Answer, Appliance } from "./appliance.ts";

/** Requests to the operator's API with a key of its own. */
export async function operatorApi({ app, request }: Appliance, can: Ability[] = ["data"]) {
  const { operatorKeys } = app.domains;
  const made = await operatorKeys.create({ name: "crawler", can, expiresAt: null }, COMMAND_LINE);
  const { token: key } = made;
  const send = (method: string, path: string, init: RequestInit = {}): Promise<Answer> =>
    request(`/operator/v1/${path}`, { ...init, method, key });
  return {
    key,
    send,
    get: (path: string) => send("GET", path),
    /** @param body JSON, or an object that becomes JSON */
    post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
      return send("POST", path, {
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
    },
  };
}

export type OperatorApi = Awaited<ReturnType<typeof operatorApi>>;
