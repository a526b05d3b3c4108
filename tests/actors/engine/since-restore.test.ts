/** No function of an operation that gets the state sees what a restore has ended. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { sinceRestore } from "../../../actors/engine/since-restore.ts"

const ended = (state: string | null): string | null => (state === "open before" ? "ended" : state)

/** The operations with the states that their functions got. */
const recording = () => {
  const states: Array<unknown> = []
  const see = (state: unknown): null => {
    states.push(state)
    return null
  }
  const nothing = (state: unknown) => {
    see(state)
    return Effect.void
  }
  const operations = {
    read: { type: "read", read: see },
    custom: { type: "custom", run: nothing },
    write: {
      type: "write",
      prepare: nothing,
      decide: see,
      contested: see,
      answer: see,
      after: (_input: unknown, _context: unknown, made: { readonly state: unknown }) => nothing(made.state)
    }
  }
  return { states, operations }
}

const callAll = ({ read, custom, write }: ReturnType<typeof recording>["operations"], state: string): void => {
  read.read(state)
  custom.run(state)
  write.prepare(state)
  write.decide(state)
  write.contested(state)
  write.answer(state)
  write.after(null, null, { state })
}

test("each of them gets the state as it is since the restore", () => {
  const { states, operations } = recording()
  callAll(sinceRestore(1, ended, operations), "open before")
  expect(states).toEqual(Array(7).fill("ended"))
})

test("a log that was never restored is seen as it is", () => {
  const { states, operations } = recording()
  callAll(sinceRestore(0, ended, operations), "open before")
  expect(states).toEqual(Array(7).fill("open before"))
})
