/** Feeds as Atom (RFC 4287). */
import { ATOM_TYPE } from "../../schemas/feed/pages.ts"
import { JSON_FEED_TYPE } from "../../schemas/feed/api.ts"
import type { FeedEntry } from "../../schemas/feed/records.ts"
import { type About, addressOf, type Form, mediaTypeOf, pageOf } from "./feed.ts"
import { oneLine } from "../content/one-line.ts"
import { xml } from "./xml.ts"

/** A feed needs a time of its last change, and an empty one never changed. */
const NEVER = "1970-01-01T00:00:00.000Z"

const begin = ({ title, description, page, json, atom }: About, updatedAt: string | null): string =>
  `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${xml(atom)}</id>
<title type="text">${xml(oneLine(title))}</title>
<subtitle type="text">${xml(oneLine(description))}</subtitle>
<updated>${xml(updatedAt ?? NEVER)}</updated>
<link rel="self" type="${mediaTypeOf(ATOM_TYPE)}" href="${xml(atom)}"/>
<link rel="alternate" type="text/html" href="${xml(page)}"/>
<link rel="alternate" type="${mediaTypeOf(JSON_FEED_TYPE)}" href="${xml(json)}"/>
`

const categories = (baseUrl: string, { tags, category }: FeedEntry): string =>
  [
    ...(category === null
      ? []
      : [
          `<category term="${xml(category.slug)}" scheme="${xml(baseUrl)}/categories" label="${xml(oneLine(category.name))}"/>\n`
        ]),
    ...tags.map((tag) => `<category term="${xml(oneLine(tag))}"/>\n`)
  ].join("")

const entry = (baseUrl: string, one: FeedEntry, html: string): string => {
  const address = xml(addressOf(baseUrl, one))
  const { author, created_at, updated_at } = one
  const uri = author.url === null ? "" : `<uri>${xml(author.url)}</uri>`
  return `<entry>
<id>${address}</id>
<title type="text">${xml(oneLine(one.title))}</title>
<published>${xml(created_at)}</published>
<updated>${xml(updated_at)}</updated>
<link rel="alternate" type="text/html" href="${xml(pageOf(baseUrl, one))}"/>
<author><name>${xml(oneLine(author.name))}</name>${uri}</author>
${categories(baseUrl, one)}<content type="html">${xml(html)}</content>
</entry>
`
}

export const ATOM: Form = { contentType: ATOM_TYPE, begin, entry, between: "", end: "</feed>\n" }
