import { expect, test } from "bun:test";
import { createHmac, hkdfSync } from "node:crypto";
import { CLUSTER_SECRET } from "../../support/cluster.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { newClusterEachTest, one, other } from "../../support/two-nodes.ts";

/** Length of a signature in characters; the expiry follows. */
const SIGNATURE_LENGTH = 43;

newClusterEachTest();
const onNodes = test.skipIf(!hasPostgres);

/** Token of the address at which a new appliance gets its first person. */
async function setUpToken(): Promise<string> {
  const path = (await one.app.setUpPath()) ?? "";
  return new URL(path, "http://localhost").searchParams.get("token") ?? "";
}

function signed(key: string, end: string): string {
  const until = Number.parseInt(end, 36);
  return createHmac("sha256", key).update(`kanalog set-up ${until}`).digest("base64url") + end;
}

const subkey = (purpose: string): string =>
  Buffer.from(hkdfSync("sha256", CLUSTER_SECRET, "", purpose, 32)).toString("base64url");

onNodes(
  "a node's set-up address opens at every node of its cluster, and an altered one at none",
  async () => {
    const token = await setUpToken();
    for (const { request } of [one, other]) {
      expect((await request(`/account/set-up/?token=${token}`)).status).toBe(200);
      expect((await request(`/account/set-up/?token=${token.slice(1)}`)).status).toBe(404);
    }
  },
);

onNodes(
  "the set-up address is signed with a key of its own, derived from the cluster's secret",
  async () => {
    const token = await setUpToken();
    const end = token.slice(SIGNATURE_LENGTH);
    // Nodes of other versions derive the same token, so neither its words nor its algorithm may change.
    expect(token).toBe(signed(subkey("kanalog set-up"), end));
    for (const key of [
      CLUSTER_SECRET,
      ...["kanalog site forms", "kanalog site sessions"].map(subkey),
    ]) {
      const { status } = await other.request(`/account/set-up/?token=${signed(key, end)}`);
      expect(status).toBe(404);
    }
  },
);
