import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { ABILITIES, type Ability } from "../../src/customers/operator-keys/operator-keys.table.ts";
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

/** Keys of the operator's API that may do everything, but have expired or were revoked. */
export async function endedKeys({ app, ports }: Appliance) {
  const { operatorKeys } = app.domains;
  const all = { name: "ended", can: [...ABILITIES] };
  const expiresAt = ports.clock.now() + 1;
  const expired = await operatorKeys.create({ ...all, expiresAt }, COMMAND_LINE);
  ports.clock.advance(1);
  const revoked = await operatorKeys.create({ ...all, expiresAt: null }, COMMAND_LINE);
  await operatorKeys.revoke(revoked.key.id, COMMAND_LINE);
  return { expired: expired.token, revoked: revoked.token };
}

export type OperatorApi = Awaited<ReturnType<typeof operatorApi>>;
