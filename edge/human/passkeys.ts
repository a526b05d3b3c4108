/**
 * Passes passkeys between a browser and an account. The account's actor verifies them.
 *
 * Invariants
 *  - The answer is the same for an unknown account, an unknown passkey and a wrong signature.
 *  - A try draws on the client's bucket before the passkey is verified.
 */
import { Effect, Result, Schema } from "effect"
import { humanOfHandle, MadePasskey, PasskeyLogin, type PasskeyChallenge } from "../../schemas/human/passkey.ts"
import { invalidField, refusal } from "../../schemas/errors.ts"
import type { Call } from "../http/call.ts"
import { drawnOf } from "../http/limits.ts"
import { type Refused, refuse } from "../http/refused.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { browserName } from "./browser-name.ts"
import { newToken } from "./people.ts"
import type { Person } from "../http/person.ts"
import { tokenHash } from "./token-hash.ts"

interface OpenedSession {
  readonly token: string
  readonly expires_at: string
}

type Parts = Pick<EdgeParts, "bus" | "limits">

export interface PasskeyAnswer {
  /** JSON of the browser's answer. */
  readonly answer: string
  /** The challenge in sealed form. */
  readonly challenge: string
}

const refused = refusal("login_failed", "The passkey was not accepted.", { field: "passkey" })
const notMade = invalidField("passkey", "The passkey was not accepted. Begin again.", { rule: "passkey" })

const loginOf = Schema.decodeUnknownResult(Schema.fromJsonString(PasskeyLogin))
const madeOf = Schema.decodeUnknownResult(Schema.fromJsonString(MadePasskey))

export class Passkeys {
  private readonly parts: Parts

  constructor(parts: Parts) {
    this.parts = parts
  }

  /** `bound` is a value that only this browser can send again. */
  challenge(call: Call, bound: string): Effect.Effect<PasskeyChallenge, Refused> {
    return this.parts.bus.read(call, { actor: call.client, op: "credential.challenge", input: { bound } })
  }

  logIn(call: Call, answered: PasskeyAnswer, bound: string): Effect.Effect<OpenedSession, Refused> {
    return this.enter(call, answered, bound, "human.enter_by_passkey")
  }

  /** Refused `operator_required` for the passkey of a person who is no operator. */
  logInToConsole(call: Call, answered: PasskeyAnswer, bound: string): Effect.Effect<OpenedSession, Refused> {
    return this.enter(call, answered, bound, "human.open_console_by_passkey")
  }

  private enter(
    call: Call,
    { answer, challenge: sealed }: PasskeyAnswer,
    bound: string,
    op: "human.enter_by_passkey" | "human.open_console_by_passkey"
  ): Effect.Effect<OpenedSession, Refused> {
    const { bus, limits } = this.parts
    return Effect.gen(function* () {
      yield* drawnOf(limits, "human_login", call)
      const decoded = loginOf(answer)
      if (Result.isFailure(decoded)) return yield* refuse(refused)
      const { userHandle, ...signed } = decoded.success
      const human = humanOfHandle(userHandle)
      if (human === null) return yield* refuse(refused)
      const token = newToken(human)
      const browser = browserName(call.header("user-agent"))
      const more = browser === null ? {} : { browser }
      const input = { sealed, bound, signed, token: tokenHash(token), ...more }
      const { expires_at } = yield* bus.read(call, { actor: human, op, input, anew: true })
      return { token, expires_at }
    })
  }

  add(
    call: Call,
    { human, token }: Person,
    { answer, challenge: sealed }: PasskeyAnswer
  ): Effect.Effect<void, Refused> {
    const decoded = madeOf(answer)
    if (Result.isFailure(decoded)) return Effect.fail(refuse(notMade))
    const input = { token, sealed, made: decoded.success }
    return Effect.asVoid(this.parts.bus.ask(call, { actor: human, op: "human.add_passkey", input }))
  }
}
