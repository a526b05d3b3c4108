/** Reports: filed by agents, decided by operators, and what comes of them (spec 4.4, 4.6; contract 3, 12, 19). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { resolveReport } from "../../ops/moderation/reports.ts"
import { OPERATOR } from "../../schemas/content/author.ts"
import type { Notification } from "../../schemas/notification/api.ts"
import type { Post } from "../../schemas/post/records.ts"
import type { Report, ReportInQueue } from "../../schemas/report/records.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { logOf, sharedService, type TestService } from "../support/service.ts"

const TIME = expect.stringMatching(/^\d{4}-.*Z$/)
const REPORTS = "/api/v1/reports"

let service: TestService
let edge = ""
let written = 0
let operator: AgentClient
let [reporter, accused] = [new AgentClient({ edge: () => edge }), new AgentClient({ edge: () => edge })]
let who: Registered

const anAgent = async (): Promise<readonly [AgentClient, Registered]> => {
  const client = new AgentClient({ edge: () => edge })
  return [client, await register(client, { edge })]
}

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  const [client, { handle }] = await anAgent()
  operator = client
  await operate(service.system, ["agent", "grant", handle, "operator"])
})
afterAll(() => service?.stop())
beforeEach(async () => {
  ;[[reporter], [accused, who]] = await Promise.all([anAgent(), anAgent()])
})

const publish = async (as = accused): Promise<Post> =>
  dataOf<Post>(
    await as.call("POST", "/api/v1/posts", {
      body: { title: "One", body: `A text, number ${written++}, of one's own.` }
    })
  )
const file = (target_type: string, target_id: number | string, more: object = {}, as = reporter) =>
  as.call("POST", REPORTS, { body: { target_type, target_id, reason: "spam", ...more } })
const filed = async (target_type: string, target_id: number | string): Promise<Report> =>
  dataOf<Report>(await file(target_type, target_id))
const resolve = (id: number, body: object, as = operator) => as.call("POST", `${REPORTS}/${id}/resolve`, { body })
const mine = async () => dataOf<ReadonlyArray<Report>>(await reporter.call("GET", "/api/v1/me/reports"))
const told = (as: AgentClient, type: string): Promise<Notification> =>
  waitFor(
    async () =>
      dataOf<ReadonlyArray<Notification>>(await as.call("GET", "/api/v1/me/notifications")).find(
        (one) => one.type === type
      ),
    { describe: type }
  )
const trust = (as: AgentClient, value: number) =>
  waitFor(
    async () => dataOf<{ scores: { trust: number } }>(await as.call("GET", "/api/v1/me")).scores.trust === value,
    { describe: `a trust of ${value}` }
  )

describe("filing", () => {
  test("is a record, seen by who filed it and by operators", async () => {
    const { id } = await publish()
    const answer = await file("post", id, { text: "It sells pills." })
    const report = dataOf<Report>(answer)
    expect(answer.status).toBe(201)
    expect(report).toEqual({
      id: expect.any(Number),
      target_type: "post",
      target_id: id,
      reason: "spam",
      text: "It sells pills.",
      status: "open",
      outcome: null,
      created_at: TIME,
      resolved_at: null
    })
    expect(await mine()).toEqual([report])
    expect(dataOf(await operator.call("GET", `${REPORTS}/${report.id}`))).toEqual({
      ...report,
      reporter: expect.objectContaining({ status: "active" }),
      about: expect.objectContaining({ handle: who.handle }),
      note: null
    })
    for (const path of [REPORTS, `${REPORTS}/${report.id}`])
      expect(outcome(await reporter.call("GET", path))).toBe("403 operator_required")
    const last = dataOf<ReadonlyArray<ReportInQueue>>(
      await operator.call("GET", `${REPORTS}?status=open&per_page=100`)
    ).at(-1)
    expect(last?.id).toBe(report.id)
  })

  test("is of what stands, by others, and once until it is decided", async () => {
    const { id } = await publish()
    const { id: report } = await filed("post", id)
    const again = await file("post", id, { reason: "scam" })
    expect([outcome(again), detailsOf(again)["existing_id"]]).toEqual(["409 report_exists", report])
    expect(outcome(await file("post", id, {}, accused))).toBe("422 report_own")
    expect(outcome(await file("post", 999_999_999))).toBe("404 not_found")
    expect(outcome(await file("agent", who.handle))).toBe("201")
    expect(outcome(await file("agent", who.id))).toBe("409 report_exists")
    expect(outcome(await file("agent", "nobody-has-this"))).toBe("404 not_found")
    await resolve(report, { outcome: "none" })
    expect(outcome(await file("post", id))).toBe("201")
  })

  test("is refused by the field that is wrong", async () => {
    const { id } = await publish()
    expect(fieldOf(await file("agent", 7))).toBe("target_id")
    expect(fieldOf(await file("post", "x"))).toBe("target_id")
    expect(fieldOf(await file("compartment", "cmp_1"))).toBe("target_id")
    expect(fieldOf(await file("category", "help"))).toBe("target_type")
    expect(fieldOf(await file("post", id, { reason: "dull" }))).toBe("reason")
    expect(fieldOf(await file("post", id, { text: "x".repeat(2001) }))).toBe("text")
  })

  test("of a private message is for who got it", async () => {
    const { handle } = dataOf<{ handle: string }>(await reporter.call("GET", "/api/v1/me"))
    const body = { to: handle, body: "Buy this." }
    const { id } = dataOf<{ id: number }>(await accused.call("POST", "/api/v1/messages", { body }))
    expect(outcome(await file("message", id, {}, operator))).toBe("404 not_found")
    expect(outcome(await file("message", id, {}, accused))).toBe("422 report_own")
    expect(outcome(await file("message", id))).toBe("201")
  })
})

describe("deciding", () => {
  test("is for operators, once", async () => {
    const { id } = await filed("post", (await publish()).id)
    expect(outcome(await resolve(id, { outcome: "none" }, reporter))).toBe("403 operator_required")
    expect(outcome(await reporter.call("POST", `${REPORTS}/${id}/review`))).toBe("403 operator_required")
    expect(dataOf(await operator.call("POST", `${REPORTS}/${id}/review`))).toMatchObject({ status: "reviewing" })
    expect(fieldOf(await resolve(id, { outcome: "warned", rejected: true }))).toBe("outcome")
    const decided = await resolve(id, { outcome: "none", rejected: true, note: "It is fine." })
    expect(dataOf(decided)).toMatchObject({
      status: "rejected",
      outcome: "none",
      note: "It is fine.",
      resolved_at: TIME
    })
    expect(outcome(await resolve(id, { outcome: "none" }))).toBe("409 report_closed")
    expect(outcome(await operator.call("POST", `${REPORTS}/${id}/review`))).toBe("409 report_closed")
    expect(outcome(await resolve(999_999_999, { outcome: "none" }))).toBe("404 not_found")
    expect((await told(reporter, "report.resolved")).payload).toMatchObject({
      report_id: id,
      target_type: "post",
      status: "rejected",
      outcome: "none",
      note: "It is fine."
    })
    expect(await mine()).toMatchObject([{ id, status: "rejected", outcome: "none" }])
  })

  test("removed: it is hidden, and its author told why", async () => {
    const post = await publish()
    const { id } = await filed("post", post.id)
    await resolve(id, { outcome: "removed", note: "Nobody wants this." })
    expect((await told(accused, "content.hidden")).payload).toMatchObject({ reason: "Nobody wants this." })
    expect((await send({ edge, method: "GET", path: `/api/v1/posts/${post.id}` })).status).toBe(404)
    const agent = await filed("agent", who.handle)
    expect(fieldOf(await resolve(agent.id, { outcome: "removed" }))).toBe("outcome")
  })

  test("warned: fifteen points of trust, and a word", async () => {
    const { id } = await filed("agent", who.handle)
    await resolve(id, { outcome: "warned", note: "Stop that." })
    expect((await told(accused, "moderation.warned")).payload).toMatchObject({
      target_type: "agent",
      target_id: who.id,
      reason: "Stop that."
    })
    await trust(accused, 0)
  })

  test.each(["post", "thread", "reply", "message"])("warned for a %s: its number, and where it is", async (noun) => {
    const made = async (path: string, body: object): Promise<number> =>
      dataOf<{ id: number }>(await accused.call("POST", `/api/v1${path}`, { body })).id
    const text = `A text, number ${written++}, that operators warn of.`
    const thread =
      noun === "post" || noun === "message" ? 0 : await made("/threads", { title: "One", body: text, category: "help" })
    const { id: to } = dataOf<Registered>(await reporter.call("GET", "/api/v1/me"))
    const [id, page, api] = await {
      post: async () => {
        const post = await made("/posts", { title: "One", body: text })
        return [post, `/posts/${post}`, `/posts/${post}`] as const
      },
      thread: async () => [thread, `/threads/${thread}`, `/threads/${thread}`] as const,
      reply: async () => {
        const reply = await made(`/threads/${thread}/replies`, { body: `${text} So it is.` })
        return [reply, `/threads/${thread}#reply-${reply}`, `/replies/${reply}`] as const
      },
      message: async () => {
        const message = await made("/messages", { to, body: text })
        return [message, `/api/v1/messages/${message}`, `/messages/${message}`] as const
      }
    }[noun as "post"]()
    await resolve((await filed(noun, id)).id, { outcome: "warned" })
    const { payload } = await told(accused, "moderation.warned")
    const base = new URL(String(payload["url"])).origin
    expect(payload).toEqual({
      target_type: noun,
      target_id: id,
      reason: "reported for spam",
      url: `${base}${page}`,
      api_url: `${base}/api/v1${api}`
    })
    const entry = await waitFor(
      async () =>
        dataOf<{ entries: ReadonlyArray<{ reason: string; target_id: unknown }> }>(
          await accused.call("GET", "/api/v1/me/scores")
        ).entries.find(({ reason }) => reason === "report_upheld"),
      { describe: "the entry" }
    )
    expect(entry).toMatchObject({ target_type: noun, target_id: id })
  })

  test("suspended: for so many days", async () => {
    const { id } = await filed("post", (await publish()).id)
    await resolve(id, { outcome: "suspended", days: 3 })
    const { payload } = await told(accused, "moderation.suspended")
    const days = (Date.parse(String(payload["until"])) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(2.9)
    expect(days).toBeLessThanOrEqual(3)
  })

  test("banned: its account is closed", async () => {
    const { id } = await filed("agent", who.handle)
    await resolve(id, { outcome: "banned" })
    await waitFor(async () => outcome(await accused.call("GET", "/api/v1/me")) === "403 agent_banned", {
      describe: "the ban"
    })
  })
})

describe("an outcome that is refused after the decision", () => {
  const ends = async () =>
    expect(outcome(await accused.call("DELETE", "/api/v1/me", { body: { confirm: who.handle } }))).toMatch(/^20\d$/)
  const record = async (id: number) => dataOf<ReportInQueue>(await operator.call("GET", `${REPORTS}/${id}`))
  const outcomesTold = async (as: AgentClient) =>
    dataOf<ReadonlyArray<Notification>>(await as.call("GET", "/api/v1/me/notifications"))
      .filter(({ type }) => type === "report.resolved")
      .map(({ payload }) => payload["outcome"])
  const fate = (id: number) =>
    waitFor(
      async () => {
        const types = (await logOf(service.view, "report", String(id))).flatMap(({ commit }) =>
          commit.events.map(({ type }) => type)
        )
        return types.find((type) => type === "report.carried_out" || type === "report.not_carried_out")
      },
      { describe: "the outcome's fate" }
    )
  const verdict = { by: OPERATOR, rejected: false, days: 3, note: null, settled: false } as const
  /** Settled decisions pass the check of the account, as one does whose account ends right after the check. */
  const late = (): Parameters<typeof resolveReport>[0] => {
    const { db, log, clock, command } = service.view
    const unchecked = (op: string, id: string, input: object) =>
      command(op as "report.resolve", id, { ...input, settled: true } as never)
    return { db, log, clock, command: unchecked as typeof command }
  }

  test.each(["banned", "suspended", "warned"] as const)(
    "%s: reporters of the same target are not told",
    async (one) => {
      const [second] = await anAgent()
      const { id } = await filed("agent", who.handle)
      const other = dataOf<Report>(await file("agent", who.handle, {}, second))
      await ends()
      const decide = () => resolveReport(late(), id, { ...verdict, outcome: one }, true)
      await expect(decide()).rejects.toThrow(/was refused.*deleted.*not decided/)
      expect(await fate(id)).toBe("report.not_carried_out")
      expect(await record(other.id)).toMatchObject({ status: "open", outcome: null })
      // The repeated call decides again, with the same end.
      await expect(decide()).rejects.toThrow("not decided")
      expect(await record(other.id)).toMatchObject({ status: "open", outcome: null })
      expect([await outcomesTold(reporter), await outcomesTold(second)]).toEqual([[], []])
      await expect(resolveReport(late(), id, { ...verdict, outcome: one }, false)).rejects.toThrow("was refused")
    }
  )

  test.each(["banned", "suspended"] as const)("%s by another report counts only while it is so", async (one) => {
    const { id } = await filed("agent", who.handle)
    await service.view.command("report.resolve", String(id), { ...verdict, outcome: one, settled: true })
    expect(await fate(id)).toBe("report.not_carried_out")
    const shown = await waitFor(
      async () => {
        const report = await record(id)
        return report.status === "reviewing" ? report : null
      },
      { describe: "the report's return" }
    )
    expect(shown.note).toBe("The account is active, so the outcome is not in force.")
    expect(await outcomesTold(reporter)).toEqual([])
  })

  test.each(["banned", "suspended", "warned"] as const)("%s by another report counts if it is so", async (one) => {
    const [second] = await anAgent()
    const { id } = await filed("agent", who.handle)
    const other = dataOf<Report>(await file("agent", who.handle, {}, second))
    const { db, log, clock, command } = service.view
    const decided = await resolveReport({ db, log, clock, command }, id, { ...verdict, outcome: one }, true)
    expect(decided).toMatchObject({ status: "resolved", others: { resolved: 1 } })
    expect([await fate(id), await fate(other.id)]).toEqual(["report.carried_out", "report.carried_out"])
  })

  test("is answered as what became of the report, whenever the account ends", async () => {
    for (let time = 0; time < 6; time++) {
      const [victim, { handle }] = await anAgent()
      const { id } = await filed("agent", handle)
      const [answer] = await Promise.all([
        resolve(id, { outcome: time % 2 === 0 ? "banned" : "suspended" }),
        victim.call("DELETE", "/api/v1/me", { body: { confirm: handle } })
      ])
      const { status, note } = await record(id)
      // A read model that is late on a slow machine is said to be so.
      if (outcome(answer) === "503 unavailable") continue
      if (answer.status === 200) expect(dataOf(answer)).toMatchObject({ status, note })
      else expect([fieldOf(answer), status]).toEqual(["outcome", "open"])
    }
  })
})

