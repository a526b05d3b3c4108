/**
 * Numbers that writes draw for themselves grow along an actor's log, also with two owners at once: streams stand on
 * it.
 */
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { Activation, EngineParts } from "../../../actors/engine/activation.ts"
import { type ActorDefinition, write } from "../../../actors/engine/definition.ts"
import type { EventShape } from "../../../actors/log/commit.ts"
import type { ActorOf } from "../../../actors/kit/kind.ts"
import { notFound } from "../../../schemas/errors.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { activationOf } from "./alone.ts"
import { ModelLog, partsOver } from "./simulation.ts"

interface Noted extends EventShape {
  readonly number: number
}

const ID = "one"
const missing = notFound("agent")

class World {
  readonly log = new ModelLog()
  drawn = 0
  /** Runs between a draw and its decision. */
  meanwhile: () => Promise<void> = () => Promise.resolve()
  isRefused = false
  readonly unused: Array<number> = []

  readonly definition = {
    kind: "noted",
    initial: 0,
    events: { "noted.noted": 1 },
    evolve: (_state: number, event: Noted) => event.number,
    operations: {
      "noted.note": write<ActorOf<number, Noted>, null, number, number, unknown, never>({
        prepare: () => {
          const number = ++this.drawn
          const { meanwhile } = this
          this.meanwhile = () => Promise.resolve()
          return Effect.as(
            Effect.promise(() => meanwhile()),
            number
          )
        },
        decide: (_state, _input, { facts }) =>
          this.isRefused ? { refused: missing } : { events: [{ type: "noted.noted", v: 1, number: facts }] },
        unused: (number) => Effect.sync(() => void this.unused.push(number)),
        answer: (state) => state
      })
    }
  } as unknown as ActorDefinition

  readonly parts: EngineParts = {
    ...partsOver(this.log),
    now: () => 0
  }

  owner(): Activation {
    return activationOf(this.definition, ID, this.parts)
  }

  note(owner: Activation, id: string) {
    const operation = this.definition.operations["noted.note"]
    if (operation?.type !== "write") throw new Error("not a write")
    return owner.submit(
      { id, op: "noted.note", input: null, by: undefined, deadline: 1, trace: undefined },
      operation as never
    )
  }

  get numbers(): ReadonlyArray<number> {
    return (this.log.subjects.get(subjects.event("noted", ID)) ?? []).flatMap(({ commit }) =>
      commit.events.map((event) => (event as Noted).number)
    )
  }
}

test("a write that another owner overtook draws again", async () => {
  const world = new World()
  const [first, second] = [world.owner(), world.owner()]
  await world.note(first, "begin")
  world.meanwhile = () => world.note(second, "overtakes").then(() => undefined)
  expect(await world.note(first, "overtaken")).toEqual({ data: 4 })
  expect(world.numbers).toEqual([1, 3, 4])
  await waitFor(() => world.unused.length === 1)
  expect(world.unused).toEqual([2])
})

test("so does one whose owner has read the log again meanwhile", async () => {
  const world = new World()
  const [first, second] = [world.owner(), world.owner()]
  await world.note(first, "begin")
  world.meanwhile = async () => {
    await world.note(second, "overtakes")
    first.stale()
    await first.load()
  }
  expect(await world.note(first, "overtaken")).toEqual({ data: 4 })
  expect(world.numbers).toEqual([1, 3, 4])
})

test("a number that a refused write has drawn is told to be unused, and one that it commits is not", async () => {
  const world = new World()
  const owner = world.owner()
  await world.note(owner, "taken")
  world.isRefused = true
  expect(await world.note(owner, "refused")).toEqual({ refused: missing })
  await waitFor(() => world.unused.length === 1)
  expect(world.unused).toEqual([2])
})
