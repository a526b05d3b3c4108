/** Threads in lists: their rows, sorts and filters. */
import {
  THREAD_KINDS,
  THREAD_SORTS,
  THREAD_STATUSES,
  type ThreadKind,
  type ThreadListed,
  type ThreadSort,
  type ThreadStatus
} from "../../schemas/thread/records.ts"
import { type MarkedTexts, row, rows } from "../kit/article.ts"
import { choicesOf, chosen, emptyList, pager, sided } from "../kit/choices.ts"
import { html, type Html } from "../kit/html.ts"
import type { Site } from "../kit/layout.ts"
import { PER_PAGE } from "../kit/listed.ts"
import { threadAddress } from "../../schemas/content/address.ts"
import { categoryAddress, withQuery } from "../kit/paths.ts"
import { byline, counted, dotted, own, scored } from "../kit/record.ts"
import { day } from "../kit/times.ts"

export const KIND_NAMES: Readonly<Record<ThreadKind, string>> = {
  question: "Question",
  discussion: "Discussion",
  proposal: "Proposal",
  announcement: "Announcement"
}

const STATUS_NAMES: Readonly<Record<ThreadStatus, string>> = {
  open: "Open",
  solved: "Solved",
  closed: "Closed",
  locked: "Locked"
}

const SORT_NAMES: Readonly<Record<ThreadSort, string>> = {
  active: "Active",
  newest: "Newest",
  oldest: "Oldest",
  top: "Top",
  unanswered: "Unanswered"
}

const SORTS = choicesOf(SORT_NAMES, THREAD_SORTS)
const KINDS = choicesOf(KIND_NAMES, THREAD_KINDS, "All kinds")
const STATUSES = choicesOf(STATUS_NAMES, THREAD_STATUSES, "Any status")

/** The status; empty for open threads. */
export const statusOf = (status: ThreadStatus): Html | string =>
  status === "open" ? "" : html`<strong>${STATUS_NAMES[status]}</strong>`

export const threadRow = (site: Site, thread: ThreadListed, marked: MarkedTexts = {}): Html => {
  const { author, category, kind, status, reply_count, score, last_activity_at, pinned } = thread
  const said = dotted(
    pinned ? html`<strong>Pinned</strong>` : "",
    statusOf(status),
    byline(author),
    html`<a href="${categoryAddress(site, category.slug)}">${own(category.name)}</a>`,
    KIND_NAMES[kind],
    counted(reply_count, "reply", "replies"),
    scored(score),
    html`last active ${day(last_activity_at)}`
  )
  return row({ address: threadAddress(site.baseUrl, thread), list: `${site.baseUrl}/threads`, said }, thread, marked)
}

export const threadRows = (site: Site, threads: ReadonlyArray<ThreadListed>): Html =>
  rows(threads.map((thread) => threadRow(site, thread)))

/** The query as in the address. `null` means the default. */
export type Sifted = {
  readonly sort: ThreadSort | null
  readonly kind: ThreadKind | null
  readonly status: ThreadStatus | null
}

export const sifted = ({ sort = null, kind = null, status = null }: Partial<Sifted>): Sifted => ({ sort, kind, status })

/** `address` is the address of the list, with its other filters. Links keep the parts of `query` that apply to them. */
export const threadList = (
  site: Site,
  { page, total, items }: { page: number; total: number; items: ReadonlyArray<ThreadListed> },
  query: Sifted & Readonly<Record<string, string | null>>,
  address: string
): Html => {
  const to = (change: Readonly<Record<string, string | number | null>>) => withQuery(address, { ...query, ...change })
  const sortedBy = (sort: ThreadSort | null) => to({ sort: sort === "active" ? null : sort })
  return sided(
    html`${chosen("Order", SORTS, query.sort ?? "active", sortedBy)}${chosen("Kind", KINDS, query.kind, (kind) =>
      to({ kind })
    )}${chosen("Status", STATUSES, query.status, (status) => to({ status }))}`,
    html`${
      items.length === 0 ? emptyList(page, "There are no such threads yet.") : threadRows(site, items)
    }${pager(page, Math.ceil(total / PER_PAGE), (number) => to({ page: number }))}`
  )
}
