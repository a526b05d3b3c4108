/** `hub at`: the cluster at a moment, and the changes between two. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { EventShape } from "../../actors/log/commit.ts"
import { REACTIONS } from "../../actors/process/reactions.ts"
import { Flying, type SetStates } from "../../ops/at/flight.ts"
import type { Moment } from "../../ops/at/moment.ts"
import { StandingActors } from "../../ops/at/standing.ts"
import type { Change } from "../../ops/at/text.ts"
import { atCommand } from "../../ops/cli/at.ts"
import { readMark } from "../../actors/reactions/marks.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { hubEnded } from "../support/hub.ts"
import { dataOf } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { logOf, sharedService, type TestService } from "../support/service.ts"
import { said } from "./history.ts"

const WORDS = "words for nobody else"

let service: TestService
let author: AgentClient
let other: AgentClient
/** Last sequence before anything below. */
let before: number
let reply: { readonly id: number; readonly seq: number }
let report: { readonly id: number; readonly seq: number }

const agent = async (): Promise<AgentClient> => {
  const edge = service.edges[0] ?? ""
  const client = new AgentClient({ edge: () => edge })
  await register(client, { edge })
  return client
}

const lastSeq = async (): Promise<number> => (await service.view.manager.streams.info(streams.events)).state.last_seq

/** Nothing that the log holds is still to be reacted to. */
const settled = async (): Promise<void> => {
  const { manager, nats } = service.view
  await waitFor(
    async () => {
      for (const { name, subjects: patterns } of REACTIONS) {
        const { seq } = await readMark(nats, name)
        for (const pattern of patterns)
          if ((await manager.direct.getMessage(streams.events, { seq: seq + 1, next_by_subj: pattern })) !== null)
            return false
      }
      return true
    },
    { describe: "sets of reactions that are done" }
  )
}

beforeAll(async () => {
  service = await sharedService()
  await settled()
  before = await lastSeq()
  ;[author, other] = [await agent(), await agent()]
  // Nobody answers there: the delivery waits for its next attempt.
  dataOf(
    await author.call("PATCH", `${API_PREFIX}/me`, { body: { webhook_url: "http://127.0.0.1:19999/hook?key=hidden" } })
  )
  const thread = { title: "A thread", body: "For replies.", category: "help" }
  const { id: on } = dataOf<{ id: number }>(await author.call("POST", `${API_PREFIX}/threads`, { body: thread }))
  const written = await other.call("POST", `${API_PREFIX}/threads/${on}/replies`, { body: { body: WORDS } })
  const { id } = dataOf<{ id: number }>(written)
  const [first] = await logOf(service.view, "reply", String(id))
  reply = { id, seq: first?.seq ?? 0 }
  const filed = await author.call("POST", `${API_PREFIX}/reports`, {
    body: { target_type: "reply", target_id: id, reason: "spam", text: WORDS }
  })
  const { id: number } = dataOf<{ id: number }>(filed)
  const [entry] = await logOf(service.view, "report", String(number))
  report = { id: number, seq: entry?.seq ?? 0 }
  await settled()
})
afterAll(() => service?.stop())

const at = (point: string, values = {}) => said(atCommand, service, [point], values)
const momentAt = async (seq: number): Promise<Moment> => JSON.parse(await at(`#${seq}`, { json: true })) as Moment
const count = ({ counts }: Moment, kind: string): number =>
  Object.values(counts[kind] ?? {}).reduce((sum, one) => sum + one, 0)

test("counts who had a history by then, and names the open reports", async () => {
  const [then, filed, now] = [await momentAt(before), await momentAt(report.seq), await momentAt(await lastSeq())]
  expect(count(now, "agent") - count(then, "agent")).toBe(2)
  expect(count(now, "handle") - count(then, "handle")).toBe(2)
  expect((now.counts["reply"]?.["shown"] ?? 0) - (then.counts["reply"]?.["shown"] ?? 0)).toBe(1)
  expect(then.open_reports).not.toContain(report.id)
  expect(filed.open_reports).toContain(report.id)
  expect((await momentAt(report.seq - 1)).open_reports).not.toContain(report.id)
  expect(filed.seq).toBe(report.seq)
})

