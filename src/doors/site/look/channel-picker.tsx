/** @jsxImportSource hono/jsx */

import { useVisit } from "../visit/use-visit.ts";
import { asset } from "../visit/view.ts";

/**
 * A field that finds channels as one types. The script lists suggestions below it; without the script, a
 * number, `@handle` or link is typed.
 */
export function ChannelPicker({
  label,
  adds,
}: {
  label: string;
  /**
   * Id of the field to which the chosen channel's number is added; without it, this field takes the number,
   * and choosing a channel submits the form.
   */
  adds?: string;
}) {
  const words = useVisit().words.comparePages;
  const isOwn = adds === undefined;
  return (
    <div
      class="picker"
      data-picker={asset("/account/channels/?as=choices&q=")}
      data-adds={adds}
      data-sends={isOwn ? "yes" : undefined}
      data-none={words.noChoice}
      hidden={!isOwn}
    >
      <p class="field">
        <label for="picker">{label}</label>
        <input
          id="picker"
          type="search"
          name={isOwn ? "channels" : undefined}
          autocomplete="off"
          aria-describedby="picker-hint"
        />
        <small id="picker-hint">{words.pickerHint}</small>
      </p>
      <ul class="offered" aria-live="polite" />
    </div>
  );
}
