/** Histories of real actors, kept as files: what `evolve` and `decide` make of them must not change by accident. */
import { Effect, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { KINDS } from "../../actors/process/kinds.ts"
import type { Agent } from "../../actors/agent/state.ts"
import { write } from "../../actors/engine/definition.ts"
import { event } from "../../actors/engine/events.ts"
import { type ActorOf, kind } from "../../actors/kit/kind.ts"
import { Nothing, op } from "../../schemas/operation.ts"
import type { Challenge } from "../../actors/registration/state.ts"
import { FixtureFault, fixtureOf, fixtureText, readFixture } from "../../ops/replay/fixture.ts"
import { kindOf, replay, stateProblem } from "../../ops/replay/fold.ts"
import { DEFAULT_CONFIG, readWhatIf, whatIf } from "../../ops/replay/what-if.ts"

const fixture = async (name: string) =>
  readFixture(await readFile(join(import.meta.dirname, "fixtures", `${name}.json`), "utf8"))

const folded = async (name: string) => {
  const { kind: called, id, commits } = await fixture(name)
  const found = kindOf(called)
  if (found === undefined) throw new Error(`there is no kind ${called}`)
  const steps = await replay(commits, found.fold, id, null)
  expect(steps.map(({ state }) => stateProblem(called, state))).toEqual(steps.map(() => null))
  return { kind: found, id, commits, steps }
}

test("an agent that rotated its key, was suspended and reinstated", async () => {
  const { steps, commits } = await folded("agent-rotated")
  expect(commits.map(({ commit }) => commit.op)).toEqual([
    "challenge.register",
    "agent.update",
    "identity.rotate",
    "agent.update",
    "agent.suspend",
    "agent.reinstate"
  ])
  const states = steps.map((step) => step.state as Agent)
  expect(states.map((state) => state.status)).toEqual(["active", "active", "active", "active", "suspended", "active"])
  expect(states.map((state) => state.trust)).toEqual([10, 10, 10, 10, 0, 10])
  const last = states.at(-1)
  expect(last).toMatchObject({ name: "Countess", description: "I count things.", entries: 3, trust_withheld: 0 })
  expect(last?.keys.map((key) => [key.from < (key.retired_at ?? Infinity), key.proof?.kind])).toEqual([
    [true, undefined],
    [true, "rotation"]
  ])
  expect(last?.webhook_secret).toMatch(/^\[secret \d+\]$/)
})

test("an agent that was suspended at one moment could not have been so again, at another it could", async () => {
  const { kind, id, commits } = await folded("agent-rotated")
  const suspend = readWhatIf(JSON.stringify({ op: "agent.suspend", input: { reason: "r" } }))
  const [, , , renamed, suspended] = commits
  const before = whatIf({ kind, id, entries: commits, until: { seq: renamed?.seq ?? 0 } }, suspend, DEFAULT_CONFIG)
  expect(before.refused).toBeNull()
  expect(before.at).toBe(suspended?.commit.at)
  const after = whatIf({ kind, id, entries: commits, until: { seq: suspended?.seq ?? 0 } }, suspend, DEFAULT_CONFIG)
  expect(after.refused).toMatchObject({ code: "validation_error", details: { status: "suspended" } })
})

test("a challenge that was answered", async () => {
  const { steps } = await folded("challenge-answered")
  expect(steps.map((step) => (step.state as { status: string }).status)).toEqual(["open", "served", "consumed"])
  expect(steps[1]?.entry.commit.events[0]).toMatchObject({
    questions: Array.from({ length: 5 }, () => ({ answer: expect.stringMatching(/^\[secret \d\]$/) as string }))
  })
})

describe("a fixture", () => {
  test("is written as it was read, masks and all", async () => {
    for (const name of ["agent-rotated", "challenge-answered"]) {
      const text = await readFile(join(import.meta.dirname, "fixtures", `${name}.json`), "utf8")
      const { kind, id, commits } = readFixture(text)
      expect(fixtureText(fixtureOf(kind, id, commits))).toBe(text)
    }
  })

  const good = {
    format: 1,
    kind: "handle",
    id: "ada",
    commits: [
      { seq: 3, commit: { v: 1, id: "c", op: "o", at: 1, events: [{ type: "handle.claimed", v: 1, agent: "hx" }] } }
    ]
  }
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
    [
      { ...good, commits: [{ seq: 1, commit: { ...entry?.commit, at: "now" } }] },
      "`commits[0].commit.at` must be a number"
    ],
    [
      { ...good, commits: [{ seq: 1, commit: { ...entry?.commit, at: 1e300 } }] },
      "`commits[0].commit.at` must be a time"
    ],
    [{ ...good, id: "x */ import('node:fs')" }, "`id` must be the actor's id"],
    [
      { ...good, commits: [{ seq: 1, commit: { ...entry?.commit, events: [{}] } }] },
      "`commits[0].commit.events` must be a list of events"
    ]
  ])("%j is refused", (value, message) => {
    const read = () => readFixture(typeof value === "string" ? value : JSON.stringify(value))
    expect(read).toThrow(FixtureFault)
    expect(read).toThrow(message)
    expect(readFixture(JSON.stringify(good))).toEqual(good)
  })
})

