import { differs, isObject, type Json, type Kit, Missing, statusOf } from "../check.ts";
import type { Answer, Asked } from "../client.ts";
import { PLANS, type Plan } from "../endpoints.ts";
import { account, limits, planOf } from "../sight.ts";

/** Keys of other plans, roles and marks than the run's own, which an operator's key makes. */

export const OPERATOR = "/operator/v1/";

/** @throws Missing unless the run may change something */
export function requireWrite({ mayWrite }: Kit): void {
  if (!mayWrite) throw new Missing("needs --write");
}

/** Asks the operator's API. @throws Missing if the run has no key of it */
export async function operate(
  kit: Kit,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  if (kit.operatorKey === null) throw new Missing("needs --operator-key");
  if (method !== "GET") requireWrite(kit);
  return kit.askAgain(operated(kit, method, path, body));
}

const operated = (
  { operatorKey: key }: Kit,
  method: string,
  path: string,
  body?: object,
): Asked => ({
  ...{ method, path: OPERATOR + path, key },
  ...(body !== undefined && { body }),
});

/** The object that the operator's API makes. @throws Error if it does not */
export async function made(kit: Kit, path: string, body: object): Promise<Json> {
  const answer = await operate(kit, "POST", path, body);
  const wrong = statusOf(answer, 201);
  if (wrong !== null) throw new Error(wrong);
  return answer.body;
}

export interface Customer {
  organization: number;
  member: number;
  keyId: number;
  key: string;
}

/** A customer on a plan, whose organization is archived at the end; one in a run by each name. */
export const customerOn = (kit: Kit, plan: Plan, name: string = plan): Promise<Customer> =>
  kit.once(`customer ${name}`, () => newCustomer(kit, plan, name));

async function newCustomer(kit: Kit, plan: Plan, name: string): Promise<Customer> {
  const one = await made(kit, "organizations/", {
    ...{
      name: `Conformance ${name} ${kit.now()}`,
      plan,
      owner: "conformance@example.com",
      write: true,
    },
  });
  const [organization, keyId] = [Number(one["id"]), Number(one["key_id"])];
  kit.afterwards.push(operated(kit, "POST", `organizations/${organization}/archive/`));
  const member = isObject(one["member"]) ? one["member"]["id"] : one["member"];
  return { organization, member: Number(member), keyId, key: String(one["key"]) };
}

/** A key on this very plan: the run's own, or a new one's. @throws Missing */
export async function keyOn(kit: Kit, plan: Plan): Promise<string> {
  return (await planOf(kit)) === plan ? kit.key : (await customerOn(kit, plan)).key;
}

/** A key that may change webhooks. @throws Missing */
export async function managersKey(kit: Kit): Promise<string> {
  requireWrite(kit);
  const { key, member } = await account(kit);
  const isManager =
    (key as Json)["access"] === "read_write" && (member as Json)["role"] !== "member";
  if (isManager && Number((await limits(kit))["webhooks"]) > 0) return kit.key;
  return (await customerOn(kit, PLANS[3])).key;
}

/** Whether a key's account has this plan. */
export const hasPlan = async (kit: Kit, key: string, plan: Plan) =>
  differs("api_tariff", (await kit.ask({ path: "/v1/me/", key })).body["api_tariff"], plan);
