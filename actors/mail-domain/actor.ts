/** The actor of a mail domain. Its operations are declared in schemas/mail-domain/operations.ts. */
import { Effect, Result } from "effect"
import { notFound, refusal, type Refusal } from "../../schemas/errors.ts"
import { domainOperations } from "../../schemas/mail-domain/operations.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import type { FiredTimer } from "../../schemas/timer.ts"
import { custom, type PrepareContext, read, write } from "../engine/definition.ts"
import { type Fold, kind } from "../kit/kind.ts"
import { Actors } from "../engine/services.ts"
import { type Checked, checkedBy, unanswered } from "./checks.ts"
import {
  CHECK_TIMER,
  CLAIM_TIMER,
  claimedBy,
  type ClaimFacts,
  decideCheck,
  decideClaimEnd,
  decideForget,
  decideOwn,
  decideVerify,
  dueFor,
  FORGET_TIMER,
  isForgetOver,
  noDomain,
  type OwnFacts,
  toForget
} from "./decide.ts"
import { makeKey, openKey } from "./dkim.ts"
import { domainId } from "../../schemas/mail-domain/id.ts"
import { domainParts, holderSeq, withMail } from "./parts.ts"
import { recordOf } from "./record.ts"
import {
  evolveMailDomain,
  type HeldDomain,
  type MailDomainActor,
  MailDomainEvent,
  MailDomainState,
  NOT_HELD
} from "./state.ts"
import type { MailParts } from "../mail/noun.ts"

const fold: Fold<MailDomainActor> = {
  kind: "mail_domain",
  state: MailDomainState,
  initial: NOT_HELD,
  events: MailDomainEvent,
  evolve: evolveMailDomain
}

const NO_SUCH = { refused: notFound("mail domain") }
const NOT_READY: Refusal = refusal("email_domain_not_ready", "This domain is not active.")
const NO_CHECK: Checked = { found: [], provider: null }
const NO_CLAIM: ClaimFacts = { mailboxes: 0, holderSeq: 0 }

/** The facts for the decision on a fired timer. Facts that only other timers need are empty. */
interface TimerFacts {
  readonly check: Checked
  readonly claim: ClaimFacts
  readonly forgotten: boolean
  /** The domain that the service now stops trying to remove from the provider; `null` if there is none. */
  readonly givenUp: string | null
}

export const mailDomainKind = kind(fold, domainOperations, (node: MailParts) => {
  const parts = domainParts(node)
  const { limits, service } = node.config.limits
  const isOwn = (id: string): boolean => parts !== null && id === domainId(parts.own)

  const checked = (held: HeldDomain): Effect.Effect<Checked, Refusal> =>
    parts === null ? Effect.succeed(unanswered(held.records)) : parts.looks.one(checkedBy(parts, held, service.mail))

  /** Makes keys and records for the service's own domain. `null` for other domains, and if they exist already. */
  const ownFacts = ({ held }: MailDomainState, id: string): Effect.Effect<OwnFacts | null, Refusal> =>
    Effect.gen(function* () {
      const { own, sealer, provider } = yield* withMail(parts)
      if (held !== null || !isOwn(id)) return null
      const dkim = yield* makeKey(sealer, own)
      return { domain: own, records: yield* provider.declare(own, dkim), dkim }
    })

  const claimFacts = ({ agent, domain }: HeldDomain, context: PrepareContext) =>
    Effect.gen(function* () {
      if (agent === null) return NO_CLAIM
      const actors = yield* Actors
      const mailboxes = yield* actors.ask(context, "mailer.count_of", agent, { domain })
      return { mailboxes, holderSeq: yield* holderSeq(node, agent) }
    })

  const timerFacts = (state: MailDomainState, fired: FiredTimer, context: PrepareContext) =>
    Effect.gen(function* () {
      const { held } = state
      const left = toForget(state, fired, context.at)
      const forgotten =
        left === null || parts === null ? false : Result.isSuccess(yield* Effect.result(parts.provider.forget(left)))
      const givenUp = !forgotten && isForgetOver(state, context.at, service.mail) ? left : null
      const facts: TimerFacts = { check: NO_CHECK, claim: NO_CLAIM, forgotten, givenUp }
      if (held === null || dueFor(state, fired, context.at) !== "due") return facts
      if (fired.name === CHECK_TIMER) return { ...facts, check: yield* checked(held) }
      return { ...facts, claim: yield* claimFacts(held, context) }
    })

  return {
    onTimer: {
      [CHECK_TIMER]: "mail_domain.timer",
      [CLAIM_TIMER]: "mail_domain.timer",
      [FORGET_TIMER]: "mail_domain.timer"
    },
    operations: {
      "mail_domain.look": read((state, { agent }) => {
        const held = claimedBy(state, agent)
        return held === null ? noDomain : { data: recordOf(held) }
      }),
      "mail_domain.verify": write({
        prepare: (state, { agent }) => {
          const held = claimedBy(state, agent)
          return held === null ? Effect.fail(noDomain.refused) : checked(held)
        },
        decide: (state, input, context) => decideVerify(state, input, context, limits.email),
        answer: () => null
      }),
      "mail_domain.ready": read(({ held, claim }, _input, { id }) => {
        if (isOwn(id)) return { data: { agent: null, ready: true, claim } }
        return held === null ? NO_SUCH : { data: { agent: held.agent, ready: held.active, claim } }
      }),
      "mail_domain.signing": write({
        prepare: (state, _input, { id }) =>
          Effect.flatMap(withMail(parts), () => {
            if (isOwn(id)) return ownFacts(state, id)
            if (state.held === null) return Effect.fail(NO_SUCH.refused)
            return state.held.active ? Effect.succeed(null) : Effect.fail(NOT_READY)
          }),
        decide: (state, _input, context) => decideOwn(state, context),
        answer: ({ held }) => ({
          selector: held?.dkim.selector ?? "",
          private_key: held === null || parts === null ? "" : openKey(parts.sealer, held.domain, held.dkim.sealed)
        })
      }),
      "mail_domain.standing": custom(({ claim, held }, _input, { seq }) =>
        Effect.succeed({
          seq,
          claim,
          held: held === null ? null : { agent: held.agent, active: held.active, claim_until: held.claim_until }
        })
      ),
      "mail_domain.records": write({
        prepare: (state, _input, { id }) => (isOwn(id) ? ownFacts(state, id) : Effect.fail(NO_SUCH.refused)),
        decide: (state, _input, context) => decideOwn(state, context),
        answer: ({ held }) => held?.records ?? []
      }),
      "mail_domain.default": read(() => ({ data: { domain: parts?.own ?? null } })),
      "mail_domain.timer": write({
        prepare: timerFacts,
        decide: (state, fired, { id, at, facts }) => {
          const { check, claim } = facts
          if (fired.name === CHECK_TIMER) return decideCheck(state, fired, { at, facts: check }, limits.email)
          if (fired.name === CLAIM_TIMER) return decideClaimEnd(state, fired, { id, at, facts: claim }, limits.email)
          return fired.name === FORGET_TIMER
            ? decideForget(state, fired, { id, at, facts }, service.mail)
            : { events: [] }
        },
        answer: () => null,
        after: (_fired, { facts: { givenUp } }) =>
          Effect.sync(() => {
            if (givenUp !== null) logNow("warn", "mail", { domain: givenUp, error: "the provider does not forget it" })
          })
      })
    }
  }
})
