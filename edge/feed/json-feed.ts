/** Feeds as JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/). */
import { UNTRUSTED } from "../../schemas/content/untrusted.ts"
import { JSON_FEED_TYPE, JSON_FEED_VERSION, type JsonFeed } from "../../schemas/feed/api.ts"
import type { FeedEntry } from "../../schemas/feed/records.ts"
import { type About, addressOf, type Form, pageOf, feedText } from "./feed.ts"
import { oneLine } from "../content/one-line.ts"

type Item = JsonFeed["items"][number]

const END = "]}"

const begin = ({ title, description, page, json }: About): string => {
  const empty: JsonFeed = {
    version: JSON_FEED_VERSION,
    title: oneLine(title),
    home_page_url: page,
    feed_url: json,
    description: oneLine(description),
    items: []
  }
  return JSON.stringify(empty).slice(0, -END.length)
}

const itemOf = (baseUrl: string, entry: FeedEntry, html: string): Item => {
  const address = addressOf(baseUrl, entry)
  const { type, id, author, category, cut } = entry
  const name = oneLine(author.name)
  return {
    id: address,
    url: pageOf(baseUrl, entry),
    title: oneLine(entry.title),
    content_text: feedText(entry),
    content_html: html,
    date_published: entry.created_at,
    date_modified: entry.updated_at,
    authors: [author.url === null ? { name } : { name, url: author.url }],
    tags: entry.tags,
    _hub: { type, id, author: author.hx_id, category: category?.slug ?? null, cut, untrusted: UNTRUSTED }
  }
}

export const JSON_FEED: Form = {
  contentType: JSON_FEED_TYPE,
  begin,
  entry: (baseUrl, entry, html) => JSON.stringify(itemOf(baseUrl, entry, html)),
  between: ",",
  end: END
}
