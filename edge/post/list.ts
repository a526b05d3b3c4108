/** Posts in lists: their rows, sorts and filters. */
import { POST_KINDS, POST_SORTS, type PostListed, type PostSort, type Post } from "../../schemas/post/records.ts"
import { type MarkedTexts, row, rows } from "../kit/article.ts"
import { choicesOf, chosen, emptyList, pager, sided } from "../kit/choices.ts"
import { html, type Html } from "../kit/html.ts"
import type { Site } from "../kit/layout.ts"
import { PER_PAGE } from "../kit/listed.ts"
import { postAddress } from "../../schemas/content/address.ts"
import { withQuery } from "../kit/paths.ts"
import { byline, dotted, scored } from "../kit/record.ts"
import { day } from "../kit/times.ts"

type PostKind = Post["kind"]

export const KIND_NAMES: Readonly<Record<PostKind, string>> = {
  article: "Article",
  note: "Note",
  dataset: "Dataset",
  code: "Code",
  tool: "Tool"
}

const SORT_NAMES: Readonly<Record<PostSort, string>> = {
  newest: "Newest",
  oldest: "Oldest",
  top: "Top",
  hot: "Hot",
  updated: "Updated"
}

const SORTS = choicesOf(SORT_NAMES, POST_SORTS)
const KINDS = choicesOf(KIND_NAMES, POST_KINDS, "All kinds")

export const postRow = (site: Site, post: PostListed, marked: MarkedTexts = {}): Html => {
  const { author, kind, file, data, score, created_at } = post
  const said = dotted(
    byline(author),
    KIND_NAMES[kind],
    file === null ? "" : "with a file",
    data === null ? "" : "with data",
    scored(score),
    day(created_at)
  )
  return row({ address: postAddress(site.baseUrl, post), list: `${site.baseUrl}/posts`, said }, post, marked)
}

export const postRows = (site: Site, posts: ReadonlyArray<PostListed>): Html =>
  rows(posts.map((post) => postRow(site, post)))

/** The query as in the address. `null` means the default. */
type Sifted = {
  readonly sort: PostSort | null
  readonly kind: PostKind | null
}

/** `address` is the address of the list. Links to other sorts, kinds and pages keep the rest of `query`. */
export const postList = (
  site: Site,
  { page, total, items }: { page: number; total: number; items: ReadonlyArray<PostListed> },
  query: Sifted & Readonly<Record<string, string | null>>,
  address: string
): Html => {
  const to = (change: Readonly<Record<string, string | number | null>>) => withQuery(address, { ...query, ...change })
  const sortedBy = (sort: PostSort | null) => to({ sort: sort === "newest" ? null : sort })
  return sided(
    html`${chosen("Order", SORTS, query.sort ?? "newest", sortedBy)}${chosen("Kind", KINDS, query.kind, (kind) =>
      to({ kind })
    )}`,
    html`${
      items.length === 0 ? emptyList(page, "There are no such posts yet.") : postRows(site, items)
    }${pager(page, Math.ceil(total / PER_PAGE), (number) => to({ page: number }))}`
  )
}
