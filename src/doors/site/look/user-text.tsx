/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";

/** Text of many lines that others wrote. */
export function UserBlock({ text }: { text: string }): JSX.Element {
  return (
    <div class="text" dir="auto">
      {text}
    </div>
  );
}

/** The address of a link that others gave, where it leads to the web; else null. */
export function webAddress(given: string | null): string | null {
  if (given === null || !URL.canParse(given)) return null;
  const { protocol, href } = new URL(given);
  return protocol === "https:" || protocol === "http:" ? href : null;
}

/** A link that others gave; one that leads elsewhere than to the web is only shown. */
export function UserLink({
  address,
  children,
}: {
  address: string;
  children?: Child;
}): JSX.Element {
  const href = webAddress(address);
  if (href === null) return <bdi>{address}</bdi>;
  return (
    <a href={href} rel="noopener noreferrer nofollow">
      {children ?? <bdi>{address}</bdi>}
    </a>
  );
}
