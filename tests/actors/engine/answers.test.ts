/** What an answer waits for behind its append holds up that answer, and nothing else. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { EngineParts, Outcome } from "../../../actors/engine/activation.ts"
import { write } from "../../../actors/engine/definition.ts"
import type { WrittenCommit } from "../../../actors/engine/ports.ts"
import type { ActorOf } from "../../../actors/kit/kind.ts"
import type { EventShape } from "../../../actors/log/commit.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { shardOf, subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { hostWith } from "./alone.ts"
import { ModelLog, partsOver } from "./simulation.ts"

const ID = "one"

interface Noted extends EventShape {
  readonly text: string
}

const definition = {
  kind: "note",
  initial: 0,
  events: { "note.made": 1 },
  evolve: (state: number) => state + 1,
  operations: {
    "note.make": write<ActorOf<number, Noted>, null, number, null, unknown, never>({
      decide: () => ({ events: [{ type: "note.made", v: 1, text: "made" }] }),
      answer: (state) => state,
      projected: true
    })
  }
}

const world = (limits: Partial<EngineParts["limits"]> = {}) => {
  const log = new ModelLog()
  const models = Promise.withResolvers<void>()
  const waited: Array<WrittenCommit> = []
  const parts: EngineParts = {
    ...partsOver(log),
    readModels: {
      reached: (written) => {
        waited.push(...written)
        return models.promise
      }
    },
    limits: { ...LIMITS.service, ...limits },
    now: Date.now
  }
  const host = hostWith([definition], parts)
  const answers: Array<Outcome> = []
  const submit = (id: string): Promise<Outcome> => {
    const [op, deadline] = ["note.make", Date.now() + 60_000] as const
    const command = { id, op, input: null, by: undefined, deadline, trace: undefined }
    const outcome = host.activation("note", ID)?.submit(command, definition.operations[op] as never)
    if (outcome === undefined) throw new Error("the actor cannot be had")
    void outcome.then((answered) => answers.push(answered))
    return outcome
  }
  const committed = () => (log.subjects.get(subjects.event("note", ID)) ?? []).length
  return { host, submit, answers, waited, models, committed }
}

test("the next command is carried out while an answer waits for the read models", async () => {
  const { submit, answers, waited, models, committed } = world()
  const outcomes = [submit("a"), submit("b")]
  await waitFor(() => waited.length === 2, { describe: "both commits" })
  expect([committed(), answers]).toEqual([2, []])
  models.resolve()
  expect(await Promise.all(outcomes)).toEqual([{ data: 1 }, { data: 2 }])
})

test("a command that comes again meanwhile has the same answer, no sooner, and is not carried out again", async () => {
  const { submit, answers, waited, models, committed } = world()
  const outcomes = [submit("a"), submit("b")]
  await waitFor(() => waited.length === 2, { describe: "both commits" })
  outcomes.push(submit("a"))
  expect([committed(), answers]).toEqual([2, []])
  models.resolve()
  expect(await Promise.all(outcomes)).toEqual([{ data: 1 }, { data: 2 }, { data: 1 }])
  expect(committed()).toBe(2)
})

test("answers that wait fill the mailbox as commands do", async () => {
  const { submit, waited, models } = world({ mailbox_max: 2 })
  const outcomes = [submit("a"), submit("b")]
  await waitFor(() => waited.length === 2, { describe: "both commits" })
  expect(await submit("c")).toMatchObject({ refused: { code: "overloaded" } })
  models.resolve()
  await Promise.all(outcomes)
  expect(await submit("c")).toEqual({ data: 3 })
})

test("a shard that is lost meanwhile answers at once; one that is given back waits for its answers", async () => {
  const lost = world()
  const outcome = lost.submit("a")
  await waitFor(() => lost.waited.length === 1, { describe: "the commit" })
  lost.host.drop(shardOf(ID))
  expect(await outcome).toEqual({ data: 1 })

  const given = world()
  const answered = given.submit("a")
  await waitFor(() => given.waited.length === 1, { describe: "the commit" })
  const drained = Effect.runPromise(given.host.drain(shardOf(ID)))
  given.models.resolve()
  await drained
  expect(await answered).toEqual({ data: 1 })
})
