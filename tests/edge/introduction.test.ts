/** What stands at the addresses that programs know: texts for models, well-known documents, what crawlers may read. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { Home } from "../../schemas/home/records.ts"
import { DUPLICATE_REPLY_MIN_CHARS } from "../../schemas/reply/records.ts"
import { skillName, skillText } from "../../edge/docs/introduction.ts"
import { addressesOf, written } from "../../edge/sitemap/addresses.ts"
import { openWorld, TestEdge, type World } from "./edge.ts"

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const text = async (path: string, type: string): Promise<string> => {
  const answer = await world.edge.call(path)
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, type])
  expect(answer.text).not.toContain("{{")
  const etag = answer.headers.get("etag") ?? ""
  expect(answer.headers.get("cache-control")).toMatch(/^public, max-age=\d+$/)
  const again = await world.edge.call(path, { headers: { "if-none-match": etag } })
  expect([again.status, again.text]).toEqual([304, ""])
  const head = await world.edge.call(path, { method: "HEAD" })
  expect([head.status, head.headers.get("etag"), head.text]).toEqual([200, etag, ""])
  return answer.text
}

/** Of the service's own addresses in a text, those that need no actors to answer. */
const led = (source: string): ReadonlyArray<string> =>
  [...new Set([...source.matchAll(/https?:\/\/[\w.:/-]*[\w/]/g)].map(([address]) => address))]
    .filter((address) => address.startsWith(`${world.edge.url}/`))
    .map((address) => address.slice(world.edge.url.length))

const MARKDOWN = "text/markdown; charset=utf-8"
const PLAIN = "text/plain; charset=utf-8"

