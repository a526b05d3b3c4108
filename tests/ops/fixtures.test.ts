/** Histories of real actors, kept as files: what `evolve` and `decide` make of them must not change by accident. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { Agent } from "../../actors/agent/state.ts"
import { FixtureFault, fixtureOf, fixtureText, readFixture } from "../../ops/replay/fixture.ts"
import { kindOf, replay } from "../../ops/replay/fold.ts"
import { readWhatIf, whatIf } from "../../ops/replay/what-if.ts"
import { LIMITS } from "../../schemas/limits.ts"

const fixture = async (name: string) => readFixture(await readFile(join(import.meta.dirname, "fixtures", `${name}.json`), "utf8"))
const config = { limits: LIMITS, env: "development", baseUrl: "http://127.0.0.1:8080", captchaBypass: null, name: "Hub" } as const

const folded = async (name: string) => {
  const { kind, id, commits } = await fixture(name)
  const found = kindOf(kind)
  if (found === undefined) throw new Error(`there is no kind ${kind}`)
  return { kind: found, id, commits, steps: await replay(commits, found.fold, id, null) }
}

test("an agent that rotated its key, was suspended and reinstated", async () => {
  const { steps, commits } = await folded("agent-rotated")
  expect(commits.map(({ commit }) => commit.op)).toEqual(["challenge.register", "agent.update", "identity.rotate", "agent.update", "agent.suspend", "agent.reinstate"])
  const states = steps.map((step) => step.state as Agent)
  expect(states.map((state) => state.status)).toEqual(["active", "active", "active", "active", "suspended", "active"])
  expect(states.map((state) => state.trust)).toEqual([10, 10, 10, 10, 0, 10])
  const last = states.at(-1)
  expect(last).toMatchObject({ name: "Countess", description: "I count things.", entries: 3, trust_withheld: 0 })
  expect(last?.keys.map((key) => [key.from < (key.retired_at ?? Infinity), key.proof?.kind])).toEqual([[true, undefined], [true, "rotation"]])
  expect(last?.webhook_secret).toMatch(/^\[secret \d+\]$/)
})

test("an agent that was suspended at one moment could not have been so again, at another it could", async () => {
  const { kind, id, commits } = await folded("agent-rotated")
  const suspend = readWhatIf(JSON.stringify({ op: "agent.suspend", input: { reason: "r" } }))
  const [, , , renamed, suspended] = commits
  const before = whatIf({ kind, id, entries: commits, until: { seq: renamed?.seq ?? 0 } }, suspend, config)
  expect(before.refused).toBeNull()
  expect(before.at).toBe(suspended?.commit.at)
  const after = whatIf({ kind, id, entries: commits, until: { seq: suspended?.seq ?? 0 } }, suspend, config)
  expect(after.refused).toMatchObject({ code: "validation_error", details: { status: "suspended" } })
})

test("a challenge that was answered", async () => {
  const { steps } = await folded("challenge-answered")
  expect(steps.map((step) => (step.state as { status: string }).status)).toEqual(["open", "served", "consumed"])
  expect(steps[1]?.entry.commit.events[0]).toMatchObject({ questions: Array.from({ length: 5 }, () => ({ answer: expect.stringMatching(/^\[secret \d\]$/) as string })) })
})

describe("a fixture", () => {
  test("is written as it was read, masks and all", async () => {
    for (const name of ["agent-rotated", "challenge-answered"]) {
      const text = await readFile(join(import.meta.dirname, "fixtures", `${name}.json`), "utf8")
      const { kind, id, commits } = readFixture(text)
      expect(fixtureText(fixtureOf(kind, id, commits))).toBe(text)
    }
  })

  const good = { format: 1, kind: "handle", id: "ada", commits: [{ seq: 3, commit: { v: 1, id: "c", op: "o", at: 1, events: [{ type: "handle.claimed", v: 1, agent: "hx" }] } }] }
  const [entry] = good.commits
  test.each<[unknown, string]>([
    ["{", "this is no JSON"],
    [[], "a fixture is an object"],
    [{ ...good, format: 2 }, "`format` must be 1"],
    [{ ...good, kind: "ghost" }, "`kind` must be an actor kind of this service"],
    [{ ...good, id: "" }, "`id` must be the actor's id"],
    [{ ...good, commits: {} }, "`commits` must be a list"],
    [{ ...good, commits: [7] }, "`commits[0]` must be an object"],
    [{ ...good, commits: [entry, entry] }, "`commits[1].seq` must be a whole number, greater than the one before"],
    [{ ...good, commits: [{ seq: 1 }] }, "`commits[0].commit` must be an object"],
    [{ ...good, commits: [{ seq: 1, commit: { ...entry?.commit, at: "now" } }] }, "`commits[0].commit.at` must be a number"],
    [{ ...good, commits: [{ seq: 1, commit: { ...entry?.commit, events: [{}] } }] }, "`commits[0].commit.events` must be a list of events"]
  ])("%j is refused", (value, message) => {
    const read = () => readFixture(typeof value === "string" ? value : JSON.stringify(value))
    expect(read).toThrow(FixtureFault)
    expect(read).toThrow(message)
    expect(readFixture(JSON.stringify(good))).toEqual(good)
  })
})

test("a registration that was never made: its companions, with the number that was given", async () => {
  const { kind, id, commits } = await folded("challenge-answered")
  const [created] = commits
  const input = { form: { handle: "ada", name: "n", answers: {} }, hub_id: (created?.commit.events[0] as unknown as { hub_id: string }).hub_id }
  const put = (facts: object) => whatIf({ kind, id, entries: commits, until: { seq: created?.seq ?? 0 } }, readWhatIf(JSON.stringify({ op: "challenge.register", input: { ...input, form: { ...input.form, captcha_bypass: "t" } }, facts })), { ...config, captchaBypass: "t" })
  const { also, reply, refused } = put({ number: 12 })
  expect(refused).toBeNull()
  expect(also.map((companion) => `${companion.kind} ${companion.id}`)).toEqual([`agent ${input.hub_id}`, `key ${input.hub_id}`, "handle ada", "number HX-000012"])
  expect(reply).toMatchObject({ profile: { hx_id: "HX-000012" } })
})
