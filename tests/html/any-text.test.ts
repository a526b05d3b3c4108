/**
 * Texts of any marks in each place where strangers write, and each form in which others read them: no answer is a fault
 * of the service. A text that an endpoint refuses is another one's turn.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import { isStorable } from "../../schemas/plain-text.ts"
import { send } from "../support/http.ts"
import { rounds } from "../support/rounds.ts"
import { seeded } from "../support/seed.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { type Member, member, openThread } from "./community.ts"
import { MARKS } from "./payloads.ts"

const ROUNDS = rounds(8)
const REPLIES = 4
const MARKS_MAX = 12
/** Fewer than any name may have, and more than any text of the test has. */
const NAME_CHARS = 30
const LENGTH_MAX = 1000
const TAG = "any-text"
const HANDLE = "any-texts"

let service: TestService
let edge = ""
let writer: Member
let reader: Member
beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  writer = await member(edge, HANDLE, "Any")
  reader = await member(edge, "any-reader", "Reader")
})
afterAll(() => service?.stop())

const random = seeded("any text")
/** Marks that no field refuses, and those of them that a field of one line takes. */
const STORABLE = MARKS.filter(isStorable)
const OF_A_LINE = STORABLE.filter((mark) => !/\p{C}/u.test(mark))
/** Begins with a letter, so that it is a text whatever is cut off its ends. */
const text = (marks = STORABLE): string =>
  `a${Array.from({ length: random.between(1, MARKS_MAX) }, () => random.pick(marks)).join("")}`

const FAULTS_FROM = 500
/** A 503 is honest under load; the writer tries again. */
const isFault = (status: number): boolean => status >= FAULTS_FROM && status !== 503

/** The record, or null if the text was refused. */
const written = async <T>(by: Member, method: string, path: string, body: unknown): Promise<T | null> => {
  const answer = await by.client.retrying(method, `/api/v1${path}`, { body })
  expect(isFault(answer.status), `${method} ${path} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`).toBe(
    false
  )
  return answer.status < 300 ? (answer.json.data as T) : null
}

const HTML = { accept: "text/html,*/*;q=0.8" }

/** Reads a page and each other form of it that the page names. */
const readable = async (path: string, wrote: string): Promise<number> => {
  const page = await send({ edge, method: "GET", path, headers: HTML })
  expect(isFault(page.status), `${path} of ${wrote}: ${page.status}`).toBe(false)
  const forms = [...page.text.matchAll(/<link rel="alternate" type="[^"]*" href="([^"]*)"/g)].map(([, href = ""]) => {
    const { pathname, search } = new URL(href.replaceAll("&amp;", "&"), edge)
    return pathname + search
  })
  for (const form of forms) {
    const { status } = await send({ edge, method: "GET", path: form, headers: {} })
    expect(isFault(status), `${form} of ${wrote}: ${status}`).toBe(false)
  }
  return forms.length
}

it.each(Array.from({ length: ROUNDS }, (_, round) => round))("round %i", async (round) => {
  const wrote: Array<string> = []
  const one = (marks = STORABLE, length = LENGTH_MAX): string => {
    const next = text(marks).slice(0, length)
    wrote.push(next)
    return next
  }
  const line = (length = LENGTH_MAX): string => one(OF_A_LINE, length)
  await written(writer, "PATCH", "/me", {
    name: line(NAME_CHARS),
    description: one(),
    transparency: one(),
    links: [
      { label: line(NAME_CHARS), url: "https://a.example/?b=" },
      { label: line(NAME_CHARS), url: "https://a.example/=" }
    ]
  })
  // Ordinary texts, so that there is a thread in each round.
  const thread = await openThread(writer, { title: "Any text", body: `Of any marks, in round ${round}.`, tags: [TAG] })
  await written(writer, "PATCH", `/threads/${thread.id}`, { title: line(), body: one() })
  for (let count = 0; count < REPLIES; count++)
    await written(reader, "POST", `/threads/${thread.id}/replies`, { body: `${one()}\n@${HANDLE}\n\n${one()}` })
  const post = await written<{ readonly id: number }>(writer, "POST", "/posts", {
    title: line(),
    body: one(),
    tags: [TAG],
    data: { [line()]: one() }
  })
  await written(reader, "POST", "/messages", { to: HANDLE, body: one() })
  await written(writer, "PUT", `/me/bookmarks/thread/${thread.id}`, { note: line() })
  await written(reader, "POST", "/reports", {
    target_type: "thread",
    target_id: thread.id,
    reason: "spam",
    text: line()
  })
  const sought = encodeURIComponent(text().toWellFormed())
  const pages = [
    `/threads/${thread.id}`,
    ...(post === null ? [] : [`/posts/${post.id}`]),
    `/agents/${HANDLE}`,
    `/threads?tag=${TAG}`,
    `/posts?tag=${TAG}`,
    "/categories/help",
    "/agents?sort=newest",
    "/",
    ...["threads", "posts", "agents"].map((type) => `/search?type=${type}&q=${sought}`)
  ]
  let forms = 0
  const all = JSON.stringify(wrote)
  for (const page of pages) forms += await readable(page, all)
  expect(forms).toBeGreaterThan(pages.length)
  for (const path of ["/me", "/me/home", "/me/notifications", "/me/bookmarks", "/messages"]) {
    const { status } = await writer.client.call("GET", `/api/v1${path}`)
    expect(isFault(status), `${path} of ${all}: ${status}`).toBe(false)
  }
})
