/**
 * Two owners of an actor get the same command at once: the one that comes late finds what the other has made, and must
 * not take it for somebody else's.
 */
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import type { Activation, EngineParts } from "../../../actors/engine/activation.ts"
import { type ActorDefinition, write } from "../../../actors/engine/definition.ts"
import type { ActorOf } from "../../../actors/kit/kind.ts"
import type { EventShape } from "../../../actors/log/commit.ts"
import { refusal } from "../../../schemas/errors.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { activationOf } from "./alone.ts"
import { ModelLog, partsOver } from "./simulation.ts"

const ID = "one"
const NAME = subjects.event("name", "ada")
const TAKEN = refusal("handle_taken", "It is somebody's.")

class World {
  readonly log = new ModelLog()
  /** Happens after the actor was loaded and before its command is judged. */
  meanwhile: () => Promise<unknown> = () => Promise.resolve()

  private get isTaken(): boolean {
    return (this.log.subjects.get(NAME)?.length ?? 0) > 0
  }

  private readonly waits = Effect.suspend(() => {
    const { meanwhile } = this
    this.meanwhile = () => Promise.resolve()
    return Effect.promise(meanwhile)
  })

  readonly definition = {
    kind: "holder",
    initial: 0,
    events: { "holder.took": 1, "name.taken": 1 },
    evolve: (count: number) => count + 1,
    operations: {
      "holder.take": write<ActorOf<number, EventShape>, null, number, null, unknown, never>({
        prepare: () =>
          Effect.andThen(
            this.waits,
            Effect.suspend(() => (this.isTaken ? Effect.fail(TAKEN) : Effect.succeed(null)))
          ),
        decide: () => ({
          events: [{ type: "holder.took", v: 1 }],
          reply: null,
          companions: [{ kind: "name", id: "ada", expected: 0, events: [{ type: "name.taken", v: 1 }] }]
        }),
        answer: (count) => count
      }),
      "holder.count": write<ActorOf<number, EventShape>, null, number, null, unknown, never>({
        prepare: () => Effect.as(this.waits, null),
        decide: (count) =>
          this.isTaken || count > 0 ? { refused: TAKEN } : { events: [{ type: "holder.took", v: 1 }], reply: null },
        answer: (count) => count
      })
    }
  } as unknown as ActorDefinition

  readonly parts: EngineParts = {
    ...partsOver(this.log),
    now: () => 0
  }

  owner(id = ID): Activation {
    return activationOf(this.definition, id, this.parts)
  }

  asked(owner: Activation, op: string, id: string) {
    const operation = this.definition.operations[op]
    if (operation?.type !== "write") throw new Error("not a write")
    return owner.submit({ id, op, input: null, by: undefined, deadline: 1, trace: undefined }, operation as never)
  }
}

describe.each(["holder.take", "holder.count"])("%s", (op) => {
  test("that another owner has carried out meanwhile gets the first answer", async () => {
    const world = new World()
    const [first, second] = [world.owner(), world.owner()]
    world.meanwhile = () => world.asked(first, op, "both")
    expect(await world.asked(second, op, "both")).toEqual({ data: 1 })
    expect(world.log.subjects.get(subjects.event("holder", ID))).toHaveLength(1)
  })

  test("is refused for another command's work", async () => {
    const world = new World()
    const [first, second] = [world.owner(), world.owner()]
    world.meanwhile = () => world.asked(first, op, "other")
    expect(await world.asked(second, op, "late")).toEqual({ refused: TAKEN })
    expect(world.log.subjects.get(subjects.event("holder", ID))).toHaveLength(1)
  })
})

test("a name that another actor has is refused", async () => {
  const world = new World()
  await world.asked(world.owner(), "holder.take", "first")
  expect(await world.asked(world.owner("two"), "holder.take", "second")).toEqual({ refused: TAKEN })
})
