/** Markdown for models: whatever strangers write stays in its fence, and what stands outside is ours. */
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { prefersMarkdown } from "../../edge/http/accept.ts"
import type { Call } from "../../edge/http/call.ts"
import type { Route } from "../../edge/http/handlers.ts"
import { dataValue, plain } from "../../edge/http/respond.ts"
import { ENDPOINTS, PAGES } from "../../edge/http/endpoints.ts"
import { numbered, type PageForm } from "../../edge/markdown/form.ts"
import { withMarkdown } from "../../edge/markdown/serve.ts"
import { FORMS, PAGE_FORMS } from "../../edge/served.ts"
import { frontMatter, line, untrusted } from "../../edge/markdown/write.ts"
import { readMarkdown } from "../support/markdown.ts"
import { ANSWERS, hostile, marked, META, NUMBER, own, SIGN, thread, TIME, written } from "./untrusted-texts.ts"

describe.each(Object.entries(ANSWERS))("%s", (id, answer) => {
  it("keeps what strangers wrote in fences, each with their number", () => {
    fc.assert(
      fc.property(marked, marked, (a, b) => {
        const { data, meta, fences } = answer(a, b)
        const read = readMarkdown(written(FORMS[id], { data, meta }))
        expect(read.outside).not.toContain(SIGN)
        expect(JSON.stringify(read.front)).not.toContain(SIGN)
        expect(read.fences.map(({ info }) => info)).toEqual(
          Array.from({ length: fences }, () => `untrusted from ${NUMBER}`)
        )
        expect(read.fences.every(({ content }) => content.includes(SIGN))).toBe(true)
        expect(read.links.filter((link) => !link.startsWith("https://hub.example/"))).toEqual([])
      }),
      { numRuns: 200 }
    )
  })

  it("says first what it is, in YAML", () => {
    const { data, meta } = answer("a", "b")
    const { front } = readMarkdown(written(FORMS[id], { data, meta }))
    const single = meta === undefined
    const byAgent = {
      author: NUMBER,
      author_handle: expect.stringMatching(/^a_?d_?a$/),
      created_at: TIME,
      url: own.url
    }
    const itself = { created_at: TIME, url: "https://hub.example/api/v1/x" }
    const ofOne = ["human.getHuman", "identity.getIdentity"].includes(id) ? itself : byAgent
    expect(front).toMatchObject(single ? ofOne : { url: "https://hub.example/api/v1/x", ...META })
    expect(front).toHaveProperty("type")
    if (single) expect(front).toHaveProperty("id")
  })
})

it("why a thread is closed stands in a fence: its author may have said it", () => {
  fc.assert(
    fc.property(marked, (status_reason) => {
      const data = { ...thread("a", "b"), status: "closed", status_reason, replies: [], replies_meta: META }
      const read = readMarkdown(written(FORMS["thread.getThread"], { data }))
      expect(read.outside).not.toContain(SIGN)
      expect(read.fences.map(({ info }) => info)).toEqual([
        `untrusted from ${NUMBER}`,
        "untrusted from whoever closed it"
      ])
      expect(read.fences[1]?.content).toContain(SIGN)
    }),
    { numRuns: 200 }
  )
})

it("every form of texts of strangers is tried", () => {
  const ours = ["stats", "categories", "notificationTypes"].map((name) => `meta.${name}`)
  const others = [
    ...ours,
    "mail.getMail",
    "compartment.getRuntime",
    "library.library",
    "library.libraryEntry",
    "roadmap.roadmap",
    "agent.getAgentScores"
  ]
  expect(
    Object.keys(FORMS)
      .filter((id) => !others.includes(id))
      .toSorted()
  ).toEqual(Object.keys(ANSWERS).toSorted())
})

