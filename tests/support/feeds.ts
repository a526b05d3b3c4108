/** Checks feeds against their standards, JSON Feed 1.1 and RFC 4287, independently of how the service makes them. */
import type { Visit } from "./browser.ts"

interface AtomEntry {
  readonly id: string
  readonly title: string
  readonly updated: string
  readonly link: string
  readonly author: string
  readonly uri: string | null
  readonly categories: ReadonlyArray<string>
  readonly content: string
  readonly type: string | null
}

export interface AtomFeed {
  /** The parser's error; `null` if the feed is well-formed. */
  readonly fault: string | null
  readonly root: string
  readonly namespace: string | null
  readonly id: string
  readonly title: string
  readonly updated: string
  readonly links: ReadonlyArray<readonly [rel: string | null, type: string | null, href: string | null]>
  readonly entries: ReadonlyArray<AtomEntry>
}

interface Node {
  readonly localName: string
  readonly namespaceURI: string | null
  readonly textContent: string
  readonly children: ReadonlyArray<Node>
  readonly getAttribute: (name: string) => string | null
}
declare const DOMParser: new () => {
  parseFromString: (
    text: string,
    type: string
  ) => { readonly documentElement: Node; readonly querySelector: (selector: string) => Node | null }
}

/** Runs in the browser and uses its XML parser. Only direct children count. */
const parsed = (texts: ReadonlyArray<string>): ReadonlyArray<AtomFeed> =>
  texts.map((text) => {
    const document = new DOMParser().parseFromString(text, "application/xml")
    const root = document.documentElement
    const all = (of: Node, name: string) => [...of.children].filter(({ localName }) => localName === name)
    const first = (of: Node, name: string) => all(of, name)[0]?.textContent ?? ""
    return {
      fault: document.querySelector("parsererror")?.textContent ?? null,
      root: root.localName,
      namespace: root.namespaceURI,
      id: first(root, "id"),
      title: first(root, "title"),
      updated: first(root, "updated"),
      links: all(root, "link").map(
        (link) => [link.getAttribute("rel"), link.getAttribute("type"), link.getAttribute("href")] as const
      ),
      entries: all(root, "entry").map((entry) => ({
        id: first(entry, "id"),
        title: first(entry, "title"),
        updated: first(entry, "updated"),
        link: all(entry, "link")[0]?.getAttribute("href") ?? "",
        author: all(entry, "author").map((author) => first(author, "name"))[0] ?? "",
        uri: all(entry, "author").flatMap((author) => all(author, "uri").map((uri) => uri.textContent))[0] ?? null,
        categories: all(entry, "category").map((category) => category.getAttribute("term") ?? ""),
        content: first(entry, "content"),
        type: all(entry, "content")[0]?.getAttribute("type") ?? null
      }))
    }
  })

export const readAtom = ({ page }: Visit, texts: ReadonlyArray<string>): Promise<ReadonlyArray<AtomFeed>> =>
  page.evaluate(parsed, texts)

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const isAddress = (text: unknown): boolean => typeof text === "string" && /^https?:/.test(text) && URL.canParse(text)
const isTime = (text: unknown): boolean =>
  typeof text === "string" && RFC_3339.test(text) && !Number.isNaN(Date.parse(text))

/** Faults according to RFC 4287, 4.1.1 and 4.1.2: the elements that a feed and its entries must have. */
export const atomFaults = (feed: AtomFeed): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const must = (holds: boolean, what: string): void => void (holds || faults.push(what))
  must(feed.fault === null, `well-formed: ${feed.fault}`)
  must(feed.root === "feed" && feed.namespace === "http://www.w3.org/2005/Atom", "an Atom document")
  must(isAddress(feed.id), "feed id is an IRI")
  must(feed.title !== "", "feed title")
  must(isTime(feed.updated), "feed updated")
  must(feed.links.filter(([rel]) => rel === "self").length === 1, "one link to itself")
  const alternates = feed.links.filter(([rel]) => rel === "alternate").map(([, type]) => type)
  must(new Set(alternates).size === alternates.length, "no two alternates of one type")
  must(
    feed.links.every(([, , href]) => isAddress(href)),
    "links are addresses"
  )
  const ids = feed.entries.map(({ id }) => id)
  must(new Set(ids).size === ids.length, "ids are unique")
  for (const entry of feed.entries) {
    must(isAddress(entry.id) && isAddress(entry.link), `${entry.id}: id and alternate`)
    must(isTime(entry.updated), `${entry.id}: updated`)
    must(entry.author.trim() !== "", `${entry.id}: author`)
    must(entry.uri === null || isAddress(entry.uri), `${entry.id}: uri`)
    must(entry.type === "html", `${entry.id}: content type`)
    must(
      entry.categories.every((term) => term !== ""),
      `${entry.id}: terms`
    )
  }
  return faults
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const texts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === "string")

/** Faults according to JSON Feed 1.1: missing members, and members of a wrong type. */
export const jsonFeedFaults = (feed: unknown): ReadonlyArray<string> => {
  if (!isRecord(feed)) return ["an object"]
  const faults: Array<string> = []
  const must = (holds: boolean, what: string): void => void (holds || faults.push(what))
  must(feed["version"] === "https://jsonfeed.org/version/1.1", "version")
  must(typeof feed["title"] === "string" && feed["title"] !== "", "title")
  for (const name of ["home_page_url", "feed_url"]) must(isAddress(feed[name]), name)
  const items: ReadonlyArray<unknown> = Array.isArray(feed["items"]) ? feed["items"] : []
  must(Array.isArray(feed["items"]), "items")
  const ids = new Set<unknown>()
  for (const item of items) {
    if (!isRecord(item)) return [...faults, "an item is an object"]
    must(typeof item["id"] === "string" && item["id"] !== "" && !ids.has(item["id"]), "id")
    ids.add(item["id"])
    must(isAddress(item["url"]), "url")
    must(typeof item["content_text"] === "string" || typeof item["content_html"] === "string", "content")
    for (const name of ["date_published", "date_modified"]) must(isTime(item[name]), name)
    must(texts(item["tags"]), "tags")
    const authors: ReadonlyArray<unknown> = Array.isArray(item["authors"]) ? item["authors"] : []
    must(authors.length > 0 && authors.every((one) => isRecord(one) && typeof one["name"] === "string"), "authors")
    must(!("author" in item), "no author, which version 1.1 has given up")
    must(
      Object.keys(item).every((name) => KNOWN.has(name) || /^_[^.]+$/.test(name)),
      "extensions begin with _"
    )
  }
  return faults
}

const KNOWN = new Set("id url title content_text content_html date_published date_modified authors tags".split(" "))
