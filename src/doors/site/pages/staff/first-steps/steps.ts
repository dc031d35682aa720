import { useSite } from "../../../visit/use-visit.ts";

/** Steps of the first hour, in order. */
export const STEP_NAMES = ["sample", "import", "customer", "call", "webhook", "assistant"] as const;

export type StepName = (typeof STEP_NAMES)[number];

/** Each step, and whether it is done according to the database. */
export async function stepsDone(): Promise<Record<StepName, boolean>> {
  const { accounts, firstSteps, keys, sample, webhooks } = useSite();
  const organizations = await accounts.organizations();
  const [first] = organizations;
  const [lastUsed] =
    first === undefined
      ? []
      : await keys.lastUsed({ organizationId: first.id, memberId: null, limit: 1 });
  return {
    sample: sample.ids().length === 0 || firstSteps.isNoted("sample_kept"),
    import: sample.hasOwnChannels(),
    customer: organizations.length > 1,
    call: firstSteps.isNoted("first_call") || (lastUsed?.lastUsedAt ?? null) !== null,
    webhook: (await webhooks.webhooks(null)).length > 0,
    assistant: firstSteps.isNoted("assistant_seen"),
  };
}
