/** Names of people, as a node that may ask accounts answers for them. */
import { expect, test } from "vitest"
import { peopleQuery } from "../../../actors/sponsorship/people.ts"
import type { Ask } from "../../../schemas/bus/frames.ts"
import { notFound } from "../../../schemas/errors.ts"
import type { Answer } from "../../../schemas/runtime/bus/asker.ts"
import { standingClock } from "../../harness/clock.ts"

test("an account is asked once in a while, whether it exists or not", async () => {
  const asked: Array<string> = []
  const person = { id: "hum_there", name: "Ada", verification: "none" }
  const ask = async ({ actor }: Ask): Promise<Answer> => {
    asked.push(actor)
    if (actor !== person.id) return { head: { refused: notFound("human") }, body: new Uint8Array(0) }
    return { head: {}, body: new TextEncoder().encode(JSON.stringify(person)) }
  }
  const people = peopleQuery(standingClock(), ask, () => "")
  const ids = ["hum_gone", "hum_there"]
  expect(await people({ ids })).toEqual([person])
  expect(await people({ ids })).toEqual([person])
  expect(asked).toEqual(ids)
})
