/** @jsxImportSource hono/jsx */
import type { AppError } from "../../../errors.ts";
import { STATUS_OF } from "../../../verbs/method.ts";
import { cutText, FAULT_BYTES_MAX } from "../forms/faults.ts";
import { told } from "../look/shown.tsx";
import { asset, type PageView, page, useVisit, type View } from "../visit/visit.ts";

/** Page for an address that does not exist, or not for this visitor. */
export function notFoundPage(): View {
  const { words } = useVisit();
  return page(
    words.notFound,
    <p>
      {words.notFoundText} <a href={asset("/account/")}>{words.overview}</a>
    </p>,
    { status: 404 },
  );
}

/**
 * Page for an error that belongs to no form; for an unexpected one it shows the id to find it by in the
 * log.
 */
export function messagePage(error: AppError): PageView {
  const { words, requestId } = useVisit();
  const isUnexpected = error.code === "internal";
  const text = isUnexpected ? words.failedText : told(error.publicMessage);
  return page(
    words.failed,
    <>
      <p role="alert">{cutText(text, FAULT_BYTES_MAX)}</p>
      {isUnexpected && (
        <p>
          {words.failedRequest} <code>{requestId}</code>
        </p>
      )}
      <p>
        <a href={asset("/account/")}>{words.overview}</a>
      </p>
    </>,
    statusOf(error),
  );
}

/** Status and headers of a page that reports the error. */
export function statusOf({ code, retryAfterS }: AppError): Pick<PageView, "status" | "headers"> {
  const status = STATUS_OF[code];
  return retryAfterS === undefined
    ? { status }
    : { status, headers: { "retry-after": String(retryAfterS) } };
}
