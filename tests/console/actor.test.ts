/** The pages about one actor: its history, its story, another command, and the search that leads to them. */
import { execFile } from "node:child_process"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { subjects, streams } from "../../schemas/subjects.ts"
import type { Opened } from "../../ops/console/audit.ts"
import { COMMITS_MAX } from "../../ops/console/actor/history.ts"
import { reading } from "../../ops/console/readings.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { readFixture } from "../../ops/replay/fixture.ts"
import { unescaped } from "../../edge/kit/html.ts"
import { headingOf, OwnerClient, problemsOf } from "../html/owner/client.ts"
import { type History, liveThrough } from "../ops/history.ts"
import { operate } from "../support/hub.ts"
import type { Answer } from "../support/http.ts"
import { dataOf } from "../support/outcome.ts"
import { logOf, sharedService, type TestService } from "../support/service.ts"
import { OperatorClient, startConsole, type TestConsole } from "./desk.ts"

const EVIL = '<script>alert(1)</script> \u202e@mallory <a href="https://evil.example">ada</a>'

let service: TestService
let desk: TestConsole
let past: History
let client: OperatorClient
/** The X-Request-Id of the change that wrote `EVIL`. */
let wrong: string
beforeAll(async () => {
  service = await sharedService()
  desk = await startConsole(service)
  past = await liveThrough(service)
  const answer = await past.client.call("PATCH", "/api/v1/me", { body: { description: EVIL } })
  dataOf(answer)
  wrong = String(answer.headers["x-request-id"])
  client = new OperatorClient(desk.url)
  await client.enterBy(await desk.link("grace"))
})
afterAll(async () => {
  await desk?.stop()
  await service?.stop()
})

const entries = () => logOf(service.view, "agent", past.id)
const page = (): string => `/actor/agent/${past.id}`
const opened = async () =>
  JSON.parse(await operate(service.system, ["console", "audit", "--json"])) as ReadonlyArray<Opened>
const partOf = ({ text }: Answer, id: string): string =>
  unescaped((text.split(`<section id="${id}"`)[1] ?? "").split("</section>")[0] ?? "").replaceAll(/<[^>]*>/g, "")

describe("an actor's page", () => {
  test.each(["handle", "number", "secondHubId", "id"] as const)("opens by %s", async (by) => {
    const shown = await client.get(`/actor/agent/${past[by]}`)
    expect([shown.status, headingOf(shown)]).toEqual([200, `agent/${past.id}`])
  })

  test("shows each commit, the state there, and what it changed", async () => {
    const all = await entries()
    const shown = await client.get(page())
    for (const { seq } of all) expect(shown.text).toContain(`?at=${seq}"`)
    const change = all.find(({ commit }) => JSON.stringify(commit).includes("I count things."))
    const at = await client.get(`${page()}?at=${change?.seq}`)
    expect(at.text).toContain(`<h2 id="commit-title">#${change?.seq} agent.update</h2>`)
    expect(unescaped(at.text)).toContain('<ins>+   "description": "I count things.",</ins>')
    expect(at.text).toContain(`<dd>${change?.commit.id}</dd>`)
    expect(at.text).toContain(`href="/explain/%23${change?.seq}"`)
    // Between two commits stands the one before.
    const between = await client.get(`${page()}?at=${(all[1]?.seq ?? 0) - 1}`)
    expect(between.text).toContain(`<h2 id="commit-title">#${all[0]?.seq} `)
  })

  test("masks every secret, in downloads as well", async () => {
    const paths = (await entries()).flatMap(({ seq }) =>
      ["", "&show=export", "&show=test", "&show=test-history"].map((more) => `${page()}?at=${seq}${more}`)
    )
    const challenge = `/actor/challenge/${past.challenge}`
    for (const path of [...paths, challenge, `/explain/${past.challenge}`]) {
      const { text } = await client.get(path)
      // Answers are short: numbers of a tag's attributes are none.
      const words = unescaped(text.replaceAll(/<[^>]*>/g, ""))
      for (const secret of past.secrets) expect(words, path).not.toContain(secret)
    }
    expect((await client.get(page())).text).toContain("[secret 1]")
  })

  test("shows what an agent wrote as text", async () => {
    const { text } = await client.get(page())
    expect(text).not.toContain("<script>alert")
    expect(text).not.toContain("evil.example&quot;&gt;ada</a>")
    expect(text).not.toContain("\u202e")
    expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt; \\u202e@mallory")
    expect(text).not.toContain('href="https://evil.example"')
  })

  test("is refused in words where there is nothing", async () => {
    expect(problemsOf(await client.get("/actor/agent/nobody-at-all"))).toEqual(["there is no agent nobody-at-all"])
    expect(problemsOf(await client.get("/actor/thread/999999"))).toEqual(["The log holds nothing of thread/999999."])
    expect(problemsOf(await client.get(`${page()}?at=soon`))).toEqual(["`at` must be a sequence, such as 14."])
    expect((await client.get("/actor/nonsense/1")).status).toBe(404)
    const guest = new OperatorClient(desk.url)
    expect((await guest.get(page())).status).toBe(303)
  })

  test("leaves a line in the audit stream, once for a while", async () => {
    const maria = new OperatorClient(desk.url)
    await maria.enterBy(await desk.link("maria"))
    const hers = async () => (await opened()).filter(({ who }) => who === "maria")
    expect(await hers()).toEqual([])
    await maria.get(page())
    await maria.get(`${page()}?at=1`)
    await maria.get(`${page()}?show=export`)
    await maria.get(`/explain/${wrong}`)
    const line = { who: "maria", by: "link", at: expect.any(Number) }
    expect(await hers()).toEqual([
      { ...line, what: "history", of: `agent/${past.id}` },
      { ...line, what: "export", of: `agent/${past.id}` },
      { ...line, what: "story", of: wrong }
    ])
    expect(await operate(service.system, ["console", "audit", "--last", "1"])).toMatch(
      new RegExp(`^\\S+Z {2}maria \\(one-time link\\) {2}story {2}${wrong}$`)
    )
    const { config } = await service.view.manager.streams.info(streams.audit)
    expect(config).toMatchObject({ subjects: [subjects.audit], deny_delete: true, deny_purge: true })
    expect(config.max_bytes).toBeGreaterThan(0)
    for (const last of ["0", "x", "10001"])
      await expect(operate(service.system, ["console", "audit", "--last", last])).rejects.toThrow(
        "--last takes a whole number"
      )
  })
})

