/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";

/** Embeddings, overrides and isolates: they would turn the text that stands after them too. */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A text that others wrote, without what turns the direction of what stands beside it. */
export function withoutDirections(text: string): string {
  return text.replace(DIRECTION_CONTROLS, "");
}

/** A text that others wrote, in a line of ours. */
export function UserText({ text }: { text: string }): JSX.Element {
  return <bdi>{withoutDirections(text)}</bdi>;
}

/** Text of many lines that others wrote. */
export function UserBlock({ text }: { text: string }): JSX.Element {
  return (
    <div class="text" dir="auto">
      {withoutDirections(text)}
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
  if (href === null) return <UserText text={address} />;
  return (
    <a href={href} rel="noopener noreferrer nofollow">
      {children ?? <UserText text={address} />}
    </a>
  );
}
