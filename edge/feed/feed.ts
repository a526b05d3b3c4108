/** The content of a feed, before it is written as JSON or XML. */
import { postAddress, threadAddress } from "../../schemas/content/address.ts"
import type { FeedScope } from "../../schemas/feed/operations.ts"
import type { FeedEntry } from "../../schemas/feed/records.ts"

export interface About {
  readonly scope: FeedScope
  /** The title in one line. */
  readonly title: string
  readonly description: string
  /** The address of the page with the same content. */
  readonly page: string
  readonly json: string
  readonly atom: string
}

/** The address of an entry without words of the title. It never changes, so it is also the entry's id. */
export const addressOf = (baseUrl: string, { type, id }: FeedEntry): string => `${baseUrl}/${type}s/${id}`

export const pageOf = (baseUrl: string, entry: FeedEntry): string =>
  entry.type === "post" ? postAddress(baseUrl, entry) : threadAddress(baseUrl, entry)

/** A format of feeds. A feed is written entry by entry, so that no step takes long. */
export interface Form {
  readonly contentType: string
  readonly begin: (about: About, updatedAt: string | null) => string
  /** `html` is the entry's rendered text. */
  readonly entry: (baseUrl: string, entry: FeedEntry, html: string) => string
  readonly between: string
  readonly end: string
}

const CUT = "…"

export const feedText = ({ text, cut }: FeedEntry): string => (cut ? text + CUT : text)

export const mediaTypeOf = (contentType: string): string => contentType.split(";")[0] ?? contentType