test("more pages than may do not read the log at once", async () => {
  const ends: Array<() => void> = []
  const wait = () => reading(() => new Promise<void>((resolve) => ends.push(resolve)))
  const open = [wait(), wait(), wait(), wait()]
  await expect(wait()).rejects.toThrow("4 pages are reading the log already")
  expect(problemsOf(await client.get(page()))).toEqual([expect.stringContaining("4 pages are reading the log already")])
  for (const end of ends) end()
  await Promise.all(open)
  expect(problemsOf(await client.get(page()))).toEqual([])
})

describe("a long history", () => {
  const LENGTH = 450
  const id = `long-${process.pid}`
  const seqs: Array<number> = []
  beforeAll(async () => {
    for (let index = 0; index < LENGTH; index++) {
      const commit = {
        v: 1 as const,
        id: `of-a-test-${index}`,
        op: "test.claim",
        at: 1_700_000_000_000 + index,
        events: [{ type: "handle.claimed", v: 1, agent: `hx${index}` }]
      }
      const subject = subjects.event("handle", id)
      const done = await service.view.log.append([{ subject, expected: seqs.at(-1) ?? 0, commit }])
      if (!done.ok) throw new Error(done.reason)
      seqs.push(...done.seqs)
    }
  })

  const shownAt = async (place: number | null) => {
    const query = place === null ? "" : `?at=${seqs[place]}`
    const { text } = await client.get(`/actor/handle/${id}${query}`)
    const list = (text.split('<ol class="past"')[1] ?? "").split("</ol>")[0] ?? ""
    const shown = [...list.matchAll(/\?at=(\d+)"/g)].map(([, seq]) => seqs.indexOf(Number(seq)))
    return { text, list, shown }
  }

  test.each([
    [null, 250, 449, 449],
    [0, 0, 199, 0],
    [99, 0, 199, 99],
    [200, 101, 300, 200],
    [449, 250, 449, 449]
  ])("around %j is shown from %i to %i", async (place, first, last, chosen) => {
    const { text, list, shown } = await shownAt(place)
    expect(shown).toHaveLength(COMMITS_MAX)
    expect([shown[0], shown.at(-1)]).toEqual([first, last])
    expect(list).toContain(`?at=${seqs[chosen]}" aria-current="true"`)
    expect(unescaped(text)).toContain(`handle.claimed v1 {"agent":"hx${chosen}"}`)
    expect(text.includes(`${first} earlier commits`)).toBe(first > 0)
    expect(text.includes("Later commits")).toBe(last < LENGTH - 1)
  })
})

describe("what if", () => {
  const ask = (fields: Readonly<Record<string, string>>) => client.get(`${page()}?${new URLSearchParams(fields)}`)

  test("asks for the fields of the operation", async () => {
    const { text } = await ask({ op: "agent.suspend", show: "form" })
    for (const name of ["in.reason", "in.until", "in.report"]) expect(text).toContain(`name="${name}"`)
    expect(text).toContain("{reason: string, until?: number")
  })

  test("shows the decision, its events and what it changes, and writes nothing", async () => {
    const before = await entries()
    const shown = await ask({ op: "agent.suspend", "in.reason": "to see", show: "decision" })
    const text = unescaped(shown.text)
    expect(text).toContain("<strong>Accepted.</strong>")
    expect(text).toContain('agent.suspended v1 {"reason":"to see"')
    expect(text).toContain('<code>status</code></th><td><code>"active"</code></td>\n<td><code>"suspended"</code>')
    expect(text).toContain("Nothing really followed.")
    expect(await entries()).toEqual(before)
  })

  test("in place of a commit is compared with what really came", async () => {
    const [first] = await entries()
    const shown = await ask({
      at: String(first?.seq),
      when: "before",
      op: "agent.update",
      "in.name": "X",
      show: "decision"
    })
    const text = unescaped(shown.text)
    expect(text).toContain("with the actor at its beginning")
    expect(text).toContain("Refused:")
    expect(text).toContain("The commit that really followed")
  })

  test.each([
    [{ op: "agent.suspend", "in.until": "soon", "in.reason": "x" }, "`until` must be a number."],
    [{ op: "agent.update", "in.links": "{" }, "`links` must be JSON."],
    [{ op: "agent.update", "in.name": "a\nb" }, "`input.name`: "],
    [{ op: "agent.suspend", "in.reason": "x", time: "soon" }, "`at` must be a time in ISO 8601"],
    [{ op: "agent.nonsense" }, "agent has no operation agent.nonsense."]
  ])("refuses %j by the field's name", async (fields, problem) => {
    const shown = await ask({ ...fields, show: "decision" } as unknown as Readonly<Record<string, string>>)
    expect(unescaped(shown.text)).toContain(`<p class="problem" role="alert">${problem}`)
  })
})

describe("from the id of a wrong answer to a failing test", () => {
  const folder = join(projectRoot, ".hub", `made-by-console-${process.pid}`)
  beforeAll(async () => {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, "vitest.config.mjs"), 'export default { test: { include: ["*.test.ts"] } }\n')
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** `null`: it passes. */
  const run = () =>
    promisify(execFile)(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "--root", folder], {
      cwd: projectRoot,
      env: { ...process.env, VITEST: undefined, VITEST_WORKER_ID: undefined, VITEST_POOL_ID: undefined },
      timeout: 120_000,
      killSignal: "SIGKILL"
    }).then(
      () => null,
      (error: unknown) => {
        const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
        return stdout + stderr
      }
    )

  const linkIn = (text: string, pattern: RegExp): string => unescaped(pattern.exec(text)?.[1] ?? "")
  const kept = async (path: string): Promise<string> => {
    const { headers, text } = await client.get(path)
    const name = /^attachment; filename="([\w.-]+)"$/.exec(headers["content-disposition"] ?? "")?.[1] ?? ""
    await writeFile(join(folder, name), text)
    return name
  }

  test("all of it is links and forms of the console", async () => {
    const sought = await client.get(`/search?q=${wrong}`)
    expect([sought.status, sought.headers.location]).toEqual([303, `/explain/${wrong}`])
    const story = await client.follow(sought)
    const actor = await client.get(linkIn(story.text, /<a href="(\/actor\/agent\/[^"]+)">/))
    expect(partOf(actor, "commit")).toContain("agent.update")
    const link = linkIn(actor.text, /<a href="([^"]+)">Try another command in its place<\/a>/)
    const [instead = ""] = link.split("#")
    const form = await client.get(instead)
    expect(form.text).toContain('name="in.description"')
    const given = new URLSearchParams(instead.split("?")[1])
    given.set("in.description", "as it should be")
    const decided = await client.get(`${page()}?${given}&show=decision`)
    expect(unescaped(decided.text)).toContain('agent.profile_changed v1 {"description":"as it should be"}')
    const files = [await kept(`${page()}?${given}&show=test-history`), await kept(`${page()}?${given}&show=test`)]
    expect(files[1]).toBe(files[0]?.replace(".history.json", ".test.ts"))
    expect(readFixture(await readFile(join(folder, files[0] ?? ""), "utf8")).commits.length).toBeGreaterThan(0)
    expect(await run()).toBeNull()
    given.set("expected", '{"events": [{"type": "agent.nothing_such", "v": 1}]}')
    await kept(`${page()}?${given}&show=test`)
    expect(await run()).toContain("agent.nothing_such")
  })
})