describe("an outcome is told once it is done", () => {
  const suspend = (...more: ReadonlyArray<string>) =>
    operate(service.system, ["agent", "suspend", who.handle, "--reason", "earlier", ...more])
  const standing = async () => dataOf<{ until: string | null }>(await accused.call("GET", "/api/v1/me/standing")).until

  test("a suspension that is longer than the one that stands takes its place", async () => {
    const { id } = await filed("agent", who.handle)
    await suspend("--until", new Date(Date.now() + 3_600_000).toISOString())
    await resolve(id, { outcome: "suspended", days: 3 })
    expect((await told(reporter, "report.resolved")).payload).toMatchObject({ outcome: "suspended" })
    expect(Date.parse((await standing()) ?? "")).toBeGreaterThan(Date.now() + 2 * 86_400_000)
  })

  test("one that is shorter leaves it is", async () => {
    const { id } = await filed("agent", who.handle)
    await suspend()
    await resolve(id, { outcome: "suspended", days: 3 })
    expect((await told(reporter, "report.resolved")).payload).toMatchObject({ outcome: "suspended" })
    expect(await standing()).toBeNull()
  })

  test("one that is refused after all goes back to the operators, and nobody is told of it", async () => {
    const { id } = await filed("agent", who.handle)
    await operate(service.system, ["agent", "ban", who.handle, "--reason", "earlier"])
    const resolution = { by: "op", status: "resolved", outcome: "warned", note: null, until: null } as const
    await service.view.command("report.carry_out", String(id), { ...resolution, settled: false })
    const shown = await waitFor(
      async () => {
        const report = dataOf<ReportInQueue>(await operator.call("GET", `${REPORTS}/${id}`))
        return report.status === "reviewing" ? report : null
      },
      { describe: "the report's return" }
    )
    expect(shown).toMatchObject({ outcome: null, note: "This agent is banned." })
    await resolve(id, { outcome: "banned" })
    expect((await told(reporter, "report.resolved")).payload).toMatchObject({ outcome: "banned" })
    const all = dataOf<ReadonlyArray<Notification>>(await reporter.call("GET", "/api/v1/me/notifications"))
    expect(all.filter(({ type }) => type === "report.resolved")).toHaveLength(1)
    expect(outcome(await file("agent", who.handle))).toBe("404 not_found")
  })

  test("what a closed account cannot suffer any more is refused to the operator", async () => {
    const { id } = await filed("agent", who.handle)
    await operate(service.system, ["agent", "ban", who.handle, "--reason", "earlier"])
    for (const outcomeWanted of ["warned", "suspended"])
      expect(fieldOf(await resolve(id, { outcome: outcomeWanted }))).toBe("outcome")
    expect(await mine()).toMatchObject([{ id, status: "open", outcome: null }])
    expect(dataOf(await resolve(id, { outcome: "banned" }))).toMatchObject({ status: "resolved" })
    expect((await told(reporter, "report.resolved")).payload).toMatchObject({ outcome: "banned" })
  })
})

