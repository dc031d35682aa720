import { guidePage } from "./guide-page.ts";
import type { PublicRoutes } from "./public-routes.ts";
import python from "./receivers/python.txt" with { type: "text" };
import typescript from "./receivers/typescript.txt" with { type: "text" };

const BODY = `<p>New posts of the channels that a webhook watches come to your server as HTTPS POST requests, one
to two minutes after they were read: at most 100 posts in one event, only posts of the last two
days, no edits, no deletions. An event ends at a million characters of posts too; with Cyrillic text
a body can be some megabytes, so let your proxy take 8 MB.</p>
<pre>POST /your/path HTTP/1.1
Content-Type: application/json; charset=utf-8
X-Service-Event: post.created
X-Service-Delivery: 4711
X-Service-Signature: t=1795165261,v1=9a104a96…

{"event":"post.created","webhook":1,"created_at":"2026-11-20T14:01:01+03:00","posts":[
  {"id":5,"channel":1,"text":"…","views":0,"is_ad":false,
   "published_at":"2026-11-20T14:00:00+03:00","link":null}]}</pre>
<h2>What to answer</h2>
<p>Any status from 200 to 299 within 10 seconds; only the status counts. Take the posts in first,
then answer, and do long work later. Redirects are not followed. After a failure the same delivery
comes again after 1, 5 and 15 minutes, 1, 3, 6 and 12 hours, unless the operator chose other
waits. If no delivery succeeds for a day, the webhook is disabled and owners and administrators get
an e-mail.</p>
<h2>How to check a delivery</h2>
<ol>
<li>Take the <b>raw bytes</b> of the body, before anything parses them.</li>
<li>Split <code>X-Service-Signature</code> at its commas: <code>t</code> is a time in seconds since
1970, each <code>v1</code> a signature. A missing or malformed header means: refuse.</li>
<li>Refuse where <code>t</code> differs from your clock by more than 300 seconds.</li>
<li>Compute the hex HMAC-SHA256 of <code>t</code>, a dot and the raw body, keyed with the whole secret,
<code>whsec_</code> included. Compare <b>in constant time</b>; one equal <code>v1</code> is enough.
While a rotation with <code>overlap_hours</code> lasts there are two.</li>
<li>Only then parse the JSON.</li>
<li>The same event may arrive twice: tell posts apart by their <code>id</code>. Events may overtake
each other.</li>
</ol>
<h2>A receiver in TypeScript</h2>
<p>For Bun, or Node.js 22.18 and newer, behind your HTTPS proxy; <code>WEBHOOK_SECRET</code> in the
environment.</p>
<pre><code>${Bun.escapeHTML(typescript)}</code></pre>
<h2>A receiver in Python</h2>
<p>With the standard library only, behind your HTTPS proxy; <code>WEBHOOK_SECRET</code> in the
environment.</p>
<pre><code>${Bun.escapeHTML(python)}</code></pre>
<h2>When it does not work</h2>
<p><code>POST /v1/msgr/webhooks/{id}/test/</code> sends a <code>ping</code> and says what came of it.
<code>GET /v1/msgr/webhooks/{id}/deliveries/</code> lists what was sent in the last 30 days with every
attempt, and <code>POST …/deliveries/{delivery}/resend/</code> sends one again.</p>
`;

/** `/docs/webhooks/`: how a receiver checks what it gets (specification, section 6). */
export const webhooksPageRoutes: PublicRoutes = {
  "/docs/webhooks/": () => guidePage("Receiving webhooks", BODY),
};