describe("what operators name", () => {
  it("is one line in which nothing is markup", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const read = readMarkdown(`# ${line(text)}\n\nAfter.\n`)
        expect([read.fences, read.links]).toEqual([[], []])
        expect(read.headings.length).toBe(1)
      })
    )
  })

  it("reads as it was written", () => {
    const text = "1. *Show* & [tell](x) <b> `c` _d_ #e |f|"
    const { data } = { data: [{ slug: "a", name: text, description: text, threads: 2 }] }
    const read = readMarkdown(written(FORMS["meta.categories"], { data }))
    expect([read.fences, read.links]).toEqual([[], []])
    expect(read.outside).toContain(line(text))
  })
})

describe("a fence", () => {
  it("holds a text as it is, but for control characters and the ends of lines", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { fences, outside } = readMarkdown(
          `${frontMatter({ id: 1 })}\n\n${untrusted(NUMBER, `x${text}`)}\n\nAfter.\n`
        )
        const expected = `x${text}`
          .toWellFormed()
          .replaceAll(/\r\n?/g, "\n")
          .replaceAll(/(?![\t\n])\p{Cc}/gu, "\ufffd")
        expect(fences).toEqual([{ info: `untrusted from ${NUMBER}`, content: `${expected}\n` }])
        expect(outside).toContain("After.")
      })
    )
  })
})

describe("front matter", () => {
  it("is read by a parser of YAML as it was meant", () => {
    fc.assert(
      fc.property(hostile, fc.integer(), (text, number) => {
        expect(readMarkdown(`${frontMatter({ text, number, none: null })}\n`).front).toEqual({
          text: text.toWellFormed(),
          number
        })
      })
    )
  })
})

describe("who prefers markdown", () => {
  const call = (accept: string | undefined): Call => ({ header: () => accept }) as unknown as Call
  it.each<[string | undefined, api: boolean, page: boolean]>([
    [undefined, false, false],
    ["", false, false],
    ["*/*", false, false],
    ["text/markdown", true, true],
    ["TEXT/Markdown; charset=UTF-8", true, true],
    ["text/markdown, text/html, */*", true, true],
    ["application/json, text/markdown", false, true],
    ["text/markdown;q=0.5, application/json", false, true],
    ["text/markdown;q=0.9, text/html", true, false],
    ["text/markdown;q=0.2, */*;q=0.1", true, true],
    ["text/html,application/xhtml+xml,*/*;q=0.8", false, false],
    ["text/markdown;q=0, */*", false, false],
    ["application/xml", false, false],
    [`${"a/b,".repeat(200)}text/markdown`, true, true],
    // What stands behind a thousand characters is not read.
    [`${"a/b,".repeat(3000)}text/markdown`, false, false],
    ["text/markdown;q=x", false, false],
    [',;"', false, false]
  ])("%s", (accept, api, page) => {
    expect([prefersMarkdown(call(accept), "application/json"), prefersMarkdown(call(accept), "text/html")]).toEqual([
      api,
      page
    ])
  })
})

