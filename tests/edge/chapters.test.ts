/** Chapters of the reference, each served alone, and the contents that lead to them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { aloneText, chaptersOf, contentsTable } from "../../edge/docs/chapters.ts"
import { ENDPOINTS, PAGES } from "../../edge/http/endpoints.ts"
import { type ErrorCode, ERRORS } from "../../schemas/errors.ts"
import { openWorld, type World } from "./edge.ts"

let world: World
let reference: string
let slugs: ReadonlyArray<string>

beforeAll(async () => {
  world = await openWorld()
  reference = (await world.edge.call("/api/v1/docs")).text
  slugs = chaptersOf(reference).map(({ slug }) => slug)
})
afterAll(() => world.stop())

const HTML = { accept: "text/html" }

const idsIn = (page: string): ReadonlyArray<string> => [...page.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id)
const linksIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\]\(([^)\s]+)\)|href="([^"]+)"/g)].map(([, one, other]) => one ?? other ?? "")

describe("a chapter", () => {
  it("is served alone, as markdown and as a page, at the address of its heading", async () => {
    expect(slugs.length).toBeGreaterThan(15)
    for (const { slug, title, text } of chaptersOf(reference)) {
      const markdown = await world.edge.call(`/api/v1/docs/${slug}`)
      expect([markdown.status, markdown.headers.get("content-type")], slug).toEqual([
        200,
        "text/markdown; charset=utf-8"
      ])
      expect(markdown.text.startsWith(`# ${title}\n`), slug).toBe(true)
      expect(markdown.text, slug).toContain(text.split("\n")[0]?.replaceAll(/\]\(#/g, `](${world.edge.url}/docs/`))
      const page = await world.edge.call(`/docs/${slug}`, { headers: HTML })
      expect([page.status, page.headers.get("content-type")], slug).toEqual([200, "text/html; charset=utf-8"])
      expect(page.text, slug).toContain(`<h1>${title}</h1>`)
    }
  })

  it("is markdown at the page's address for who prefers that, and 304 under its entity tag", async () => {
    const page = await world.edge.call("/docs/mail", { headers: { accept: "text/markdown" } })
    const markdown = await world.edge.call("/api/v1/docs/mail")
    expect([page.text, page.headers.get("vary")]).toEqual([markdown.text, "Accept"])
    const etag = markdown.headers.get("etag") ?? ""
    expect((await world.edge.call("/api/v1/docs/mail", { headers: { "if-none-match": etag } })).status).toBe(304)
  })

  it("leads to the one before it, the one after it, and the whole document", async () => {
    for (const [index, slug] of slugs.entries()) {
      const { text } = await world.edge.call(`/api/v1/docs/${slug}`)
      const ways = linksIn(text.trimEnd().split("\n").at(-1) ?? "")
      const around = [slugs[index - 1], slugs[index + 1]].filter((one) => one !== undefined)
      expect(ways, slug).toEqual([...around.map((one) => `${world.edge.url}/docs/${one}`), `${world.edge.url}/docs`])
    }
  })

  it("has no link that leads nowhere", async () => {
    const checked = new Set<string>()
    for (const slug of slugs) {
      const targets = linksIn((await world.edge.call(`/api/v1/docs/${slug}`)).text)
      expect(targets.filter((target) => target.startsWith("#"))).toEqual([])
      for (const target of targets.filter((one) => one.startsWith(world.edge.url))) checked.add(target)
    }
    for (const target of checked)
      expect((await world.edge.call(target.slice(world.edge.url.length))).status, target).toBe(200)
  })

  it("that is not there is 404, with the list of those that are", async () => {
    for (const path of ["/api/v1/docs/nowhere", "/docs/nowhere"]) {
      const { status, json } = await world.edge.call(path)
      expect([status, json.error.details]).toEqual([404, { resource: "chapter", chapters: slugs }])
    }
    const page = await world.edge.call("/docs/constructor", { headers: HTML })
    expect([page.status, page.text.includes(slugs.join(", "))]).toEqual([404, true])
  })

  it("takes no address that another document has", () => {
    const taken = [...ENDPOINTS, ...PAGES].map(({ path }) => path.replace("/api/v1", ""))
    expect(slugs.filter((slug) => taken.includes(`/docs/${slug}`))).toEqual([])
    expect(new Set(slugs).size).toBe(slugs.length)
  })

  it("of a text links to its neighbours, and keeps addresses of others' anchors", () => {
    const chapters = chaptersOf("# T\n\nIntro.\n\n## A one\n\nSee [b](#b).\n\n## B\n\nEnd.\n")
    expect(aloneText(chapters, 0, "https://hub.example/docs")).toBe(
      "# A one\n\nSee [b](https://hub.example/docs/b).\n\n" +
        "Next: [B](https://hub.example/docs/b) · [The whole document](https://hub.example/docs)\n"
    )
    expect(contentsTable("## A one\n\nText.\n", "https://hub.example/docs").split("\n").at(-1)).toBe(
      "| [A one](#a-one) | [/docs/a-one](https://hub.example/docs/a-one) |"
    )
  })
})

describe("the whole document", () => {
  it("has a table of contents with the anchor and the address of each chapter", () => {
    const rows = reference.split("\n").filter((line) => line.startsWith("| ["))
    expect(rows.map(linksIn)).toEqual(slugs.map((slug) => [`#${slug}`, `${world.edge.url}/docs/${slug}`]))
  })

  it("has the anchors that its page links to, each once", async () => {
    const { text } = await world.edge.call("/docs", { headers: HTML })
    const ids = idsIn(text)
    expect(new Set(ids).size).toBe(ids.length)
    const anchors = linksIn(text).filter((target) => target.startsWith("#"))
    expect(anchors).toEqual(expect.arrayContaining(slugs.map((slug) => `#${slug}`)))
    for (const anchor of anchors) expect(ids, anchor).toContain(anchor.slice(1))
  })

  it("has an anchor for each error code, as has the chapter on errors", async () => {
    const codes = Object.keys(ERRORS) as ReadonlyArray<ErrorCode>
    for (const path of ["/docs", "/docs/errors"]) {
      const ids = idsIn((await world.edge.call(path, { headers: HTML })).text)
      expect(
        codes.filter((code) => !ids.includes(code)),
        path
      ).toEqual([])
      expect(new Set(ids).size).toBe(ids.length)
    }
  })
})
