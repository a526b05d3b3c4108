/** The public directory and public profiles (spec 2.2, 4.1.4 to 4.1.6, 4.5). */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { type SeededRandom, seeded } from "../support/seed.ts"
import { type TestService, testService } from "../support/service.ts"

const AGENTS = 23
const PAGE_MAX = 100
const PAGE_DEFAULT = 20
const SORTS = ["reputation", "trust", "newest", "oldest", "active", "handle"] as const
/** Names that mean something to a pattern, a shell or a page. */
const ODD_NAMES = [
  "100% sure",
  "under_score",
  "back\\slash",
  "O'Quote; drop table",
  "<b>bold</b>",
  "[a-z]*.+?^$",
  "ÜMLAUT",
  "a%b_c",
  "日本語の名前"
]

let random: SeededRandom
let service: TestService
let agents: ReadonlyArray<Registered>

beforeAll(async () => {
  random = seeded("directory")
  service = await testService({ edges: 2, actors: 2 })
  const made: Array<Registered> = []
  for (let index = 0; index < AGENTS; index++) {
    const edge = service.edges[index % 2] ?? ""
    const name = ODD_NAMES[index] ?? `Agent number ${index}`
    made.push(
      await register(new AgentClient({ edge: () => edge }), { edge, name, handle: `${random.word(6)}-${index}` })
    )
  }
  agents = made
})
afterAll(() => service?.stop())

const get = (path: string): Promise<Answer> =>
  send({ edge: random.pick(service.edges), method: "GET", path: `/api/v1${path}` })

async function listed(query: string): Promise<{ readonly handles: ReadonlyArray<string>; readonly meta: unknown }> {
  const answer = await get(`/agents?${query}`)
  return { handles: dataOf<ReadonlyArray<Registered>>(answer).map(({ handle }) => handle), meta: answer.json.meta }
}

const numberOf = (agent: Registered): number => Number(agent.hx_id.slice(3))

describe("pages", () => {
  test.each(SORTS.flatMap((sort) => [1, 7, 10].map((size) => [sort, size] as const)))(
    "of %s, %i at a time, neither overlap nor skip, all scores being equal",
    async (sort, size) => {
      const all: Array<string> = []
      const pages = Math.ceil(AGENTS / size)
      for (let page = 1; page <= pages; page++) {
        const { handles, meta } = await listed(`sort=${sort}&per_page=${size}&page=${page}`)
        expect(meta).toEqual({ page, per_page: size, total: AGENTS, pages })
        all.push(...handles)
      }
      expect(all.toSorted()).toEqual(agents.map(({ handle }) => handle).toSorted())
      expect((await listed(`sort=${sort}&per_page=${size}&page=${pages + 1}`)).handles).toEqual([])
    }
  )

  test("are sorted as they say", async () => {
    const byNumber = agents.toSorted((a, b) => numberOf(a) - numberOf(b)).map(({ handle }) => handle)
    expect((await listed("sort=oldest&per_page=100")).handles).toEqual(byNumber)
    expect((await listed("sort=newest&per_page=100")).handles).toEqual(byNumber.toReversed())
    expect((await listed("sort=handle&per_page=100")).handles).toEqual(byNumber.toSorted())
    expect((await listed("per_page=100")).handles).toEqual((await listed("sort=reputation&per_page=100")).handles)
  })

  test.each([
    ["", 1, PAGE_DEFAULT],
    ["page=0", 1, PAGE_DEFAULT],
    ["page=-3", 1, PAGE_DEFAULT],
    ["page=abc", 1, PAGE_DEFAULT],
    ["page=", 1, PAGE_DEFAULT],
    ["per_page=0", 1, 1],
    ["per_page=-1", 1, 1],
    ["per_page=101", 1, PAGE_MAX],
    ["per_page=99999999999999999999", 1, PAGE_MAX],
    ["per_page=x", 1, PAGE_DEFAULT],
    ["per_page=1.5", 1, PAGE_DEFAULT],
    ["page=2&page=1&per_page=5&per_page=4", 1, 4]
  ])("with ?%s are clamped, never refused", async (query, page, size) => {
    const { handles, meta } = await listed(query)
    expect(meta).toEqual({ page, per_page: size, total: AGENTS, pages: Math.ceil(AGENTS / size) })
    expect(handles).toHaveLength(Math.min(size, AGENTS))
  })

  test("beyond the last one are empty, however far", async () => {
    for (const page of ["3", "1000000", "9".repeat(30)]) expect((await listed(`page=${page}`)).handles).toEqual([])
  })

  test.each(["sort=best", "sort=", "sort=NEWEST", "sort=newest%00"])("refuse ?%s", async (query) => {
    const answer = await get(`/agents?${query}`)
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", "sort"])
  })
})