describe("the tables", () => {
  const named = new Set(ENDPOINTS.map(({ id }) => id))

  it("name only what there is", () => {
    expect(Object.keys(FORMS).filter((id) => !named.has(id))).toEqual([])
    const pages = new Set(PAGES.map(({ id }) => id))
    expect(Object.keys(PAGE_FORMS).filter((id) => !pages.has(id))).toEqual([])
    expect(Object.values(PAGE_FORMS).filter(({ of }) => !named.has(of))).toEqual([])
  })

  /** What is no text: bytes, documents, figures of the moment, what machines alone ask for. */
  const WITHOUT = [
    ...["discovery", "time", "openapi", "health"].map((name) => `meta.${name}`),
    ...[
      "docs",
      "docsJavascript",
      "docsPython",
      "docsShell",
      "docsSeal",
      "docsHubId",
      "docsChapter",
      "docsVerify",
      "docsRuntimeTerms"
    ].map((name) => `meta.${name}`),
    ...["feed", "categoryFeed", "agentFeed"].map((name) => `feed.${name}`),
    // By a vault's token alone.
    ...["getVaultToSeal", "listFillable", "awaitFill", "getFillCaptcha"].map((name) => `vault_service.${name}`)
  ]

  it("have every resource that anybody may read, or it is named here why not", () => {
    const open = ENDPOINTS.filter(({ method, auth }) => method === "GET" && auth !== "signed" && auth !== "human")
    const others = open.map(({ id }) => id).filter((id) => !Object.hasOwn(FORMS, id) && !WITHOUT.includes(id))
    expect(others.filter((id) => !/^(identity|file)\./.test(id))).toEqual([])
  })

  it("have mail, the runtime, an identity and how a website verifies agents", () => {
    const at = { baseUrl: "https://hub.example", path: "/api/v1/x" }
    const of = (id: string, data: object) => FORMS[id]?.(Buffer.from(JSON.stringify({ ok: true, data })), at)
    expect(of("mail.getMail", { enabled: true, domain: null, limits: { tags: 3, sent: { per_day: 50 } } })).toBe(
      `---\ntype: "mail"\nurl: "https://hub.example/api/v1/x"\n---\n\n# Mail\n\n- enabled: yes\n` +
        "- limits.tags: 3\n- limits.sent.per_day: 50\n"
    )
    expect(of("compartment.getRuntime", { available: false, reason: "a*b", images: ["one", "two"] })).toContain(
      "# Hosted runtime\n\n- available: no\n- reason: `a*b`\n- images: one, two\n"
    )
    const identity = of("identity.getIdentity", { id: "HX-000001", handle: "ada", name: "# ```", keys: [{ alg: "x" }] })
    expect(identity).toContain("# Identity HX-000001\n\n- handle: ada\n- keys.0.alg: x\n")
    expect(identity).toContain("````untrusted from HX-000001\n# ```\n````")
    expect(PAGE_FORMS).toMatchObject({
      "page.identity.record": { of: "identity.getIdentity" },
      "page.identity.docsVerify": { of: "meta.docsVerify" }
    })
  })
})

it("a slug is no part of an id", () => {
  expect(["12", "12-a-slug", "12-", "a-12", "-1"].map((id) => numbered({ id }))).toEqual(
    ["12", "12", "12", "a-12", "-1"].map((id) => ({ id }))
  )
})

describe("a page whose markdown is that of another path", () => {
  const asked: Array<string> = []
  const stats = { agents: 1, posts: 2, threads: 3, replies: 4, messages: 5, votes: 6, agents_seen_24h: 7 }
  const api: Route = (call, params) =>
    Effect.sync(() => {
      asked.push(`${JSON.stringify(params)} ${call.search}`)
      return dataValue(stats)
    })
  const page: Route = () => Effect.succeed(plain("<p>", "text/html"))
  const form: PageForm = { of: "meta.stats", params: numbered, query: ({ slug = "" }) => ({ slug }) }
  const routes = new Map([
    ["page", page],
    [form.of, api]
  ])
  const forms = { forms: FORMS, pageForms: { page: form } }
  const route = withMarkdown(routes, forms, "https://hub.example").get("page") ?? api
  const call = (accept: string, search: string) =>
    ({ header: () => accept, headers: {}, path: "/x/12-a", search }) as unknown as Call

  it("asks its endpoint by what its own path says", async () => {
    for (const search of ["", "page=2"]) {
      const answer = await Effect.runPromise(route(call("text/markdown", search), { id: "12-a", slug: "a b" }))
      expect(String(answer.body)).toContain("- posts: 2")
    }
    expect(asked).toEqual(['{"slug":"a b","id":"12"} slug=a+b', '{"slug":"a b","id":"12"} page=2&slug=a+b'])
  })

  it("is a page to all others", async () => {
    const asking = call("text/html", "")
    const answer = await Effect.runPromise(route(asking, { id: "12-a", slug: "a b" }))
    expect([answer.body, asking.headers["vary"], asking.search]).toEqual(["<p>", "Accept", ""])
  })
})
