/**
 * A sponsorship. Its id is its number. The person's account creates it (actors/human/sponsoring.ts), and this actor
 * owns it afterwards.
 */
import { Effect } from "effect"
import { sponsorshipOperations } from "../../schemas/sponsorship/operations.ts"
import type { SponsorshipFacts } from "../../schemas/sponsorship/operations.ts"
import { type AnswerContext, custom, read, write, type WriteOperation } from "../engine/definition.ts"
import { existing } from "../engine/existing.ts"
import { type Fold, kind } from "../kit/kind.ts"
import { Actors, anew } from "../engine/services.ts"
import {
  besideAgent,
  decideConfirm,
  decideDate,
  decideEnd,
  decideExpire,
  decideReject,
  decideVerify,
  decideWithdraw,
  EXPIRY_TIMER,
  noSponsorship
} from "./decide.ts"
import {
  evolveSponsorship,
  type Sponsorship,
  type SponsorshipActor,
  SponsorshipEvent,
  SponsorshipState
} from "./state.ts"
import { iso } from "../../schemas/iso.ts"

const fold: Fold<SponsorshipActor> = {
  kind: "sponsorship",
  state: SponsorshipState,
  initial: null,
  events: SponsorshipEvent,
  evolve: evolveSponsorship
}

const orNull = (ms: number | null): string | null => (ms === null ? null : iso(ms))

const factsOf = (id: string, sponsorship: Sponsorship): SponsorshipFacts => {
  const { human, agent, role, status, created_at, confirmed_at, ended_at } = sponsorship
  return {
    id: Number(id),
    human,
    agent,
    role,
    status,
    created_at: iso(created_at),
    confirmed_at: orNull(confirmed_at),
    ended_at: orNull(ended_at)
  }
}

const stands = (state: SponsorshipState, _reply: unknown, { id }: AnswerContext): SponsorshipFacts =>
  factsOf(id, existing(state))

/** A decision by one of the two parties. That party then sees it in every list. */
const decided = <Input>(
  decide: WriteOperation<SponsorshipActor, Input, SponsorshipFacts>["decide"]
): WriteOperation<SponsorshipActor, Input, SponsorshipFacts> => write({ decide, answer: stands, projected: true })

export const sponsorshipKind = kind(fold, sponsorshipOperations, ({ config: { limits } }) => ({
  onTimer: { [EXPIRY_TIMER]: "sponsorship.timer" },
  operations: {
    "sponsorship.look": read((state, _input, { id }) =>
      state === null ? noSponsorship : { data: factsOf(id, state) }
    ),
    "sponsorship.stands": custom((state, _input, { id, seq }) =>
      state === null
        ? Effect.fail(noSponsorship.refused)
        : Effect.succeed({ ...factsOf(id, state), seq, verified: state.verified })
    ),
    "sponsorship.confirm": write({
      prepare: (state, { agent }, context) =>
        state === null || state.agent !== agent || state.status !== "pending"
          ? Effect.succeed(null)
          : Effect.flatMap(Actors, (actors) => {
              const as = { sponsorship: Number(context.id), at: context.at }
              return actors.ask(anew(context), "sponsorship.admits", agent, { to: "confirm", as })
            }),
      decide: (state, input, { facts }) => {
        const decision = decideConfirm(state, input)
        return "refused" in decision ? decision : { ...decision, companions: besideAgent(input.agent, facts) }
      },
      answer: stands,
      projected: true
    }),
    "sponsorship.reject": decided(decideReject),
    "sponsorship.withdraw": decided(decideWithdraw),
    "sponsorship.verify": write({ decide: decideVerify, answer: () => null, projected: true }),
    "sponsorship.date": write({
      decide: (state, _input, context) => decideDate(state, context, limits.limits.owner),
      answer: () => null
    }),
    "sponsorship.timer": write({ decide: decideExpire, answer: () => null }),
    "sponsorship.end": write({ decide: decideEnd, answer: () => null, projected: true })
  }
}))
