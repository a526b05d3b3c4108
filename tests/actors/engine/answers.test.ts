/** What an answer waits for behind its append holds up that answer, and nothing else. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { EngineParts, Outcome } from "../../../actors/engine/activation.ts"
import { write } from "../../../actors/engine/definition.ts"
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
      decide: (_state, _input, { seq }) => ({
        events: [{ type: "note.made", v: 1, text: "made" }],
        companions: [{ kind: "other", id: `of ${seq}`, expected: 0, events: [{ type: "other.made", v: 1 }] }]
      }),
      answer: (state) => state,
      projected: true,
      contested: () => ({ refused: { code: "handle_taken", message: "Somebody has it." } })
    })
  }
}

const world = (
  limits: Partial<EngineParts["limits"]> = {},
  log = new ModelLog(),
  {
    now = Date.now,
    acknowledged = Promise.resolve(),
    instead = {}
  }: { now?: () => number; acknowledged?: Promise<void>; instead?: Partial<EngineParts["log"]> } = {}
) => {
  const touched: Array<string> = []
  const models = Promise.withResolvers<void>()
  const waited: Array<Parameters<EngineParts["readModels"]["reached"]>[0]> = []
  const parts: EngineParts = {
    ...partsOver(log),
    log: {
      ...partsOver(log).log,
      append: async (group) => {
        const result = log.append(group)
        await acknowledged
        return result
      },
      ...instead
    },
    touched: (kind, id) => {
      touched.push(`${kind} ${id}`)
      return Promise.resolve()
    },
    readModels: {
      reached: (written) => {
        waited.push(written)
        return models.promise
      }
    },
    limits: { ...LIMITS.service, ...limits },
    now
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
  return { log, touched, host, submit, answers, waited, models, committed }
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

test("a command that the next node is asked again waits as at the first, whatever came after it, and no longer", async () => {
  const lost = world()
  void lost.submit("a")
  void lost.submit("b")
  await waitFor(() => lost.waited.length === 2, { describe: "the commits" })
  lost.host.drop(shardOf(ID))

  const next = world({}, lost.log)
  const answer = next.submit("a")
  await waitFor(() => next.waited.length > 0, { describe: "the wait of the next node" })
  expect([next.answers, next.committed()]).toEqual([[], 2])
  expect(next.waited.flat()).toContainEqual({ kind: "other", id: "of 0", seq: 2 })
  expect(next.touched).toEqual(["other of 0"])
  next.models.resolve()
  expect(await answer).toEqual({ data: 2 })

  const { request_deadline_ms, projected_wait_ms } = LIMITS.service
  const later = world({}, lost.log, { now: () => Date.now() + request_deadline_ms + projected_wait_ms })
  expect(await later.submit("a")).toEqual({ data: 2 })
  expect([later.waited, later.touched]).toEqual([[], []])
})

test("owners of companions hear of a commit that is acknowledged after the shard was lost", async () => {
  const acknowledgement = Promise.withResolvers<void>()
  const lost = world({}, new ModelLog(), { acknowledged: acknowledgement.promise })
  const answer = lost.submit("a")
  await waitFor(() => lost.committed() === 1, { describe: "the commit in the log" })
  lost.host.drop(shardOf(ID))
  acknowledgement.resolve()
  expect(await answer).toEqual({ data: 1 })
  expect(lost.touched).toEqual(["note one", "other of 0"])
})

test("after the end of another node, every actor reads its log before its next use", async () => {
  const { host, log, submit, models } = world()
  models.resolve()
  await submit("a")
  const [last] = log.subjects.get(subjects.event("note", ID)) ?? []
  if (last === undefined) throw new Error("nothing was written")
  log.append([{ subject: subjects.event("note", ID), expected: last.seq, commit: { ...last.commit, id: "of a peer" } }])
  host.allStale()
  expect(await submit("of a peer")).toEqual({ data: 2 })
})

const silent = () => Promise.reject(new Error("the log does not answer"))
const UNREADABLE = { refused: { code: "unavailable" } }

test("owners of companions are told of a commit of unknown outcome, also if the log cannot be read then", async () => {
  let isSilent = false
  const base = partsOver(new ModelLog()).log
  const read: typeof base.read = (...asked) => (isSilent ? silent() : base.read(...asked))
  const tip: typeof base.tip = (...asked) => (isSilent ? silent() : base.tip(...asked))
  const { submit, touched } = world({}, new ModelLog(), {
    instead: {
      append: async () => {
        isSilent = true
        return { ok: false, reason: "unknown" }
      },
      read,
      tip
    }
  })
  expect(await submit("a")).toMatchObject(UNREADABLE)
  expect(touched).toEqual(["other of 0"])
})

test("a lost race whose winner cannot be read is refused, and is no fault of the service", async () => {
  const { submit } = world({}, new ModelLog(), {
    instead: { append: async () => ({ ok: false, reason: "conflict" }), lastSeq: silent }
  })
  expect(await submit("a")).toMatchObject(UNREADABLE)
})
