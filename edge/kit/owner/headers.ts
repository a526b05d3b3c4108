/**
 * Headers of the owner's pages. Their policy names the hash of the one style sheet, and of a script only if a page has
 * one.
 */
import { formPageHeaders, pageHeaders, policyFor } from "../layout.ts"
import { OWNER_STYLE } from "./style.ts"

/** `hash` is a script source of a content security policy. */
export const scriptedPolicy = (hash: string): string => policyFor("'self'", `script-src ${hash}; `, OWNER_STYLE)

/**
 * The headers of the owner's pages. Their addresses may contain a token from a letter, so links send only the origin as
 * referrer. Forms need the origin.
 */
export const ownerPageHeaders: Readonly<Record<string, string>> = {
  ...formPageHeaders,
  "content-security-policy": policyFor("'self'", "", OWNER_STYLE),
  "referrer-policy": "strict-origin",
  "cache-control": "no-store",
  "x-robots-tag": "noindex"
}

/**
 * Headers of a page whose address is a secret. It is not cached, not listed by search engines, and its address is not
 * sent to other pages.
 */
export const linkPageHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders,
  "content-security-policy": policyFor("'none'", "", OWNER_STYLE),
  "cache-control": "no-store",
  "x-robots-tag": "noindex"
}
