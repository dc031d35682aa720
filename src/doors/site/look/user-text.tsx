/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import { asset } from "../visit/site-path.ts";

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