describe("a story", () => {
  test("of a refusal leads to who was refused", async () => {
    const refused = await past.client.call("PATCH", "/api/v1/me", { body: { name: "" } })
    expect(refused.status).toBeGreaterThanOrEqual(400)
    const { text } = await client.get(`/explain/${String(refused.headers["x-request-id"])}`)
    expect(text).toContain("<h2>Refused</h2>")
    expect(text).toContain(refused.code)
    expect(text).toContain(`href="/actor/agent/${past.id}`)
  })

  test("that is nowhere is said to be so", async () => {
    const nowhere = "00000000-0000-4000-8000-000000000000"
    expect((await client.get(`/explain/${nowhere}`)).text).toContain('<p id="nothing">The log holds no commit of it')
    expect(problemsOf(await client.get("/explain/%23999999999"))).toEqual([
      expect.stringContaining("the log holds no commit #999999999")
    ])
    expect(problemsOf(await client.get(`/explain/${nowhere}?since=soon`))).toEqual([
      "--since takes a sequence or a time"
    ])
  })
})

describe("the search", () => {
  const leadsTo = async (text: string) => {
    const { status, headers } = await client.get(`/search?q=${encodeURIComponent(text)}`)
    return [status, headers.location]
  }

  test("stands on every page", async () => {
    for (const path of ["/", "/search", page()])
      expect((await client.get(path)).text).toContain('<form class="find" role="search" action="/search">')
  })

  test("leads to an agent by each of its names", async () => {
    const { id, handle, number, firstKey, secondKey, secondHubId } = past
    for (const text of [id, handle, `@${handle}`, number, firstKey, secondKey, secondHubId, ` ${handle} `])
      expect(await leadsTo(text), text).toEqual([303, page()])
  })

  test("leads to actors of any kind, and to stories", async () => {
    const [first] = await entries()
    const dot = first?.commit.id ?? ""
    expect(await leadsTo(`handle/${past.handle}`)).toEqual([303, `/actor/handle/${past.handle}`])
    expect(await leadsTo(past.challenge)).toEqual([303, `/actor/challenge/${past.challenge}`])
    expect(await leadsTo(`#${first?.seq}`)).toEqual([303, `/explain/%23${first?.seq}`])
    expect(await leadsTo(dot)).toEqual([303, `/explain/${dot}`])
    expect(await leadsTo("general")).toEqual([303, "/actor/category/general"])
  })

  test("leads to a person by address", async () => {
    const person = new OwnerClient(() => service.edges[0] ?? "")
    await person.signUp()
    const [status, to] = await leadsTo(person.email.toUpperCase())
    expect([status, to]).toEqual([303, expect.stringMatching(/^\/actor\/human\/hum_\w+$/)])
    const shown = await client.get(String(to))
    expect(shown.status).toBe(200)
    expect(shown.text).not.toContain(person.email)
    expect(shown.text).not.toContain(person.name)
  })

  test.each([
    "nobody-at-all",
    "delivery/999999999",
    "em_999999999",
    "nobody@nowhere.example",
    "nowhere.example",
    "HX-999999",
    "cmp_nothing",
    "<script>alert(1)</script>",
    "a b"
  ])("says that there is no %s", async (text) => {
    const shown = await client.get(`/search?q=${encodeURIComponent(text)}`)
    expect(shown.status).toBe(200)
    expect(unescaped(shown.text)).toContain(`Nothing in the log is called <strong>${text}</strong>.`)
    expect(shown.text).not.toContain("<script>alert")
  })
})
