/** @jsxImportSource hono/jsx */
import { mcpAddress } from "../../../../customers/keys/connect-snippets.ts";
import type { StepResult } from "../../../../customers/oauth/connection-test.ts";
import { CONNECTION_STEPS, testConnection } from "../../../../customers/oauth/connection-test.ts";
import type { AskResult } from "../../../../ports/network.ts";
import { requireTurn } from "../../guard/throttle.ts";
import { DataTable } from "../../look/data-table.tsx";
import { Form } from "../../look/form.tsx";
import { Snippet } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { ownMembership } from "../../visit/viewer.ts";
import { page, useSite, useVisit, type View } from "../../visit/visit.ts";

/** `/account/connect/test/`: whether hosted assistants can connect, and what to do if not. */
export const connectionTestPage: SitePage = {
  path: "/account/connect/test/",
  access: "member",
  show: () => testPage(null),
  actions: { run },
};

async function run(): Promise<View> {
  const { oauthAddress, ports } = useSite();
  const address = oauthAddress();
  if (address === null) return testPage(null);
  requireTurn([`connection-test ${ownMembership().organization.id}`]);
  const { origin } = new URL(address);
  return testPage(
    await testConnection(mcpAddress(address), async (ask): Promise<AskResult> => {
      // Only the configured address is asked, whatever its answers say.
      if (new URL(ask.url).origin !== origin) return { fault: "another host" };
      return ports.network.ask(ask);
    }),
  );
}

/** @param results null before a test */
function testPage(results: readonly StepResult[] | null): View {
  const words = useVisit().words.connectionTest;
  const address = useSite().oauthAddress();
  if (address === null) return page(words.title, <p>{words.off}</p>);
  return page(
    words.title,
    <>
      <p>{words.intro}</p>
      {results !== null && <Results results={results} address={mcpAddress(address)} />}
      <Form action="run" submit={words.run} />
    </>,
  );
}

function Results({ results, address }: { results: readonly StepResult[]; address: string }) {
  const words = useVisit().words.connectionTest;
  const failed = results.find(({ fault }) => fault !== null);
  const rows = CONNECTION_STEPS.map((step) => ({
    step,
    result: results.find((one) => one.step === step),
  }));
  return (
    <>
      {failed === undefined ? (
        <>
          <p role="status">{words.passed}</p>
          <Snippet text={address} label={words.title} />
        </>
      ) : (
        <p role="alert">
          {words.steps[failed.step]}: {words.advice[failed.step]}
        </p>
      )}
      <DataTable
        label={words.title}
        rows={rows}
        columns={[
          [words.step, ({ step }) => words.steps[step], "row"],
          [
            words.result,
            ({ result }) =>
              result === undefined ? (
                words.notTried
              ) : result.fault === null ? (
                words.ok
              ) : (
                <span class="wrapped">
                  {words.got} <code>{result.fault}</code>
                </span>
              ),
          ],
        ]}
      />
    </>
  );
}
