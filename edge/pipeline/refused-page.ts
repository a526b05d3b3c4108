/** A refusal outside the interface: a page for browsers, the envelope for other clients. */
import type { Refusal } from "../../schemas/errors.ts"
import { isOwnerPath, OWNER_PATH } from "../../schemas/human/pages.ts"
import { HTML_TYPE } from "../../schemas/page.ts"
import type { Call } from "../http/call.ts"
import { plain, refused, type Response } from "../http/respond.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import { pageHeaders, pageText, publicPageText, type Site } from "../kit/layout.ts"
import { ownerPageHeaders } from "../kit/owner/headers.ts"
import { isMemberPath, memberPageText, waysOf } from "../kit/owner/frame.ts"
import { OWNER_STYLE } from "../kit/owner/style.ts"

const HEADINGS: Readonly<Record<number, string>> = {
  404: "Not found",
  405: "This cannot be done here",
  413: "Too large",
  414: "The address is too long",
  422: "The request was not understood",
  429: "Too many requests",
  431: "The request’s headers are too large",
  500: "Something went wrong",
  503: "Not available at the moment"
}

const MINUTE_SECONDS = 60

/** The time in words: in seconds up to two minutes, above that in minutes. */
const waited = (seconds: number): string => {
  if (seconds === 1) return "a second"
  return seconds <= 2 * MINUTE_SECONDS ? `${seconds} seconds` : `${Math.ceil(seconds / MINUTE_SECONDS)} minutes`
}

const advice = (call: Call, { details }: Refusal): Html => {
  const wait = call.headers["retry-after"]
  const reference = details?.["reference"]
  if (wait !== undefined) return html`<p>Try again in ${waited(Number(wait))}.</p>\n`
  return typeof reference === "string"
    ? html`<p>If you report it, tell this reference: <code>${reference}</code></p>\n`
    : NOTHING
}

export type RefusedPage = (call: Call, refusal: Refusal) => Response

export const refusedPage =
  (site: Site & { readonly mail?: object | null }): RefusedPage =>
  (call, refusal) => {
    const answer = refused(call, refusal)
    call.headers["vary"] = "Accept"
    if (!call.wantsHtml || call.wantsProblem) return answer
    const heading = HEADINGS[answer.status] ?? "This request was refused"
    const isOwner = isOwnerPath(call.path)
    Object.assign(call.headers, isOwner ? ownerPageHeaders : pageHeaders)
    const next = isOwner
      ? html`<p><a href="${site.baseUrl}${OWNER_PATH}">Your account</a></p>`
      : html`<p><a href="${site.baseUrl}/docs">The reference</a> tells what this service offers.</p>`
    const page = {
      title: `${heading} · ${site.name}`,
      description: refusal.message,
      unlisted: true,
      ...(isOwner ? { style: OWNER_STYLE } : {}),
      main: html`<h1>${heading}</h1>
<p>${refusal.message}</p>
${advice(call, refusal)}${next}`
    }
    // A refusal does not ask the account for a session, so the page has no logout.
    const ways = waysOf(site.mail !== undefined && site.mail !== null)
    const framing = { path: call.path, ways, at: (path: string) => site.baseUrl + path, logOut: NOTHING }
    const text = isMemberPath(call.path)
      ? memberPageText(site, page, framing)
      : (isOwner ? pageText : publicPageText)(site, page)
    return plain(text, HTML_TYPE, answer.status)
  }
