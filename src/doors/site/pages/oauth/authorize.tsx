/** @jsxImportSource hono/jsx */

import type { DocumentFault } from "../../../../customers/oauth/client-documents.ts";
import {
  hostOf,
  isDocumentId,
  isLoopbackUri,
} from "../../../../customers/oauth/client-metadata.ts";
import type {
  AuthorizationFault,
  AuthorizationRequest,
} from "../../../../customers/oauth/oauth.ts";
import { answerAddress, readAuthorizationRequest } from "../../../../customers/oauth/oauth.ts";
import { readFields, requiredChoice } from "../../forms/faults.ts";
import { requireTurn } from "../../guard/throttle.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { Form, SelectField } from "../../look/form.tsx";
import type { SitePage } from "../../site-pages.ts";
import { page, useSite, useVisit, type View } from "../../visit/visit.ts";
import { notFoundPage } from "../message.tsx";

type Fault = AuthorizationFault | "off" | "client" | DocumentFault;

/** A valid request with the issuer's address, or why it is invalid. */
type ParsedRequest = { issuer: string; request: AuthorizationRequest } | { fault: Fault };

/** `/account/authorize/`: where a person grants an assistant access, or refuses. */
export const authorizePage: SitePage = {
  path: "/account/authorize/",
  // Requires signing in first, so that strangers trigger nothing, such as fetching a metadata document.
  access: "person",
  async show() {
    const parsed = await parse();
    return "fault" in parsed ? faultView(parsed.fault) : consentView(parsed.request);
  },
  actions: { allow, refuse },
};

async function parse(): Promise<ParsedRequest> {
  const visit = useVisit();
  const context = useSite();
  const issuer = context.oauthAddress();
  if (issuer === null) return { fault: "off" };
  const clientId = visit.query.get("client_id") ?? "";
  if (isDocumentId(clientId)) {
    requireTurn([`document ${visit.signedIn?.person.email}`]);
  }
  const client = await context.oauth.client(clientId);
  if (typeof client === "string") return { fault: client };
  const request = readAuthorizationRequest(visit.query, client, issuer);
  return "fault" in request ? request : { issuer, request };
}

/** Shown here instead of at the client's address, because an invalid request must not redirect anybody. */
function faultView(fault: Fault): View {
  if (fault === "off") return notFoundPage();
  const words = useVisit().words.oauthPages;
  return page(
    words.title,
    <>
      <p role="alert">{words.faults[fault]}</p>
      <p>{words.nothingGiven}</p>
    </>,
    { status: 400 },
  );
}

function consentView({ client, redirectUri }: AuthorizationRequest): View {
  const visit = useVisit();
  const words = visit.words.oauthPages;
  const { memberships } = visit;
  if (memberships.length === 0) return page(words.title, <p>{visit.words.noOrganization}</p>);
  const host = hostOf(redirectUri);
  const back = isLoopbackUri(redirectUri) ? words.toThisMachine(host) : words.toHost(host);
  return page(
    words.title,
    <>
      <p class="wrapped">
        <strong>
          <bdi>{client.name}</bdi>
        </strong>{" "}
        {words.asks}
      </p>
      <ul class="wrapped">
        <li>
          {back} {isDocumentId(client.clientId) && words.describedAt(hostOf(client.clientId))}
        </li>
        <li>{words.mayRead}</li>
        <li>{words.ends}</li>
      </ul>
      <p>{words.trust}</p>
      <Form action="allow" submit={words.allow}>
        <OrganizationField />
      </Form>
      <div class="others">
        <ActionButton action="refuse" label={words.refuse} />
      </div>
      <p class="wrapped">
        <small>{words.signedInAs(visit.signedIn?.person.email ?? "")}</small>
      </p>
    </>,
  );
}

function OrganizationField() {
  const visit = useVisit();
  const options = visit.memberships.map(({ organization: { id, name } }) => ({
    value: String(id),
    label: name,
  }));
  return (
    <SelectField
      name="organization"
      label={visit.words.organization}
      value={String(visit.membership?.organization.id)}
      options={options}
    />
  );
}

async function allow(): Promise<View> {
  const parsed = await parse();
  if ("fault" in parsed) return faultView(parsed.fault);
  const { form, memberships } = useVisit();
  const ids = memberships.map(({ organization }) => String(organization.id));
  const { organization: chosen } = await readFields({
    organization: () => requiredChoice(ids, form.get("organization")),
  });
  const place = memberships.find(({ organization }) => String(organization.id) === chosen);
  if (place === undefined) throw new Error("the chosen organization is not one of the visitor's");
  requireTurn([`key ${place.organization.id}`]);
  const code = await useSite().oauth.grant(parsed.request, place.member.id);
  return leaveView(parsed.request, answerAddress(parsed.request, parsed.issuer, { code }));
}

async function refuse(): Promise<View> {
  const parsed = await parse();
  if ("fault" in parsed) return faultView(parsed.fault);
  const answer = { error: "access_denied" } as const;
  return leaveView(parsed.request, answerAddress(parsed.request, parsed.issuer, answer));
}

/**
 * Leads to the client through a page: browsers apply the policy for forms, which only allows the appliance,
 * to a redirect after a form and everything that follows.
 */
function leaveView({ redirectUri }: AuthorizationRequest, to: string): View {
  const words = useVisit().words.oauthPages;
  return page(
    words.title,
    <p role="status" class="wrapped">
      {words.leaving} <a href={to}>{hostOf(redirectUri)}</a>
    </p>,
    { headers: { refresh: `0; url=${to}` } },
  );
}
