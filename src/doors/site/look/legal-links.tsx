/** @jsxImportSource hono/jsx */
import type { Config } from "../../../config.ts";

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
