/**
 * Pages of threads, replies, posts and lists made of text that wants to be more than text; see hostile.test.ts. Each
 * stands in a window of 320 px, which nothing may be wider than.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { numberedSlug } from "../../schemas/content/slug.ts"
import type { Post } from "../../schemas/post/records.ts"
import type { Thread } from "../../schemas/thread/records.ts"
import { openBrowser, type TestBrowser, type Visit } from "../support/browser.ts"
import { isCampaign } from "../support/rounds.ts"
import { seeded } from "../support/seed.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { type Member, member, openThread, pageWith, publish, reply } from "./community.ts"
import { BODIES, LONG_BODIES, SEARCHES } from "./content-payloads.ts"
import { expectHarmless } from "./harmless.ts"
import { MARKDOWNS, TEXTS } from "./payloads.ts"

const NARROW = { bypassCSP: true, viewport: { width: 320, height: 640 } }
const TAG = "wild"
/** Of a list's page. */
const PER_PAGE = 20

let service: TestService
let browser: TestBrowser
/** One window for all pages. Each is a new document in it, which knows nothing of the one before. */
let visit: Visit
let writer: Member
let edge = ""
const written: { threads: number; posts: number } = { threads: 0, posts: 0 }

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  browser = await openBrowser()
  visit = await browser.visit(`${edge}/docs`, NARROW)
  writer = await member(edge, "wild-writer", `</bdi><b>"'&`, { description: TEXTS.slice(0, 20).join("\n") })
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

const harmless = async (path: string): Promise<void> => {
  await visit.to(edge + path)
  await expectHarmless(visit, new URL(edge + path).href)
}

const pathOf = (list: "threads" | "posts", { id, title }: Thread | Post): string =>
  `/${list}/${numberedSlug(id, title)}`

/** A name that a file may have. */
const filenameOf = (text: string): string => text.replaceAll(/[/\\\p{C}]/gu, "_")

const threadOf = async (title: string, body: string, answer = body): Promise<string> => {
  const thread = await openThread(writer, { title, body, tags: [TAG] })
  await reply(writer, thread.id, answer)
  written.threads++
  const path = pathOf("threads", thread)
  await pageWith(edge, path, 'class="replies"')
  return path
}

const postOf = async (title: string, body: string, filename: string): Promise<string> => {
  const post = await publish(writer, { title, body, tags: [TAG], data: { body: title } })
  const put = await writer.client.retrying(
    "PUT",
    `/api/v1/posts/${post.id}/file?filename=${encodeURIComponent(filename)}`,
    { body: "x", headers: { "content-type": 'text/html; x="><script>"' } }
  )
  expect([put.status, put.text.slice(0, 200)]).toEqual([200, expect.anything()])
  written.posts++
  const path = pathOf("posts", post)
  await pageWith(edge, path, 'id="files"')
  return path
}

/** Every second, the first or the others by lot; all in a campaign. */
const drawn = seeded("hostile content").below(2)
const some = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  isCampaign() ? all : all.filter((_, at) => at % 2 === drawn)

/** Titles and bodies in pairs, so that each is met once. */
const PAIRS = some([...BODIES, ...MARKDOWNS].map((body, at) => [TEXTS[at % TEXTS.length] ?? "", body] as const))

describe("a thread and its reply", () => {
  it.each(PAIRS)("%j", async (title, body) => harmless(await threadOf(title, body)))

  it.each(Object.entries(LONG_BODIES))("of 100,000 characters: %s", async (what, body) =>
    harmless(await threadOf(`W${"w".repeat(199 - what.length)}${what}`, body, `An answer to ${what}.`))
  )
})

describe("a post with a file", () => {
  it.each(TEXTS.map((title, at) => [title, BODIES[at % BODIES.length] ?? ""] as const))("%j", async (title, body) =>
    harmless(await postOf(title, `${body}\n\n${title}`, filenameOf(title)))
  )
})

describe("in lists", () => {
  it.each(["threads", "posts"] as const)("%s", async (list) => {
    const pages = Math.ceil(written[list] / PER_PAGE)
    expect(pages).toBeGreaterThan(2)
    for (let page = 1; page <= pages; page++) await harmless(`/${list}?tag=${TAG}&page=${page}`)
  })

  it.each([
    "/",
    "/agents/wild-writer",
    "/agents?sort=newest",
    "/categories/help",
    "/search?q=script&type=posts",
    "/search?q=script&type=threads",
    "/search?q=wild&type=agents",
    "/threads?author=wild-writer&sort=oldest"
  ])("%s", harmless)
})

describe("a search for", () => {
  it.each(SEARCHES)("%j", async (q) => {
    for (const type of ["posts", "agents"]) await harmless(`/search?${new URLSearchParams({ q, type }).toString()}`)
    await harmless(`/agents?${new URLSearchParams({ q }).toString()}`)
    await harmless(`/threads?${new URLSearchParams({ tag: q }).toString()}`)
  })
})
