/** The library (spec 4.2; contract 3, 19): imported by operators, read by everybody, as JSON and as pages. */
import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { STARTER_LIBRARY } from "../../ops/launcher/starter-library.ts"
import { ENTRIES_MAX } from "../../schemas/library/fields.ts"
import { LIBRARY_ID } from "../../schemas/library/operations.ts"
import type { LibraryEntry, LibraryListed } from "../../schemas/library/records.ts"
import { testFolder } from "../harness/index.ts"
import { headings, linkAddresses } from "../html/in-page.ts"
import { openBrowser, type TestBrowser } from "../support/browser.ts"
import { type Answer, send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { logOf, sharedService, type TestService } from "../support/service.ts"

let service: TestService
let browser: TestBrowser
let folder = ""
beforeAll(async () => {
  service = await sharedService()
  browser = await openBrowser()
  folder = await testFolder("library")
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

const matter = (slug: string, more = ""): string =>
  `---\nslug: ${slug}\ntitle: The <b> of ${slug}\nkind: guide\nsummary: About ${slug} & more.\n${more}---\n`
const write = (slug: string, body: string, more = ""): Promise<void> =>
  writeFile(join(folder, `${slug}.md`), matter(slug, more) + body)

interface Imported {
  readonly added: ReadonlyArray<string>
  readonly changed: ReadonlyArray<string>
  readonly unchanged: number
  readonly removed: ReadonlyArray<string>
}

const command = (...args: ReadonlyArray<string>): Promise<string> => operate(service.system, ["library", ...args])
const imported = async (...args: ReadonlyArray<string>) =>
  JSON.parse(await command("import", folder, ...args)) as Imported
const get = (path: string, edge = service.edges[0] ?? ""): Promise<Answer> => send({ edge, method: "GET", path })
const entry = async (slug: string) => dataOf<LibraryEntry>(await get(`/api/v1/library/${slug}`))
const listed = async (query = "", edge?: string) =>
  dataOf<ReadonlyArray<LibraryListed>>(await get(`/api/v1/library${query}`, edge))
const slugs = async () => (await listed("?per_page=100")).map(({ slug }) => slug)
const events = async () => (await logOf(service.view, "library", LIBRARY_ID)).length

const HOSTILE = [
  "# Big <script>alert(1)</script>",
  "### Deep",
  "<img src=x onerror=alert(1)> ![a picture](https://elsewhere.example/x.png)",
  "[script](javascript:alert(1)) [docs](../docs)",
  "```sh run.sh\necho '<b>'\n```",
  "| a | b |\n|---|--:|\n| 1 | 2 |"
].join("\n\n")

describe("an import", () => {
  test("is there at once, at each edge, and is no event where nothing has changed", async () => {
    await write("one", "One.\n")
    await write("two", HOSTILE, "language: Shell\n")
    const before = await slugs()
    expect(await imported("--replace")).toEqual({ added: ["one", "two"], changed: [], unchanged: 0, removed: before })
    for (const edge of service.edges) {
      const [one, two] = await listed("", edge)
      expect(one).toEqual({
        id: expect.any(Number),
        slug: "one",
        title: "The <b> of one",
        kind: "guide",
        language: null,
        summary: "About one & more.",
        updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
        url: expect.stringMatching(/^https?:.*\/library\/one$/)
      })
      expect(two).toMatchObject({ slug: "two", language: "Shell" })
      expect(await entry("one")).toEqual({ ...one, body: "One." })
    }
    const so = await events()
    expect(await imported()).toEqual({ added: [], changed: [], unchanged: 2, removed: [] })
    expect(await events()).toBe(so)
  })

  test("changes what has changed, which keeps its id, and leaves what is not in the folder", async () => {
    const before = await entry("one")
    await write("one", "Another.\n")
    await rm(join(folder, "two.md"))
    await write("three", "Three.\n")
    expect(await imported()).toEqual({ added: ["three"], changed: ["one"], unchanged: 0, removed: [] })
    expect(await slugs()).toEqual(["one", "two", "three"])
    const after = await entry("one")
    expect(after).toEqual({ ...before, body: "Another.", updated_at: after.updated_at })
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at))
  })

  test("with one bad file changes nothing, and names file and field", async () => {
    const before = [await slugs(), await events()]
    await writeFile(join(folder, "a-bad.md"), matter("a-bad").replace("kind: guide", "kind: poem"))
    await writeFile(join(folder, "z-bad.md"), matter("z-bad"))
    const refused = imported("--replace")
    await expect(refused).rejects.toThrow(/^a-bad\.md: kind must be one of [^\n]*\nz-bad\.md: body must be [^\n]*$/)
    expect([await slugs(), await events()]).toEqual(before)
    await Promise.all(["a-bad.md", "z-bad.md"].map((name) => rm(join(folder, name))))
    await expect(command("import", join(folder, "nowhere"))).rejects.toThrow("cannot be read: ENOENT")
    await expect(command("import")).rejects.toThrow("usage")
    await expect(command("list", "--replace")).rejects.toThrow("Unknown option '--replace'")
  })

  test("refuses one more than there may be, before any", async () => {
    const before = await events()
    const many = await testFolder("many")
    for (let index = 0; index < ENTRIES_MAX; index++)
      await writeFile(join(many, `${index}.md`), `${matter(`many-${index}`)}Text.\n`)
    await expect(command("import", many)).rejects.toThrow(`would have ${ENTRIES_MAX + 3} entries`)
    expect(await events()).toBe(before)
  })

  test("with --replace removes the others; remove takes one away; replay tells of it", async () => {
    expect(await imported("--replace")).toMatchObject({ unchanged: 2, removed: ["two"] })
    expect(JSON.parse(await command("remove", "three"))).toEqual({ deleted: true, id: "three" })
    await expect(command("remove", "three")).rejects.toThrow("no such library entry")
    expect(await slugs()).toEqual(["one"])
    expect((JSON.parse(await command("list")) as ReadonlyArray<unknown>)[0]).toMatchObject({ slug: "one" })
    expect(await operate(service.system, ["replay", "library", LIBRARY_ID])).toContain("library.entry_removed v1")
  })
})

describe("what everybody reads", () => {
  test("is paginated, oldest first", async () => {
    await write("two", HOSTILE, "language: Shell\n")
    await write("three", "x".repeat(100_000))
    await imported()
    const answer = await get("/api/v1/library?per_page=2&page=2")
    expect(answer.json.meta).toEqual({ page: 2, per_page: 2, total: 3, pages: 2 })
    expect(dataOf<ReadonlyArray<LibraryListed>>(answer).map(({ slug }) => slug)).toHaveLength(1)
    const ids = (await listed()).map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect((await listed("?page=9")).length).toBe(0)
    expect((await entry("three")).body).toHaveLength(100_000)
  })

  test.each(["nothing", "ONE", "-one", "a".repeat(65), "%00", "..%2fone", "own"])("%s is not found", async (slug) => {
    const answer = await get(`/api/v1/library/${slug}`)
    expect([outcome(answer), detailsOf(answer)]).toEqual(["404 not_found", { resource: "library entry" }])
    const page = await send({
      edge: service.edges[0] ?? "",
      method: "GET",
      path: `/library/${slug}`,
      headers: { accept: "text/html" }
    })
    expect([page.status, page.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"])
  })
})

describe("in a browser", () => {
  test("the list shows each entry under its kind, and leads to it", async () => {
    const visit = await browser.visit(`${service.edges[0]}/library`)
    expect([visit.status(), visit.complaints]).toEqual([200, []])
    expect((await visit.page.evaluate(headings)).slice(0, 3)).toEqual([
      [1, "Library"],
      [2, "Guides"],
      [3, "The <b> of one"]
    ])
    expect(await visit.page.locator("nav a[href$='/library']").count()).toBe(1)
    await visit.page.getByRole("link", { name: "The <b> of one" }).click()
    expect((await visit.page.evaluate(headings))[0]).toEqual([1, "The <b> of one"])
    await visit.close()
  })

  test("an entry is laid out, and nothing in it acts", async () => {
    const visit = await browser.visit(`${service.edges[0]}/library/two`)
    expect([visit.status(), visit.complaints, visit.dialogs, visit.requests.length]).toEqual([200, [], [], 1])
    expect(await visit.page.evaluate(headings)).toEqual([
      [1, "The <b> of two"],
      [2, "Big <script>alert(1)</script>"],
      [3, "Deep"]
    ])
    expect(await visit.page.locator("main :is(script, img)").count()).toBe(0)
    expect(await visit.page.locator("main").innerText()).toContain("a picture")
    expect(await visit.page.locator("pre").innerText()).toContain("echo '<b>'")
    expect(await visit.page.locator("td.right").innerText()).toBe("2")
    const links = await visit.page.evaluate(linkAddresses)
    expect(links.filter((link) => link.startsWith("javascript"))).toEqual([])
    expect(links).toContain("../docs")
    await visit.close()
  })

  test("the starter library leads nowhere that is not there", async () => {
    await command("import", STARTER_LIBRARY, "--replace")
    const visit = await browser.visit(`${service.edges[0]}/library`)
    const pages = (await visit.page.evaluate(linkAddresses)).filter((link) => /\/library\/./.test(link))
    expect(pages.length).toBeGreaterThanOrEqual(15)
    await visit.close()
    for (const page of pages) {
      const { pathname } = new URL(page)
      const { status, text } = await get(pathname)
      expect([pathname, status]).toEqual([pathname, 200])
      const inside = [...text.matchAll(/<a href="([^"#]+)"/g)].map(([, href]) => new URL(href ?? "", page).pathname)
      for (const path of new Set(inside))
        expect([pathname, path, (await get(path)).status]).toEqual([pathname, path, 200])
    }
  })
})
