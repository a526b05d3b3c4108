/** What tests of letters share. */
import { letterLimits } from "../../../actors/letter/limits.ts"
import { Effect } from "effect"
import { composed } from "../../../actors/letter/compose.ts"
import { newLetterId, type PostedLetter, sealLetter } from "../../../actors/letter/posting.ts"
import type { AccountKeys } from "../../../actors/kit/account-keys.ts"
import type { Message, Transport } from "../../../actors/kit/mailing/transport.ts"
import { rendered } from "../../../actors/letter/templates.ts"
import type { LetterOutcome } from "../../../schemas/letter/operations.ts"
import { LIMITS } from "../../../schemas/limits.ts"

export const AT = Date.UTC(2030, 0, 2, 3, 4, 5)
export const TO = "ada@people.example"
export const NAME = "Planted-Name"
export const TOKEN = "hxv_planted-token-of-a-link"
export const SERVICE = { name: "Harbour", baseUrl: "https://hub.example/below", limits: letterLimits(LIMITS) }

interface Given {
  readonly id?: string
  readonly to?: string
  readonly name?: string
}

export const message = async ({ id = newLetterId(), to = TO, name = "Ada" }: Given = {}): Promise<Message> => {
  const laid = rendered("verify_address", { path: `/owner/verify?token=${TOKEN}` }, SERVICE)
  if (laid === null) throw new Error("the template refused its values")
  const from = { name: "Harbour", address: "no-reply@hub.example" }
  const made = await composed(laid, { id, to, name, from, host: "hub.example", at: AT })
  if (made === null) throw new Error(`${to} was refused`)
  return made
}

export const sending = (
  transport: Transport,
  letter: Message,
  hurry: Effect.Effect<void> = Effect.never
): Promise<LetterOutcome> => Effect.runPromise(transport.send(letter, hurry))

/** To a person of their own, with a link that holds the token, ready to be posted. */
export const sealedLetter = async (accounts: AccountKeys, token = TOKEN, to = TO): Promise<PostedLetter> => {
  const [id, human] = [newLetterId(), `hum_${newLetterId().slice(0, 16)}`]
  const sealer = await Effect.runPromise(accounts.make(human))
  const values = { path: `/owner/verify?token=${token}` }
  return { id, human, template: "verify_address", sealed: sealLetter(sealer, id, { to, name: NAME, values }) }
}
