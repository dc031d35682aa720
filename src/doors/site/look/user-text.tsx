/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { Config } from "../../../config.ts";
import { asset, useVisit } from "../visit/visit.ts";

/** Multi-line text written by others. */
export function UserBlock({ text }: { text: string }) {
  return (
    <div class="text" dir="auto">
      {text}
    </div>
  );
}

/** A link to one of our pages, with a name that somebody chose. */
export function NamedLink({ to, children }: { to: string; children?: Child }) {
  return (
    <a href={asset(to)}>
      <bdi>{children}</bdi>
    </a>
  );
}

/** Address of a link given by others, if it leads to the web; otherwise null. */
export function webAddress(given: string | null): string | null {
  if (given === null || !URL.canParse(given)) return null;
  const { protocol, href } = new URL(given);
  return protocol === "https:" || protocol === "http:" ? href : null;
}

/** A link given by others; one that does not lead to the web is shown as text. */
export function UserLink({ address, children }: { address: string; children?: Child }) {
  const href = webAddress(address);
  if (href === null) return <bdi>{address}</bdi>;
  return (
    <a href={href} rel="noopener noreferrer nofollow">
      {children ?? <bdi>{address}</bdi>}
    </a>
  );
}

export type Fact = readonly [name: string, value: Child];

/** Facts about one thing; names whose value is null, false or empty are left out. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  const known = facts.filter(([, value]) => value !== null && value !== false && value !== "");
  return (
    <dl>
      {known.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}

/** Leads staff from a page without channels to the imports. */
export function ImportLink() {
  return <a href={asset("/staff/imports/")}>{useVisit().words.firstSteps.import.link}</a>;
}

/** Shows what was just done, from the name of it in the page's address: the page's own, or the audit log's. */
export function Done({ words = {} }: { words?: Readonly<Record<string, string>> }) {
  const visit = useVisit();
  const name = visit.query.get("done") ?? "";
  const texts: Record<string, string> = { ...sentencesOf(visit.words.auditLog.actions), ...words };
  // A POST shows a form that failed, but `done` may still be in its address.
  if (visit.request.method !== "GET" || !Object.hasOwn(texts, name)) return null;
  return <p role="status">{texts[name]}</p>;
}

/** Texts of the audit log, which begin in lower case, as sentences. */
function sentencesOf(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
    ]),
  );
}

/** Numbered steps; text of another program, in English, is between “ and ”. */
export function Steps({ steps }: { steps: readonly string[] }) {
  return (
    <ol>
      {steps.map((step) => (
        <li>
          {step.split(/“([^”]*)”/).map((part, at) =>
            at % 2 === 0 ? (
              part
            ) : (
              <q lang="en">
                <bdi>{part}</bdi>
              </q>
            ),
          )}
        </li>
      ))}
    </ol>
  );
}

/** Where people reach the operator, and the operator's legal pages. */
export type Imprint = Pick<Config, "contact" | "legal">;

/** @param label of the contact */
export function LegalLinks({ contact, legal, label }: Imprint & { label: string }) {
  return (
    <>
      {contact !== null && (
        <a href={contact.includes("://") ? contact : `mailto:${contact}`}>
          {contact.includes("://") ? label : contact}
        </a>
      )}
      {legal.map(({ name, address }) => (
        <a href={address}>
          <bdi>{name}</bdi>
        </a>
      ))}
    </>
  );
}