test("tells what was in flight: a command whose cause was committed, and the work that it began", async () => {
  const then = await momentAt(reply.seq)
  const flying = then.in_flight.named.filter(({ cause, actor }) => cause === reply.seq && actor === author.hubId)
  expect(flying.map(({ kind, state }) => [kind, state])).toContainEqual(["agent", "done"])
  expect(flying.every(({ by }) => by !== null && by > reply.seq)).toBe(true)
  expect(then.in_flight.complete).toBe(true)
  const now = await momentAt(await lastSeq())
  expect(now.in_flight.named.filter(({ cause }) => cause === reply.seq)).toEqual([])
  expect(now.counts["delivery"]?.["pending"]).toBeGreaterThan(0)
  const text = await at(`#${await lastSeq()}`)
  expect(text).toMatch(/^in flight: work \(\d+\)\n {2}delivery: \d+ not over$/m)
})

test("with --against shows what changed, whichever comes first", async () => {
  const last = await lastSeq()
  const forward = await at(`#${before}`, { against: `#${last}` })
  expect(await at(`#${last}`, { against: `#${before}` })).toBe(forward)
  expect(forward).toMatch(
    new RegExp(`^from #${before}, .*\nto   #${last}, .*: ${last - before} places of the log further\n`)
  )
  expect(forward).toMatch(/^agent active {2}\d+ → \d+ \(\+2\)$/m)
  expect(forward).toContain(`\nreport ${report.id}: opened`)
  const { from, to, changes } = JSON.parse(await at(`#${before}`, { against: `#${last}`, json: true })) as {
    from: Moment
    to: Moment
    changes: ReadonlyArray<Change>
  }
  expect([from.seq, to.seq]).toEqual([before, last])
  expect(changes).toContainEqual({
    kind: "report",
    status: "open",
    before: from.counts["report"]?.["open"] ?? 0,
    after: (from.counts["report"]?.["open"] ?? 0) + 1
  })
  expect(await at(`#${last}`, { against: `#${last}` })).toContain("nothing that is counted has changed")
})

test("takes a time: all that the log had stored by then", async () => {
  const { manager } = service.view
  const stored = await manager.direct.getMessage(streams.events, { seq: report.seq })
  const moment = JSON.parse(await at(stored?.time.toISOString() ?? "", { json: true })) as Moment
  expect(moment.seq).toBeGreaterThanOrEqual(report.seq)
  const [last, next] = await Promise.all(
    [moment.seq, moment.seq + 1].map((seq) =>
      manager.direct.getMessage(streams.events, { seq, next_by_subj: subjects.events })
    )
  )
  expect(last?.time.getTime()).toBe(stored?.time.getTime())
  expect(next?.time.getTime() ?? Number.POSITIVE_INFINITY).toBeGreaterThan(stored?.time.getTime() ?? 0)
  expect((JSON.parse(await at("2999-01-01", { json: true })) as Moment).seq).toBe(await lastSeq())
  expect(await at("2001-01-01T00:00:00Z")).toMatch(/^at before the first commit\nactors\n/)
})

test("shows no words of anybody, and no address", async () => {
  const last = await lastSeq()
  for (const values of [{}, { json: true }, { against: `#${before}` }, { against: `#${before}`, json: true }]) {
    const shown = await at(`#${last}`, values)
    expect(shown).not.toContain(WORDS)
    expect(shown).not.toContain("key=hidden")
  }
})

test("as a program has its progress on standard error; what is no moment is refused by its name", async () => {
  const { stdout, stderr } = await hubEnded(service.system, ["at", `#${before}`, "--json"])
  expect((JSON.parse(stdout) as Moment).seq).toBe(before)
  expect(stderr).toMatch(/at: \d+ of \d+ \(100 %\), \d+ commits a second\n$/)
  await expect(at("yesterday")).rejects.toThrow("at takes a sequence")
  await expect(at("")).rejects.toThrow("at takes a sequence")
  await expect(at("1", { against: "later" })).rejects.toThrow("--against takes a sequence")
})