test("a registration that was never made: its companions, with the number that was given", async () => {
  const { kind, id, commits, steps } = await folded("challenge-answered")
  const { hub_id } = (steps[0]?.state ?? never()) as Challenge
  const form = { challenge_id: id, handle: "ada", name: "n", answers: {}, captcha_bypass: "t" }
  const input = { form, hub_id, origin: "somewhere" }
  const command = readWhatIf(JSON.stringify({ op: "challenge.register", input, facts: { number: 12, questions: [] } }))
  const { also, reply, refused } = whatIf(
    { kind, id, entries: commits, until: { seq: commits[0]?.seq ?? 0 } },
    command,
    { ...DEFAULT_CONFIG, captchaBypass: "t" }
  )
  expect(refused).toBeNull()
  expect(also.map((companion) => `${companion.kind} ${companion.id}`)).toEqual([
    `agent ${hub_id}`,
    `key ${hub_id}`,
    "handle ada",
    "number HX-000012"
  ])
  expect(reply).toMatchObject({ profile: { hx_id: "HX-000012" } })
})

describe("a kind of its own", () => {
  type Made = { readonly type: "test.made"; readonly v: 1; readonly of: number }
  const declared = {
    "test.make": op({ input: Nothing, output: Nothing, askedBy: [] }),
    "test.reach": op({ input: Nothing, output: Nothing, askedBy: [] })
  }
  const own = kind<ActorOf<number, Made>, typeof declared>(
    {
      kind: "test",
      state: Schema.Number,
      initial: 0,
      events: Schema.Union([event("test.made", 1, { of: Schema.Number })]),
      evolve: (_state, event) => event.of
    },
    declared,
    (parts) => ({
      operations: {
        "test.make": write({
          prepare: (): Effect.Effect<{ readonly of: number }> => Effect.die(new Error("a what-if prepares nothing")),
          decide: (_state, _input, { facts }) => ({ events: [{ type: "test.made", v: 1, of: facts.of }] }),
          answer: () => null
        }),
        "test.reach": write({
          decide: () => {
            parts.nats.publish("anything")
            return { events: [] }
          },
          answer: () => null
        })
      }
    })
  )
  const put = (command: object) =>
    whatIf({ kind: own, id: "1", entries: [], until: null }, readWhatIf(JSON.stringify(command)), DEFAULT_CONFIG)

  test("that asks for a fact which nobody gave is told which", () => {
    expect(() => put({ op: "test.make" })).toThrow("test.make asks for the fact `of`: give it under `facts`")
    expect(put({ op: "test.make", facts: { of: 7 } })).toMatchObject({ state: 7, seq: 0, really: null })
  })

  test("that reaches for the world finds it closed", () => {
    expect(() => put({ op: "test.reach" })).toThrow("the decision reached for the bus, which a what-if keeps closed")
  })
})

test("every kind can be made without the world", () => {
  for (const { fold } of KINDS) {
    const command = readWhatIf(JSON.stringify({ op: "no.such" }))
    expect(
      () => whatIf({ kind: kindOf(fold.kind) ?? never(), id: "1", entries: [], until: null }, command, DEFAULT_CONFIG),
      fold.kind
    ).toThrow(`${fold.kind} has no operation no.such`)
  }
})

const never = (): never => {
  throw new Error("a kind that is listed is found")
}
