/** The reason why a message that was queued earlier may not be sent at the moment of an attempt (spec 3.6). */
import { Effect } from "effect"
import type { HubConfig } from "../../../schemas/config.ts"
import type { Refusal } from "../../../schemas/errors.ts"
import { domainId } from "../../../schemas/mail-domain/id.ts"
import type { SendJob } from "../../../schemas/mail/sending-operations.ts"
import { Actors, type Asking } from "../../engine/services.ts"
import { orNone } from "../or-none.ts"
import type { MailSendingValue } from "./state.ts"

type Blocked = SendJob["blocked"]

const over = (reason: string): Blocked => ({ type: "over", reason })

const ofSender = (agent: string, asking: Asking): Effect.Effect<Blocked, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const state = yield* orNone(actors.ask(asking, "mailer.sending", agent, null))
    if (state === null) return over("its sender's account is closed")
    return state.status === "suspended" ? over("its sender may not send any more") : null
  })

const ofDomain = (agent: string, domain: string, asking: Asking): Effect.Effect<Blocked, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const found = yield* orNone(actors.ask(asking, "mail_domain.ready", domainId(domain), null))
    if (found?.agent !== agent) return over("its domain is its sender's no more")
    return found.ready ? null : { type: "later", reason: "its domain is not active" }
  })

export const blockedBy = (
  { mail }: Pick<HubConfig, "mail">,
  { agent, recipient, untagged }: MailSendingValue,
  from: string,
  asking: Asking
): Effect.Effect<Blocked, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    for (const id of untagged === undefined ? [recipient] : [recipient, untagged.recipient])
      if ((yield* actors.ask(asking, "mail_recipient.look", id, null)).suppressed)
        return over("its recipient takes no mail of this service any more")
    const domain = from.slice(from.lastIndexOf("@") + 1)
    const held = domain === mail?.domain ? null : yield* ofDomain(agent, domain, asking)
    return held ?? (yield* ofSender(agent, asking))
  })
