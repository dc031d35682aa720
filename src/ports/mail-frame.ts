import type { Mail, Message } from "./mail.ts";

/** The operator's look, and where people reach the operator. */
export interface MailBrand {
  brand: string;
  accent: string;
  logo: { content: Uint8Array; type: string } | null;
  contact: string | null;
  legal: readonly { name: string; address: string }[];
}

/** Under which the frame refers to the logo that the mail carries. */
const LOGO = "logo";

/**
 * Mails with the operator's name, or logo if mail programs show its kind, above each message, and contact and legal
 * links below. Styles are within the elements, since mail programs leave others out.
 */
export function inFrame(mail: Mail, brand: MailBrand): Mail {
  const { logo } = brand;
  const pictures = logo?.type === "image/png" ? [{ cid: LOGO, ...logo }] : [];
  return {
    tryOut: () => mail.tryOut(),
    send: (message) => mail.send({ ...framed(message, brand, pictures.length > 0), pictures }),
  };
}

export function framed(message: Message, of: MailBrand, hasLogo: boolean): Message {
  const { brand, accent, contact, legal } = of;
  const html = Bun.escapeHTML;
  const reached = contact === null ? [] : [{ name: contact, address: reachedAt(contact) }];
  const links = [...reached, ...legal];
  const name = hasLogo
    ? `<img src="cid:${LOGO}" alt="${html(brand)}" height="32" style="display:block">`
    : html(brand);
  const foot = [html(brand), ...links.map((one) => linked(html(one.name), html(one.address)))];
  return {
    ...message,
    text: `${message.text}\n-- \n${[brand, ...links.map(({ name, address }) => (name === contact ? name : `${name}: ${address}`))].join("\n")}\n`,
    html: `<!doctype html>
<html><head><meta charset="utf-8"><meta name="color-scheme" content="light"></head>
<body style="margin:0;padding:24px 12px;background:#eef1f4;color:#14191f;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Arial,sans-serif">
<div style="max-width:560px;margin:0 auto;background:#ffffff;border:1px solid #d9e0e6;border-top:4px solid ${html(accent)};border-radius:12px">
<div style="padding:18px 24px 4px;font-size:18px;font-weight:bold">${name}</div>
<div style="padding:8px 24px 16px;overflow-wrap:anywhere">
${message.html}
</div>
<div style="padding:14px 24px;border-top:1px solid #d9e0e6;color:#55606b;font-size:13px">${foot.join(" · ")}</div>
</div>
</body></html>
`,
  };
}

const reachedAt = (contact: string): string =>
  contact.startsWith("https:") ? contact : `mailto:${contact}`;

const linked = (name: string, address: string): string =>
  `<a href="${address}" style="color:#55606b">${name}</a>`;
