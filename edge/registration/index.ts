/** Registration in three steps (spec 4.3). */
import { randomBytes } from "node:crypto"
import { Effect, Schema } from "effect"
import { webhookAddressProblem } from "../../schemas/agent/fields.ts"
import { invalidField, refusal } from "../../schemas/errors.ts"
import { RegistrationApi, Register } from "../../schemas/registration/api.ts"
import { encodeBase64, hubIdOf } from "../../schemas/signing/key.ts"
import { readKeyBytes, readPublicKey } from "../auth/public-key.ts"
import { withoutSecrets } from "../content/secrets.ts"
import { profileTexts } from "../content/texts.ts"
import { bodyDecoder } from "../http/json.ts"
import { drawn, drawnOf, passed, wideHomeOf } from "../http/limits.ts"
import { refuse } from "../http/refused.ts"
import { dataBytes } from "../http/respond.ts"
import { turnFor } from "../http/turns.ts"
import { routesOf } from "../http/handlers.ts"
import type { EdgeParts } from "../kit/parts.ts"

export const CHALLENGE_ID = /^[0-9a-f]{32}$/

const decodeKey = bodyDecoder(Schema.Struct({ public_key: Schema.String }))
const decodeNonce = bodyDecoder(Schema.Struct({ pow_nonce: Schema.optionalKey(Schema.Unknown) }))
const decodeForm = bodyDecoder(Register)

export const unknownChallenge = refusal("challenge_unknown", "There is no such challenge. Ask for a new one.")

export const routes = ({ bus, limits, config: { hub } }: EdgeParts) => {
  return routesOf(RegistrationApi, {
    createChallenge: (call) =>
      Effect.gen(function* () {
        const body = yield* decodeKey(call)
        const form = readKeyBytes(body.public_key)
        if (!form.ok) return yield* refuse(invalidField("public_key", `public_key ${form.problem}.`))
        yield* drawnOf(limits, "register", call)
        const key = readPublicKey(body.public_key)
        if (!key.ok) return yield* refuse(invalidField("public_key", `public_key ${key.problem}.`))
        const publicKey = encodeBase64(key.bytes)
        yield* drawn(limits, "captcha_key", publicKey)
        yield* passed(limits.takeChallenge(call))
        const begun = { origin: call.client, wide_home: wideHomeOf("register", call) }
        const input = { public_key: publicKey, hub_id: hubIdOf(key.bytes), ...begun }
        return dataBytes(yield* bus.ask(call, { actor: challengeId(), op: "challenge.create", input }), 201)
      }),
    serveQuestions: (call, { params }) =>
      Effect.gen(function* () {
        if (!CHALLENGE_ID.test(params.id)) return yield* refuse(unknownChallenge)
        const body = yield* decodeNonce(call, call.body.length === 0 ? NO_FIELDS : call.body)
        return dataBytes(
          yield* bus.ask(call, {
            actor: params.id,
            op: "challenge.serve",
            input: { pow_nonce: body.pow_nonce ?? null }
          })
        )
      }),
    register: (call) =>
      Effect.gen(function* () {
        const { ticket } = call
        if (ticket === null) return yield* Effect.die(new Error("Step 3 was let in without a signature"))
        const form = yield* decodeForm(call)
        const problem =
          typeof form.webhook_url === "string"
            ? webhookAddressProblem(form.webhook_url, hub.env === "production")
            : null
        if (problem !== null) return yield* refuse(invalidField("webhook_url", `webhook_url ${problem}.`))
        yield* withoutSecrets(profileTexts(form), ticket, turnFor(call))
        yield* bus.askSigned(call, { actor: ticket.hubId, op: "agent.admit_key", input: null })
        if (!CHALLENGE_ID.test(form.challenge_id)) return yield* refuse(unknownChallenge)
        const input = { form, hub_id: ticket.hubId, origin: call.client, wide_home: wideHomeOf("register", call) }
        return dataBytes(yield* bus.askSigned(call, { actor: form.challenge_id, op: "challenge.register", input }), 201)
      })
  })
}

/** Without a body, step 2 has no proof, and the actor refuses it. */
const NO_FIELDS = Buffer.from("{}")

const challengeId = (): string => randomBytes(16).toString("hex")
