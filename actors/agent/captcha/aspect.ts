/** The agent actor's operations on captchas, declared in schemas/captcha/operations.ts. */
import { Effect } from "effect"
import type { relayingOperations as declared, SentCaptcha } from "../../../schemas/captcha/operations.ts"
import type { Refusal } from "../../../schemas/errors.ts"
import { blobsAt } from "../../blob/noun.ts"
import { sealDetails } from "../../captcha/noun.ts"
import { type PrepareContext, read, write } from "../../engine/definition.ts"
import type { KindParts, Operating } from "../../kit/kind.ts"
import { type ActorServices, Counters } from "../../engine/services.ts"
import { drawNotification, NO_NOTIFICATION } from "../notification/draw.ts"
import { ownersOf } from "../owner/decide.ts"
import { iso } from "../../../schemas/iso.ts"
import type { AgentActor, AgentState } from "../state.ts"
import { captchaRefusal, decideCaptchaEnded, decideSend, needsHuman, type SendFacts } from "./decide.ts"

/**
 * Checks `captchaRefusal` before it takes a number, because a number cannot be given back. Sealing needs the number, so
 * the check for owners with keys comes afterwards.
 */
const sendFacts = (
  { accounts, log, config: { limits } }: KindParts,
  state: AgentState,
  { context, origin, key, picture }: SentCaptcha,
  { at }: Pick<PrepareContext, "at">
): Effect.Effect<SendFacts, Refusal, ActorServices> =>
  Effect.gen(function* () {
    const refused = captchaRefusal(state, at, limits.limits.owner)
    if (refused !== null) return yield* Effect.fail(refused)
    const blobs = yield* blobsAt(log, [picture.blob])
    const counters = yield* Counters
    const number = yield* counters.next("captcha")
    const sealed = yield* sealDetails(accounts, number, ownersOf(state), { context, origin, key })
    return sealed.keys.length === 0 ? yield* Effect.fail(needsHuman) : { number, sealed, blobs }
  })

export const operations = (parts: KindParts): Operating<typeof declared, AgentActor> => {
  const { limits, service } = parts.config.limits
  const send = decideSend({ owner: limits.owner, graceMs: service.blob_grace_seconds * 1000 })
  return {
    "captcha.send": write({
      prepare: (state, input, context) => sendFacts(parts, state, input, context),
      decide: send,
      answer: (_state, { number, until }, { at }) => ({ id: number, created_at: iso(at), expires_at: iso(until) }),
      projected: true
    }),
    "captcha.may_send": read((state, _input, { at }) => {
      const refused = captchaRefusal(state, at, limits.owner)
      return refused === null ? { data: null } : { refused }
    }),
    "captcha.told": write({
      prepare: (_state, { answered_at }) =>
        Effect.suspend(() => (answered_at === null ? NO_NOTIFICATION : drawNotification)),
      decide: decideCaptchaEnded,
      answer: () => null
    })
  }
}
