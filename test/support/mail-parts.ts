/** A message as a mail program reads it, according to RFC 2045 to 2047, as far as ours use them. */
export interface MailParts {
  /** Header fields by name in lower case, with encoded words decoded. */
  head: Record<string, string>;
  contentType: string;
  /** Texts in order, with their types, such as `text/plain`. */
  parts: { type: string; charset: string; text: string }[];
}

export function mailParts(raw: string): MailParts {
  const { head, body } = split(raw);
  const contentType = head["content-type"] ?? "";
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1];
  if (boundary === undefined) return { head, contentType, parts: [partOf(head, body)] };
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((piece) => split(piece.replace(/^\r\n/, "").replace(/\r\n$/, "")))
    .map((piece) => partOf(piece.head, piece.body));
  return { head, contentType, parts };
}

function split(raw: string): { head: Record<string, string>; body: string } {
  const end = raw.indexOf("\r\n\r\n");
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const head = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), decodedWords(line.slice(colon + 1).trim())];
    }),
  );
  return { head, body: raw.slice(end + 4) };
}

function partOf(head: Record<string, string>, body: string): MailParts["parts"][number] {
  const [, type = "", charset = ""] =
    /^([^;]+)(?:;\s*charset="?([^";]+)"?)?/.exec(head["content-type"] ?? "") ?? [];
  const encoding = head["content-transfer-encoding"] ?? "7bit";
  const bytes =
    encoding === "base64"
      ? Buffer.from(body, "base64")
      : encoding === "quoted-printable"
        ? quotedPrintable(body.replace(/=\r\n/g, ""))
        : Buffer.from(body);
  return { type, charset, text: bytes.toString("utf8").replaceAll("\r\n", "\n") };
}

function quotedPrintable(text: string): Buffer {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1");
}

function decodedWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      (kind.toLowerCase() === "b"
        ? Buffer.from(word, "base64")
        : quotedPrintable(word.replaceAll("_", " "))
      ).toString("utf8"),
    );
}
