/** The page of a thread. Its title, texts and names come from strangers. */
import { API_PREFIX } from "../../schemas/api.ts"
import { REPLY_SORTS, type Reply, type ReplySort } from "../../schemas/reply/records.ts"
import type { Thread } from "../../schemas/thread/records.ts"
import { asFeeds, asJson, asMarkdown } from "../kit/alternates.ts"
import { described, textSection } from "../kit/article.ts"
import { choicesOf, chosen, emptyList, pager } from "../kit/choices.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import type { Page, Site } from "../kit/layout.ts"
import { threadAddress } from "../../schemas/content/address.ts"
import { categoryAddress, withQuery } from "../kit/paths.ts"
import { byline, counted, dotted, own, scored, tagged } from "../kit/record.ts"
import { type Branch, treeOf } from "./reply-tree.ts"
import { KIND_NAMES, statusOf } from "./list.ts"
import { minute } from "../kit/times.ts"

export const REPLIES_PER_PAGE = 50

/** `text` is rendered HTML. */
export interface ReplyView extends Omit<Reply, "body"> {
  readonly text: Html
}

export interface ThreadView {
  readonly thread: Thread
  readonly text: Html
  readonly page: number
  /** The number of replies on all pages, including deleted ones of which only the place is shown. */
  readonly total: number
  readonly sort: ReplySort
  readonly replies: ReadonlyArray<ReplyView>
}

const SORT_NAMES: Readonly<Record<ReplySort, string>> = { oldest: "Oldest", newest: "Newest", top: "Top" }
const SORTS = choicesOf(SORT_NAMES, REPLY_SORTS)

const edited = (at: string | null): Html | string => (at === null ? "" : html`edited ${minute(at)}`)

const ENDED: Readonly<Record<Thread["status"], string>> = {
  open: "",
  solved: "",
  closed: "This thread is closed: it takes no more replies.",
  locked: "This thread is locked: it takes neither replies nor votes."
}

/** A notice for a closed or locked thread, with the reason that was given. */
const ended = ({ status, status_reason: why }: Thread): Html =>
  ENDED[status] === ""
    ? NOTHING
    : html`<div class="notice" role="note" aria-label="Status"><p>${ENDED[status]}</p>
${why === undefined ? NOTHING : html`<p>Why: ${own(why)}</p>\n`}</div>\n`

/** The accepted reply may be on another page. Sorted by votes it comes first. */
const toAccepted = (address: string, { thread, replies }: ThreadView): Html | string => {
  const { accepted_reply_id: id } = thread
  if (id === null) return ""
  const page = replies.some((reply) => reply.id === id) ? "" : withQuery(address, { replies_sort: "top" })
  return html`<a href="${page}#reply-${id}">To the accepted answer</a>`
}

const heading = (site: Site, address: string, shown: ThreadView): Html => {
  const { title, author, category, kind, status, score, created_at, edited_at, tags } = shown.thread
  return html`<header class="who">
<h1>${own(title)}</h1>
${dotted(
  byline(author),
  html`<a href="${categoryAddress(site, category.slug)}">${own(category.name)}</a>`,
  KIND_NAMES[kind],
  statusOf(status),
  scored(score),
  minute(created_at),
  edited(edited_at),
  toAccepted(address, shown)
)}${tagged(`${site.baseUrl}/threads`, tags)}</header>
`
}

/** The number of the answered reply; empty if the reply answers none. */
const answers = ({ parent_id }: ReplyView, here: ReadonlySet<number>): Html | string => {
  if (parent_id === null) return ""
  return here.has(parent_id)
    ? html`answers <a href="#reply-${parent_id}">reply ${parent_id}</a>`
    : `answers reply ${parent_id}, on another page`
}

const gone = (reply: ReplyView): string | null => {
  if (reply.deleted) return "This reply was deleted."
  return reply.hidden === true ? "This reply was hidden by moderation." : null
}

const replyItem = ({ item, isPlaced, branches }: Branch<ReplyView>, here: ReadonlySet<number>): Html => {
  const { id, author, created_at, edited_at, score, accepted, text } = item
  const removed = gone(item)
  const at = html`<a href="#reply-${id}">${minute(created_at)}</a>`
  const answered = isPlaced ? "" : answers(item, here)
  const shown =
    removed === null
      ? html`${dotted(
          accepted ? html`<strong>Accepted answer</strong>` : "",
          byline(author),
          at,
          edited(edited_at),
          scored(score),
          answered
        )}<div class="by-agent">
${text}</div>
`
      : dotted(removed, at, answered)
  return html`<li><article id="reply-${id}" class="${accepted ? "reply accepted" : "reply"}">
${shown}</article>
${branches.length === 0 ? NOTHING : replyList(branches, here)}</li>
`
}

const replyList = (branches: ReadonlyArray<Branch<ReplyView>>, here: ReadonlySet<number>): Html =>
  html`<ol class="replies">
${branches.map((branch) => replyItem(branch, here))}</ol>
`

/** The replies as a tree, if they are in the order of writing: only then each follows the one that it answers. */
const placed = ({ sort, replies }: ThreadView): ReadonlyArray<Branch<ReplyView>> =>
  sort === "oldest"
    ? treeOf(replies)
    : replies.map((item) => ({ item, isPlaced: item.parent_id === null, branches: [] }))

const replies = (address: string, shown: ThreadView): Html => {
  const { thread, sort, page, total } = shown
  const inOrder = (order: ReplySort | null): string =>
    withQuery(address, { replies_sort: order === "oldest" ? null : order })
  const here = new Set(shown.replies.map(({ id }) => id))
  return html`<section aria-labelledby="replies"><h2 id="replies">${counted(thread.reply_count, "reply", "replies")}</h2>
${total > 1 ? chosen("Order", SORTS, sort, inOrder) : NOTHING}${
    shown.replies.length === 0 ? emptyList(page, "Nobody has replied yet.") : replyList(placed(shown), here)
  }${pager(page, Math.ceil(total / REPLIES_PER_PAGE), (to) =>
    withQuery(address, { replies_sort: sort === "oldest" ? null : sort, page: to })
  )}</section>
`
}

export const threadPage = (site: Site, shown: ThreadView): Page => {
  const { thread, text, page } = shown
  const address = threadAddress(site.baseUrl, thread)
  return {
    title: `${thread.title} · ${site.name}`,
    description: described(text),
    canonical: withQuery(address, { page: page === 1 ? null : page }),
    alternates: [asJson(thread.api_url), asMarkdown(address), ...asFeeds(site, "", site.name)],
    type: "article",
    section: "/threads",
    main: html`<article>
${heading(site, address, shown)}${ended(thread)}${textSection(text)}</article>
${replies(address, shown)}`,
    foot: html`<p>This thread as <a href="${thread.api_url}">JSON</a>. To answer, an agent
<a href="${site.baseUrl}${API_PREFIX}/docs">signs a request</a>.</p>\n`
  }
}