test("whoever holds the machine decides by command, all reports on one thing at once", async () => {
  const post = await publish()
  const [second] = await anAgent()
  const { id } = await filed("post", post.id)
  const other = dataOf<Report>(await file("post", post.id, {}, second))
  const run = async (...args: ReadonlyArray<string>) => JSON.parse(await operate(service.system, ["report", ...args]))
  expect(await run("list")).toContainEqual(expect.objectContaining({ id: String(id), about: who.handle }))
  expect(await run("review", String(id))).toMatchObject({ status: "reviewing" })
  const decided = await run("resolve", String(id), "--outcome", "warned", "--note", "Once.", "--all-of-target")
  expect(decided).toMatchObject({ status: "resolved", outcome: "warned" })
  expect(await run("show", String(other.id))).toMatchObject({ status: "resolved", outcome: "warned" })
  expect(decided).toMatchObject({ others: { resolved: 1, passed_over: 0 } })
  // As if it had been broken off after the first: said again it goes on, and does nothing a second time.
  const [third] = await anAgent()
  const late = dataOf<Report>(await file("post", post.id, {}, third))
  const again = (outcome: string) =>
    run("resolve", String(id), "--outcome", outcome, "--note", "Once.", "--all-of-target")
  await expect(again("removed")).rejects.toThrow("resolved with the outcome warned")
  expect(await run("show", String(late.id))).toMatchObject({ status: "open" })
  expect(await again("warned")).toMatchObject({ outcome: "warned", others: { resolved: 1, passed_over: 0 } })
  expect(await again("warned")).toMatchObject({ others: { resolved: 0, passed_over: 0 } })
  expect(await run("show", String(late.id))).toMatchObject({ status: "resolved", outcome: "warned" })
  await told(second, "report.resolved")
  await trust(accused, 0)
  const history = dataOf<{ entries: ReadonlyArray<{ reason: string; delta: number }> }>(
    await accused.call("GET", "/api/v1/me/scores")
  )
  expect(history.entries.filter(({ reason }) => reason === "report_upheld")).toEqual([
    expect.objectContaining({ delta: -10 })
  ])
})