describe("/skill.md", () => {
  it("is a skill: a name, a description, and how to go about it", async () => {
    const skill = await text("/skill.md", MARKDOWN)
    const [, front = "", body = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(skill) ?? []
    const told = parse(front) as Record<string, string>
    expect(Object.keys(told)).toEqual(["name", "description"])
    expect(told["name"]).toBe("hub")
    expect(told["description"]?.length).toBeLessThanOrEqual(1024)
    expect(body.split("\n").length).toBeLessThan(500)
    for (const word of ["Never follow instructions", "hub-seed.txt", "/api/v1/me/home?since=", "Retry-After"])
      expect(body).toContain(word)
  })

  it("names each field of what is new, and no other, and whose words are refused twice", async () => {
    const skill = await text("/skill.md", MARKDOWN)
    const told = /One answer tells what is new for you: (.*?)\. /.exec(skill)?.[1]
    expect(told?.split(", ")).toEqual(Object.keys(Home.fields).map((field) => `\`${field}\``))
    expect(skill).toContain(`replies of ${DUPLICATE_REPLY_MIN_CHARS} characters and more`)
  })

  it("names only endpoints that there are", async () => {
    const skill = await text("/skill.md", MARKDOWN)
    const asked = [...skill.matchAll(/\b(GET|POST|PUT|PATCH|DELETE) '?(\/api\/v1\/[\w/<>]+)/g)].map(
      ([, method = "", path = ""]) => [method, path.replaceAll(/<\w+>/g, "a")] as const
    )
    expect(asked.length).toBeGreaterThan(8)
    for (const [method, path] of asked) {
      const { headers } = await world.edge.call(path, { method: "OPTIONS" })
      expect(headers.get("allow"), path).toContain(method)
    }
  })

  it("shows only fields of bodies that are understood", async () => {
    const skill = await text("/skill.md", MARKDOWN)
    const { json } = { json: JSON.parse((await world.edge.call("/api/v1/openapi.json")).text) as OpenApi }
    const bodies = [...skill.matchAll(/POST (\/api\/v1\/[\w/]+) '(\{.*\})'/g)]
    expect(bodies.length).toBe(9)
    for (const [, path = "", body = ""] of bodies) {
      const operation = json.paths[path.replace(/\/(?:em_)?12\//, "/{id}/")]?.post
      const shape = operation?.requestBody?.content["application/json"]?.schema
      const named = shape?.$ref === undefined ? shape : json.components.schemas[shape.$ref.split("/").at(-1) ?? ""]
      for (const field of Object.keys(JSON.parse(body) as object)) expect(named?.properties, path).toHaveProperty(field)
    }
  })

  it.each([
    ["Hub", "hub"],
    ["The  Café: No. 1!", "the-caf-no-1"],
    ["日本", "hub"],
    [`${"a".repeat(63)} b`, "a".repeat(63)],
    ["x".repeat(80), "x".repeat(64)]
  ])("of %j is named %s", (name, skill) => {
    expect(skillName(name)).toBe(skill)
    expect(skill).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    const front = /^---\n([\s\S]*?)\n---\n/.exec(skillText(`${name}: "x" #`, "Body"))?.[1] ?? ""
    expect(String((parse(front) as Record<string, string>)["description"])).toContain(`${name}: "x" #`)
  })
})

interface Shape {
  readonly $ref?: string
  readonly properties?: object
}
interface OpenApi {
  readonly paths: Readonly<
    Record<string, { post?: { requestBody?: { content: Record<string, { schema: Shape }> } } } | undefined>
  >
  readonly components: { readonly schemas: Readonly<Record<string, Shape>> }
}

describe("/llms.txt", () => {
  it("has a heading, a summary, and sections of links, each with a word about it", async () => {
    const llms = await text("/llms.txt", MARKDOWN)
    const lines = llms.split("\n").filter((line) => line !== "")
    expect(lines[0]).toBe("# Hub")
    expect(lines[1]).toMatch(/^> /)
    expect(llms.match(/^# /gm)).toHaveLength(1)
    const sections = llms
      .slice(llms.indexOf("\n## "))
      .split("\n")
      .filter((line) => line !== "")
    for (const line of sections) expect(line).toMatch(/^## \S|^- \[[^\]]+\]\(https?:\/\/[^)]+\): \S/)
  })

  it("leads only to paths that there are", async () => {
    for (const path of [...led(await text("/llms.txt", MARKDOWN)), ...led(await text("/skill.md", MARKDOWN))])
      expect((await world.edge.call(path, { method: "OPTIONS" })).status, path).toBe(204)
  })
})

it("/robots.txt allows all but what is somebody's own, and names the sitemap", async () => {
  expect(await text("/robots.txt", PLAIN)).toBe(
    `User-agent: *\nAllow: /\nDisallow: /api/v1/me\nDisallow: /owner\n\nSitemap: ${world.edge.url}/sitemap.xml\n`
  )
})

describe("/.well-known/", () => {
  it("api-catalog is a set of links to what describes the interface", async () => {
    const type = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
    const catalog = JSON.parse(await text("/.well-known/api-catalog", type)) as { linkset: ReadonlyArray<object> }
    expect(catalog.linkset).toHaveLength(1)
    expect(catalog.linkset[0]).toMatchObject({
      anchor: `${world.edge.url}/api/v1`,
      "service-desc": [{ href: `${world.edge.url}/api/v1/openapi.json`, type: "application/json" }]
    })
    const head = await world.edge.call("/.well-known/api-catalog", { method: "HEAD" })
    expect(head.headers.get("link")).toBe(`<${world.edge.url}/.well-known/api-catalog>; rel="api-catalog"`)
    for (const path of led(JSON.stringify(catalog)))
      expect((await world.edge.call(path, { method: "OPTIONS" })).status, path).toBe(204)
  })

  it("security.txt is there where somebody is to be told, for a time that is not over", async () => {
    expect((await world.edge.call("/.well-known/security.txt")).json.error.code).toBe("not_found")
    const edge = await TestEdge.start({ nats: world.nats.url, env: { HUB_CONTACT: "security@hub.example" } })
    const answer = await edge.call("/.well-known/security.txt")
    await edge.stop()
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, PLAIN])
    const fields = Object.fromEntries(
      answer.text
        .trimEnd()
        .split("\n")
        .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)])
    )
    expect(fields["Contact"]).toBe("mailto:security@hub.example")
    expect(fields["Canonical"]).toBe(`${edge.url}/.well-known/security.txt`)
    const days = (Date.parse(fields["Expires"] ?? "") - Date.now()) / 86_400_000
    expect([days > 170, days < 365]).toEqual([true, true])
  })
})

describe("a sitemap", () => {
  const found = {
    posts: [{ id: 2, path: "2-counted", at: 0 }],
    threads: [{ id: 1, path: "1-why", at: 1_767_225_600 }],
    agents: ["ada"],
    categories: ["help"],
    library: [{ slug: "begin", at: 1 }]
  }

  it("has the pages that there are, and the records that have one", () => {
    const paths = ["/", "/docs", "/docs/python", "/library", "/feed", "/threads", "/threads/:ref", "/agents/:ref/feed"]
    expect(addressesOf(paths, found)).toEqual([
      ...["/", "/docs", "/docs/python", "/library", "/threads"].map((path) => ({ path, at: null })),
      { path: "/threads/1-why", at: 1_767_225_600 }
    ])
    expect(addressesOf(["/agents/:ref", "/posts/:id", "/library/:slug", "/categories/:slug"], found)).toEqual([
      { path: "/categories/help", at: null },
      { path: "/library/begin", at: 1 },
      { path: "/posts/2-counted", at: 0 },
      { path: "/agents/ada", at: null }
    ])
  })

  it("of nodes that do not know the addresses yet has the records by their numbers", () => {
    const older = { posts: [{ id: 2, at: 0 }], threads: [], agents: [], library: [] }
    expect(addressesOf(["/posts/:id", "/categories/:slug"], older)).toEqual([{ path: "/posts/2", at: 0 }])
  })

  it("writes each as it must be written", () => {
    expect(written("https://hub.example/a&b", { path: "/x", at: 1_767_225_600 })).toBe(
      "<url><loc>https://hub.example/a&amp;b/x</loc><lastmod>2026-01-01T00:00:00.000Z</lastmod></url>\n"
    )
  })
})

describe("the icon", () => {
  it.each(["/favicon.svg", "/favicon.ico"])("%s is a picture of two kilobytes at most", async (path) => {
    const { status, text, headers } = await world.edge.call(path)
    expect([status, headers.get("content-type")]).toEqual([200, "image/svg+xml"])
    expect(text).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^]*<\/svg>\n$/)
    expect(text.length).toBeLessThan(2_048)
    expect(headers.get("content-security-policy")).toContain("sandbox")
  })
})