describe("of a log that is made up", () => {
  const stored = (seq: number, kind: string, actor: string, events: ReadonlyArray<EventShape>, id = `c.${seq}`) => ({
    seq,
    subject: subjects.event(kind, actor),
    data: Buffer.from(JSON.stringify({ v: 1, id, op: "made.up", at: seq * 1000, events }))
  })
  const event = (type: string, fields = {}): EventShape => ({ type, v: 1, ...fields })

  test("fills are pending until they end, and compartments run until they leave", () => {
    const standing = new StandingActors()
    const opened = (fill: number) =>
      event("vault.fill_opened", {
        fill,
        entry: 1,
        kind: "login",
        action: "login",
        origin: "https://shop.example",
        day: 1,
        minor: null,
        currency: null,
        place: "p",
        expires_at: 9e12
      })
    const box = { agent: "hx1", human: null, owner: null, name: "n", command: "c", image: "i", host: "h1" }
    standing.read(stored(1, "vault", "hx1", [event("vault.created", { uid: "u" })]))
    standing.read(stored(2, "vault", "hx1", [event("vault.key_published", { uid: "u", public_key: "k" })]))
    standing.read(stored(3, "vault", "hx1", [opened(1), opened(2)]))
    standing.read(
      stored(4, "compartment", "cp_1", [
        event("compartment.created", { ...box, secrets: [{ name: "S", box: "b" }], hub_key: null, terms: "t" })
      ])
    )
    standing.read(stored(5, "compartment", "cp_1", [event("compartment.running", { run: 1, at: 5000 })]))
    const fill = { agent: "hx1", entry: 1, status: "pending", expires_at: 9e12 }
    const running = { id: "cp_1", agent: "hx1", host: "h1", run: 1, started_at: 5000 }
    expect(standing.standings).toMatchObject({
      open_fills: [
        { ...fill, fill: 1 },
        { ...fill, fill: 2 }
      ],
      running: [running],
      counts: { compartment: { running: 1 }, vault: { active: 1 } }
    })
    standing.read(
      stored(6, "vault", "hx1", [
        event("vault.fill_ended", { fill: 1, entry: 1, status: "done", code: null, late: false })
      ])
    )
    standing.read(stored(7, "compartment", "cp_1", [event("compartment.deleting"), event("compartment.deleted")]))
    expect(standing.standings).toMatchObject({
      open_fills: [{ ...fill, fill: 2 }],
      running: [],
      counts: { compartment: { deleted: 1 } }
    })
  })

  test("a command waits while its set is behind, and does not once its commit is there", () => {
    const known = (mark: number): SetStates => ({
      marks: new Map(REACTIONS.map(({ name }) => [name, mark])),
      aside: []
    })
    const hidden = stored(5, "agent", "hx1", [event("agent.deleted")])
    const flight = (at: number, mark: number, ...more: ReadonlyArray<ReturnType<typeof stored>>) => {
      const flying = new Flying(at, known(mark))
      for (const one of [hidden, ...more]) flying.read(one)
      return flying.flight(more.at(-1)?.seq ?? 5)
    }
    const waits = flight(5, 4)
    expect(waits.named.length).toBeGreaterThan(0)
    expect(new Set(waits.named.map(({ cause, state, by }) => `${cause} ${state} ${by}`))).toEqual(
      new Set(["5 waits null"])
    )
    expect(flight(5, 5).named).toEqual([])
    expect(flight(4, 4).named).toEqual([])
    const [first] = waits.named
    const id = `react.${first?.set}.5.${first?.kind}.${first?.actor}.${first?.op}-0`
    const done = stored(9, first?.kind ?? "", first?.actor ?? "", [], id)
    const later = flight(5, 4, done)
    expect(later.named.length).toBe(waits.named.length)
    expect(later.named.filter(({ state }) => state === "done")).toMatchObject([{ set: first?.set, cause: 5, by: 9 }])
    expect(flight(9, 4, done).named.length).toBe(waits.named.length - 1)
  })

  test("what is put aside until now was in flight, if its cause was there", () => {
    const one = { seq: 5, kind: "agent", id: "hx1", error: "unavailable" }
    const command = { op: "origin.forget", kind: "origin", actor: "o1", which: "origin.forget-0" }
    const aside: SetStates["aside"] = [
      { set: "agent", why: "parked", one: { ...one, command } },
      { set: "votes", why: "fault", one }
    ]
    const flight = (at: number) => new Flying(at, { marks: new Map(), aside }).flight(at)
    expect(flight(5).named).toMatchObject([
      { set: "agent", kind: "origin", actor: "o1", op: "origin.forget", state: "parked" },
      { set: "votes", kind: "agent", actor: "hx1", state: "passed over" }
    ])
    expect(flight(4)).toEqual({ sets: {}, named: [], complete: true })
  })
})
