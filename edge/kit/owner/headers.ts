/** Headers of the owner's pages. Their policy knows the one style sheet by its hash, and a script only where one is named. */
import { formPageHeaders, pageHeaders, policyFor } from "../layout.ts"
import { OWNER_STYLE } from "./style.ts"

/** `hash`: a source of scripts, as a policy writes it. */
export const scriptedPolicy = (hash: string): string => policyFor("'self'", `script-src ${hash}; `, OWNER_STYLE)

/**
 * A letter's token can stand in the address of such a page. Links from there name the origin alone, and forms need the
 * origin.
 */
export const ownerPageHeaders: Readonly<Record<string, string>> = {
  ...formPageHeaders,
  "content-security-policy": policyFor("'self'", "", OWNER_STYLE),
  "referrer-policy": "strict-origin",
  "cache-control": "no-store",
  "x-robots-tag": "noindex"
}

/** Headers of a page whose address is a secret. No cache keeps it, no search engine lists it, no link names it. */
export const linkPageHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders,
  "content-security-policy": policyFor("'none'", "", OWNER_STYLE),
  "cache-control": "no-store",
  "x-robots-tag": "noindex"
}
