/** The actor of an agent's one domain. Its operations are declared in schemas/mail-domain/operations.ts. */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import { holderOperations } from "../../../schemas/mail-domain/operations.ts"
import { type PrepareContext, read, write } from "../../engine/definition.ts"
import { accountRuns } from "../../kit/account.ts"
import { type Fold, kind } from "../../kit/kind.ts"
import { Actors } from "../../engine/services.ts"
import { isProven, proofOf } from "../checks.ts"
import { makeKey } from "../dkim.ts"
import { domainId } from "../../../schemas/mail-domain/id.ts"
import { domainParts, holderSeq, withMail } from "../parts.ts"
import {
  type DeclareFacts,
  decideDeclare,
  decideRelease,
  mayTake,
  ownRefusal,
  type DomainStanding,
  takenRefusal
} from "./decide.ts"
import {
  evolveHolder,
  type MailDomainHolderActor,
  MailDomainHolderEvent,
  MailDomainHolderState,
  NO_DOMAIN
} from "./state.ts"
import type { MailParts } from "../../mail/noun.ts"

const fold: Fold<MailDomainHolderActor> = {
  kind: "mail_domain_holder",
  state: MailDomainHolderState,
  initial: NO_DOMAIN,
  events: MailDomainHolderEvent,
  evolve: evolveHolder
}

const standingOf = (context: PrepareContext, domain: string): Effect.Effect<DomainStanding, Refusal, Actors> =>
  Effect.flatMap(Actors, (actors) => actors.ask(context, "mail_domain.standing", domainId(domain), null))

const NO_CLAIM = { claim: 0 }

export const mailDomainHolderKind = kind(fold, holderOperations, (node: MailParts) => {
  const parts = domainParts(node)
  const { email } = node.config.limits.limits

  const declareFacts = (
    state: MailDomainHolderState,
    domain: string,
    context: PrepareContext
  ): Effect.Effect<DeclareFacts, Refusal, Actors> =>
    Effect.gen(function* () {
      const { sealer, dns, provider, looks } = yield* withMail(parts)
      const { id: agent, at } = context
      yield* accountRuns(context, agent)
      const own = ownRefusal(state, domain, at, email)
      if (own !== null) return yield* Effect.fail(own)
      const standing = yield* standingOf(context, domain)
      const proof = proofOf(sealer, domain, agent)
      const proven = mayTake(standing, agent) && (yield* looks.one(isProven(dns, proof)))
      const taken = proven ? null : takenRefusal(standing, agent, proof)
      if (taken !== null) return yield* Effect.fail(taken)
      const from = standing.held?.agent ?? null
      const fromSeq = from === null ? 0 : yield* holderSeq(node, from)
      const dkim = yield* makeKey(sealer, domain)
      return { standing, proof, proven, fromSeq, records: yield* provider.declare(domain, dkim), dkim }
    })

  /** `wanted`: `null` for any domain. The facts are `null` if the agent does not have the wanted domain. */
  const heldFacts = (
    { domain }: MailDomainHolderState,
    wanted: string | null,
    context: PrepareContext
  ): Effect.Effect<DomainStanding | null, Refusal, Actors> =>
    domain === null || (wanted !== null && wanted !== domain) ? Effect.succeed(null) : standingOf(context, domain)

  return {
    operations: {
      "mail_domain_holder.look": read(({ domain }) => ({ data: { domain } })),
      "mail_domain_holder.declare": write({
        prepare: (state, { domain }, context) => declareFacts(state, domain, context),
        decide: (state, input, context) => decideDeclare(state, input, context, email),
        answer: () => null
      }),
      "mail_domain_holder.release": write({
        prepare: (state, { domain }, context) => heldFacts(state, domain, context),
        decide: decideRelease,
        answer: (_state, reply: { readonly claim: number } | undefined) => reply ?? NO_CLAIM
      }),
      "mail_domain_holder.end": write({
        prepare: (state, _input, context) => heldFacts(state, null, context),
        decide: (state, _input, context) => decideRelease(state, { domain: null }, context),
        answer: () => null
      })
    }
  }
})
