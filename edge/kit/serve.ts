/** A page as the answer to a call. */
import { HTML_TYPE } from "../../schemas/page.ts"
import type { Call } from "../http/call.ts"
import { empty, plain, type Response } from "../http/respond.ts"
import { linkHeader, variesByAccept } from "./alternates.ts"
import { type Page, pageHeaders, publicPageText, type Site } from "./layout.ts"

export const servedPage = (call: Call, site: Site, page: Page): Response => {
  const { alternates = [] } = page
  const link = linkHeader(alternates)
  Object.assign(call.headers, pageHeaders)
  if (link !== null) call.headers["link"] = link
  if (variesByAccept(alternates)) call.headers["vary"] = "Accept"
  return plain(publicPageText(site, page), HTML_TYPE)
}

/** Redirects to the canonical address, with the query as it came. */
export const movedTo = (call: Call, address: string): Response => {
  call.headers["location"] = call.search === "" ? address : `${address}?${call.search}`
  return empty(301)
}
