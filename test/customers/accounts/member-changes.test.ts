import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { MemberRole } from "../../../src/customers/accounts/accounts.table.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";

let appliance: Appliance;
let owner: number;
beforeEach(async () => {
  appliance = await startAppliance();
  owner = (await appliance.customer()).memberId;
});
afterEach(() => appliance.close());

const accounts = () => appliance.app.domains.accounts;

async function add(organizationId: number, role: MemberRole): Promise<number> {
  const email = `${role}@example.com`;
  const added = { organizationId, email, name: role, role };
  return (await accounts().addMember(added, COMMAND_LINE)).id;
}

describe("a change of a member by another one", () => {
  test("is refused in its transaction if the other one was suspended meanwhile", async () => {
    const { organizationId } = await accounts().member(owner);
    const [admin, member] = [
      await add(organizationId, "administrator"),
      await add(organizationId, "member"),
    ];
    const suspension = accounts().suspendMember(admin, COMMAND_LINE);
    const change = accounts().changeMemberAs(admin, member, { isSuspended: true });
    await suspension;
    expect(await change).toEqual({ ok: false, denial: "managers_only" });
    expect((await accounts().member(member)).suspendedAt).toBeNull();
  });

  test("does not reach members of another organization", async () => {
    const stranger = await appliance.customer();
    const member = await add(stranger.organizationId, "member");
    const change = accounts().changeMemberAs(owner, member, { role: "owner" });
    await expect(change).rejects.toMatchObject({ code: "not_found" });
    expect((await accounts().member(member)).role).toBe("member");
  });
});