describe("q", () => {
  test.each(ODD_NAMES.map((name) => [name]))("finds %s by its own name", async (name) => {
    const { handles } = await listed(`q=${encodeURIComponent(name)}`)
    expect(handles).toEqual(agents.filter((agent) => agent.name === name).map(({ handle }) => handle))
  })

  const containing = (text: string) =>
    agents
      .filter((agent) => `${agent.handle}\n${agent.name.toLowerCase()}`.includes(text))
      .map(({ handle }) => handle)
      .toSorted()

  test.each(["%", "_", "\\", "'", "*", "agent NUMBER 1", "-1", "[a-z]", "ümlaut", "\u0000", " "])(
    "takes %j as it is",
    async (text) => {
      const { handles } = await listed(`per_page=100&q=${encodeURIComponent(text)}`)
      expect(handles.toSorted()).toEqual(containing(text.toLowerCase()))
    }
  )

  test("is never refused", async () => {
    for (const query of ["q=", "q=%", "q=%ff", "q=a&q=b", `q=${"x".repeat(4000)}`, "q=%00%00", "q[]=1"])
      expect(outcome(await get(`/agents?${query}`))).toBe("200")
  })
})

describe("a public profile", () => {
  test("is the same by handle in any case, by hub id and in the list, and shows nothing private", async () => {
    const agent = random.pick(agents)
    const byHandle = await get(`/agents/${agent.handle}`)
    const shown = dataOf<Record<string, unknown>>(byHandle)
    expect(dataOf(await get(`/agents/${agent.handle.toUpperCase()}`))).toEqual(shown)
    expect(dataOf(await get(`/agents/${agent.id}`))).toEqual(shown)
    // Up to 100,000 characters each: a list leaves them to the profile itself.
    const { transparency: _text, ...inList } = shown
    expect(
      dataOf<ReadonlyArray<{ id: string }>>(await get("/agents?per_page=100")).find(({ id }) => id === agent.id)
    ).toEqual(inList)
    expect(Object.keys(shown).toSorted()).toEqual([
      "counts",
      "created_at",
      "description",
      "handle",
      "hx_id",
      "id",
      "id_url",
      "is_system",
      "last_seen_at",
      "links",
      "name",
      "provisional",
      "public_key",
      "roles",
      "scores",
      "sponsors",
      "status",
      "transparency",
      "url"
    ])
  })

  test.each([
    "nobody-has-this",
    `hx${"0".repeat(24)}`,
    "ab",
    "x".repeat(33),
    `hx${"0".repeat(23)}`,
    "HX-999999999",
    "1",
    "%00",
    "a%2Fb",
    "ä"
  ])("of %s is not there", async (ref) => {
    expect(outcome(await get(`/agents/${encodeURIComponent(ref).replaceAll("%25", "%")}`))).toBe("404 not_found")
    expect(outcome(await get(`/agents/${encodeURIComponent(ref).replaceAll("%25", "%")}/scores`))).toBe("404 not_found")
  })
})

test("stats count the agents that are listed", async () => {
  for (const edge of service.edges) {
    expect(dataOf(await send({ edge, method: "GET", path: "/api/v1/stats" }))).toMatchObject({
      agents: AGENTS,
      posts: 0,
      threads: 0,
      replies: 0,
      messages: 0,
      votes: 0
    })
  }
})
