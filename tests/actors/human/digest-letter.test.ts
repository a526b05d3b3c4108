/** A summary letter that is written again after a restore is the same letter. */
import { Context, Effect } from "effect"
import { expect, test } from "vitest"
import { openingOf } from "../../../actors/human/opening.ts"
import { sealPersonal } from "../../../actors/human/personal.ts"
import { digestLetter } from "../../../actors/human/relay/letters.ts"
import { evolveRelay, NO_RELAY, OTHERS, type RelayEvent, type RelayState } from "../../../actors/human/relay/state.ts"
import { Sealer } from "../../../actors/log/seal.ts"
import { Actors } from "../../../actors/engine/services.ts"
import { ID, registered, START } from "./accounts.ts"

const MAX = 100
const HOUR_MS = 3_600_000

const sealer = new Sealer(new Uint8Array(32), "an account")
const personal = sealPersonal(sealer, ID, { email: "a@hub.example", name: "A" })
const human = { ...registered(), personal, email_verified: true }
const { told } = openingOf({ letters: { transport: "file" } } as never)

const letterOf = async (relay: RelayState): Promise<string | undefined> => {
  const context = { id: ID, at: START } as never
  const written = digestLetter(told, { human, sealer }, relay, MAX, context)
  const { companions } = await Effect.runPromise(Effect.provide(written, Context.make(Actors, {} as never)))
  return companions?.[0]?.id
}

const heldEvent = (due: number): RelayEvent => ({ type: "human.relay_held", v: 1, ...OTHERS, due })
const held = evolveRelay(NO_RELAY, heldEvent(START + HOUR_MS), START)

test("the same summary has the same id, with whatever was held since the backup", async () => {
  const id = await letterOf(held)
  expect(id).toMatch(/^[a-z2-7]{26}$/)
  expect(await letterOf(evolveRelay(held, heldEvent(START + HOUR_MS), START + 1))).toBe(id)
})

test("every further summary has another id, even if it is due at the same time", async () => {
  const digested = evolveRelay(held, { type: "human.relay_digested", v: 1 }, START + HOUR_MS)
  const next = evolveRelay(digested, heldEvent(START + HOUR_MS), START + HOUR_MS)
  expect(await letterOf(next)).not.toBe(await letterOf(held))
})
