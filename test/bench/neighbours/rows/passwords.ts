import { PASSWORD } from "../../../support/visitor.ts";
import { type SentRequest, send, sendForm } from "../requests.ts";
import type { Row, Stage } from "../row.ts";
import type { VictimSpec } from "../victim.ts";
import { requestsRow } from "./requests-row.ts";
import { formToken } from "./strangers.ts";

const SIGN_IN = "/account/sign-in/";
const CONNECTIONS = 40;
/** Sign-ins of all people in total; each person signs in every ten seconds. */
const SIGN_INS_PER_SECOND = 2;
const TIMEOUT_MS = 10_000;

/** Forms, each from its own address behind a trusted proxy. */
async function formFrom(
  stage: Stage,
  path: string,
  count: number,
  of: (at: number) => { address: string; fields: Record<string, string> },
): Promise<SentRequest[]> {
  const { cookie, csrf } = await formToken(stage);
  return Array.from({ length: count }, (_, at) => {
    const { address, fields } = of(at);
    const body = new URLSearchParams({ csrf, ...fields }).toString();
    return sendForm(path, body, { cookie, "x-forwarded-for": address });
  });
}

/** People who know their password, each at an address from which they have signed in before. */
async function peopleSigningIn(stage: Stage): Promise<Omit<VictimSpec, "address" | "timeoutMs">> {
  const { people } = stage.data;
  const requests = await formFrom(stage, SIGN_IN, people.length, (at) => ({
    address: `10.1.0.${at + 1}`,
    fields: { action: "sign-in", email: people[at] ?? "", password: PASSWORD, next: "" },
  }));
  for (const request of requests) {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { status } = await send(stage.serving.address, request, signal);
    if (status !== 303) throw new Error(`signing in was answered ${status}`);
  }
  return { requests, perSecond: SIGN_INS_PER_SECOND, status: 303 };
}

const behindProxy = {
  connections: CONNECTIONS,
  environment: { KANALOG_TRUST_PROXY: "true" },
};

const choosing = (stage: Stage): Promise<SentRequest[]> =>
  formFrom(stage, "/account/choose-password/", CONNECTIONS, (at) => ({
    address: `10.2.0.${at + 1}`,
    fields: { action: "choose", token: "none", password: "a long enough password" },
  }));

/** Each guesser has its own address, and tries each of the accounts. */
const guessing = (stage: Stage): Promise<SentRequest[]> => {
  const { people } = stage.data;
  return formFrom(stage, SIGN_IN, CONNECTIONS * people.length, (at) => ({
    address: `10.3.0.${(at % CONNECTIONS) + 1}`,
    fields: {
      ...{ action: "sign-in", password: `a wrong password ${at}`, next: "" },
      email: people[Math.floor(at / CONNECTIONS)] ?? "",
    },
  }));
};

export const passwordRows: Row[] = [
  requestsRow({
    ...{ name: "choose-password", ...behindProxy, requests: choosing },
    does: "sends the form for choosing a password over 40 connections, as a stranger",
  }),
  requestsRow({
    ...{ name: "choose-sign-in", ...behindProxy, requests: choosing },
    does: "sends the form for choosing a password over 40 connections, as a stranger, while people sign in",
    victim: peopleSigningIn,
  }),
  requestsRow({
    ...{ name: "guess-sign-in", ...behindProxy, requests: guessing },
    does: "guesses people's passwords over 40 connections, while those people sign in",
    victim: peopleSigningIn,
  }),
];
