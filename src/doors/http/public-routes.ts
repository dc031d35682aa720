import { bytesFor, packedFiles } from "../../values/packed-bytes.ts";

/** Answers a GET that needs no key. `name` is the last part of the path. */
export type PublicRoute = (request: Request, name: string) => Response | Promise<Response>;

/** Pages, documents and checks that need no key, by path. */
export type PublicRoutes = Record<string, PublicRoute>;

/** Content security policy of a text page, which loads only styles and its icon. */
export const PROSE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'";

export function pageResponse(html: string, contentSecurityPolicy: string): Response {
  return new Response(html, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": contentSecurityPolicy,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}

/** A file loaded by pages, unchanged until the next release. */
export function asset(file: Blob, type: string): PublicRoute {
  const packed = packedFiles([file]);
  return async (request) => {
    const { bytes, headers } = await bytesFor(request, await packed());
    return new Response(bytes, {
      headers: { ...headers, "content-type": type, "cache-control": "public, max-age=3600" },
    });
  };
}
