import { afterEach, expect, test } from "bun:test";
import type { Environment } from "../../../src/config.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { mcpRequests } from "../../support/mcp-requests.ts";

let appliance: Appliance;
afterEach(() => appliance.close());

async function start(environment: Environment = {}) {
  appliance = await startAppliance(environment);
  await imported(appliance, "channels", [channel(1)]);
  return appliance.customer();
}

/** Without the document that answers are validated against. */
const lines = () =>
  appliance.ports.log.notices
    .filter(({ message }) => message.startsWith("a request"))
    .map(({ level, message, fields }) => ({ level, message, ...fields }) as Record<string, unknown>)
    .filter(({ operation }) => operation !== "/docs/json");

test("at level debug each request is logged with its id, operation, status, duration and key's number", async () => {
  const { key, organizationId, keyId } = await start({ KANALOG_LOG_LEVEL: "debug" });
  const headers = { "x-request-id": "r-1" };
  await appliance.request("/v1/msgr/channels/1/?q=secret-text", { key, headers });
  await appliance.request("/v1/me/", { key: `${key.slice(0, -1)}?`, headers });
  await mcpRequests(appliance, key).call("msgr_channels_retrieve", { channel: "9" });
  await appliance.request("/account/sign-in/?next=secret-text", { headers });
  await appliance.request("/nothing/secret-text", { headers });
  const whose = { organizationId, keyId };
  const common = { level: "debug", message: "a request", requestId: "r-1", durationMs: 0 };
  const card = { operation: "msgr_channels_retrieve" };
  expect(lines()).toEqual([
    { ...common, door: "rest", ...card, status: 200, ...whose },
    { ...common, door: "rest", operation: "me_retrieve", status: 401 },
    {
      ...{ ...common, requestId: expect.any(String), door: "mcp" },
      ...{ ...card, status: 404, ...whose },
    },
    { ...common, door: "site", operation: "/account/sign-in/", status: 200 },
    { ...common, door: "public", operation: "other", status: 404 },
  ]);
  expect(JSON.stringify(lines())).not.toMatch(/knl_|secret-text/);
});

test("at level info only server errors and requests of a second or more are logged", async () => {
  const { key, organizationId, keyId } = await start();
  for (const path of ["/v1/msgr/channels/1/", "/v1/msgr/channels/9/", "/nothing"]) {
    await appliance.request(path, { key });
  }
  expect(lines()).toEqual([]);
  const { clock } = appliance.ports;
  const { services } = appliance.app;
  const { daily } = services.statistics;
  services.statistics.daily = (selection) => {
    clock.advance(1_000);
    return daily(selection);
  };
  await appliance.request("/v1/msgr/stats/daily/?channels=1", { key });
  expect(lines()).toMatchObject([
    {
      level: "info",
      message: "a request was slow",
      ...{ operation: "msgr_stats_daily_list", status: 200, durationMs: 1000, organizationId },
    },
  ]);
  services.statistics.daily = () => Promise.reject(new Error("broken"));
  const headers = { "x-request-id": "r-2" };
  const answer = await appliance.request("/v1/msgr/stats/daily/?channels=1", { key, headers });
  expect(answer.headers.get("x-request-id")).toBe("r-2");
  expect(lines().at(-1)).toMatchObject({
    level: "info",
    message: "a request failed",
    ...{ requestId: "r-2", status: 500, organizationId, keyId },
  });
  // The cause is logged under the same id.
  expect(appliance.ports.log.errors).toMatchObject([{ fields: { requestId: "r-2" } }]);
});
