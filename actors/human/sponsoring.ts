/**
 * A person declares to sponsor agents (spec 3.4; contract 20).
 *
 * Invariants
 *  - A person has at most one open sponsorship of an agent. The person's own log decides that, together with the state
 *    of the last sponsorship of that agent.
 *  - The declaration, the sponsorship and its entry at the agent are one commit. It expects the agent at the sequence
 *    at which the agent's limit was checked.
 *  - A sponsorship that is reported as ended does not count any more. Until the report it counts as open, so a limit
 *    may be applied too strictly, but never too loosely.
 *  - Only possible declarations use up the rate limit. A repeated or refused command costs nothing, unless others took
 *    the last place meanwhile.
 */
import { Effect } from "effect"
import { notFound, type Refusal, refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type {
  AgentAdmits,
  sponsoringOperations as declared,
  SponsorshipFacts
} from "../../schemas/sponsorship/operations.ts"
import type { SponsorRole, SponsorshipStatus } from "../../schemas/sponsorship/records.ts"
import { custom, type Decision, type DecideContext, type PrepareContext, read, write } from "../engine/definition.ts"
import type { KindParts, Operating } from "../kit/kind.ts"
import { drawnFor, givenBackFor } from "../limit/noun.ts"
import { Actors, anew, Counters } from "../engine/services.ts"
import { besideAgent, isOpen, noSponsorship, type SponsorshipEvent } from "../sponsorship/noun.ts"
import { absent, isActive, type Posted } from "./decide.ts"
import { openLeft, refusedUntil } from "./left-behind.ts"
import type { OpenedAccount, Opening } from "./opening.ts"
import type { Human, HumanActor, HumanEvent, HumanState } from "./state.ts"

const BUCKET = "sponsorship"
const ABREAST = 8

type OwnerLimits = Limits["limits"]["owner"]

interface Declaring {
  readonly agent: string
  readonly role: SponsorRole
}

interface Before {
  /** The newest sponsorship of that agent. `verified`: whether the person's address was verified at the time. */
  readonly before: (SponsorshipFacts & { readonly verified?: boolean }) | null
  /** Unix ms until which the agent's refusal of an earlier account of the address holds. */
  readonly earlier: number
}

/**
 * `admits`: events for the agent's log, and the sequence at which they may be added; `null` from nodes of an earlier
 * release.
 */
export interface DeclareFacts extends Before {
  readonly number: number
  readonly admits: AgentAdmits | null
}

/** The commit's reply, from which a repeated command gets the first answer. */
interface Declared extends Declaring {
  readonly number: number
}

/** The key of the rate limit. A person who has not verified the address does not use up the limit of its owner. */
const countedAs = ({ address, email_verified }: Human): string => (email_verified ? address : `unproven ${address}`)

/** The refusal if no agent may be made for this person; `null` if one may. */
export const adoptRefusal = (state: HumanState, { agents_max }: OwnerLimits): Refusal | null => {
  if (!isActive(state)) return notFound("human")
  if (!state.email_verified) return refusal("email_owner_rule", "The address of this account is not confirmed.")
  return roomRefusal(state, agents_max)
}

const roomRefusal = ({ sponsorships }: Human, max: number): Refusal | null =>
  sponsorships.filter(({ open }) => open).length < max
    ? null
    : refusal("sponsorship_limit", `A person may carry ${max} agents.`, { max })

const exists = (message: string, details: Readonly<Record<string, string>>): Refusal =>
  refusal("sponsorship_exists", message, details)

/** The refusal if the person cannot declare this agent now; `null` if it is possible. */
const declareRefusal = (
  human: Human,
  { before, earlier }: Before,
  at: number,
  { agents_max, refused_wait_seconds }: OwnerLimits
): Refusal | null => {
  if (before !== null && isOpen(before.status))
    return exists("You have declared this agent already.", { status: before.status })
  // Before the address is proven, anybody may have asked in this name. That must not keep the real owner of the address
  // away.
  const binds = before?.status === "refused" && (!human.email_verified || before.verified !== false)
  const ended = binds ? Date.parse(before.ended_at ?? "") + refused_wait_seconds * 1000 : 0
  const until = Math.max(ended, earlier)
  if (until > at)
    return exists("This agent has refused. Wait before you ask again.", {
      status: "refused",
      until: new Date(until).toISOString()
    })
  return roomRefusal(human, agents_max)
}

export const decideDeclare = (
  state: HumanState,
  { agent, role }: Declaring,
  { id: human, at, facts }: DecideContext<DeclareFacts>,
  owner: OwnerLimits
): Decision<HumanEvent, Declared> => {
  if (!isActive(state)) return absent
  const refused = declareRefusal(state, facts, at, owner)
  if (refused !== null) return { refused }
  const { number, admits } = facts
  const verified = state.email_verified
  const begun: SponsorshipEvent = { type: "sponsorship.declared", v: 1, human, agent, role, verified }
  return {
    events: [{ type: "human.declared", v: 1, sponsorship: number, agent }],
    reply: { number, agent, role },
    companions: [
      { kind: "sponsorship", id: String(number), expected: 0, drawn: true, events: [begun] },
      ...besideAgent(agent, admits)
    ]
  }
}

interface EndedSponsorship {
  readonly sponsorship: number
  readonly status: SponsorshipStatus
}

/** The sponsorship, if the account has it as open. */
const openIn = (state: HumanState, sponsorship: number): Human["sponsorships"][number] | null =>
  (isActive(state) ? state.sponsorships.find(({ id, open }) => id === sponsorship && open) : null) ?? null

/** `posted`: the letter that reports the end, if one is sent. */
export const decideEnded = (
  state: HumanState,
  { sponsorship }: EndedSponsorship,
  { facts }: DecideContext<{ readonly posted: Posted }>
): Decision<HumanEvent> =>
  openIn(state, sponsorship) === null
    ? { events: [] }
    : { events: [{ type: "human.sponsorship_ended", v: 1, sponsorship }], ...facts.posted }

const newestOf = (state: HumanState, agent: string): number | null =>
  (isActive(state) ? state.sponsorships.find((one) => one.agent === agent)?.id : null) ?? null

/** The account does not know which of its sponsorships were confirmed, so each is asked. */
const pendingChecked = (
  { sponsorships }: Human,
  context: PrepareContext,
  { unverified_pending_max: max }: OwnerLimits
): Effect.Effect<void, Refusal, Actors> =>
  Effect.gen(function* () {
    const open = sponsorships.filter((one) => one.open)
    if (open.length < max) return
    const actors = yield* Actors
    const statusOf = ({ id }: Human["sponsorships"][number]) =>
      Effect.map(
        actors.ask({ ...context, commandId: `${context.commandId}-${id}` }, "sponsorship.look", String(id), null),
        ({ status }) => status
      )
    const statuses = yield* Effect.forEach(open, statusOf, { concurrency: ABREAST })
    if (statuses.filter((status) => status === "pending").length < max) return
    const why = `Confirm your address first: without that, ${max} declarations may wait for an answer.`
    yield* Effect.fail(refusal("sponsorship_limit", why, { max }))
  })

/**
 * Draws a number if the sponsorship can be declared, then asks the agent again, because its answer must still be true.
 */
const declareFacts = (
  { human: state, sealer }: OpenedAccount,
  { agent, role }: Declaring,
  context: PrepareContext,
  limits: Limits
) =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const asking = anew(context)
    const last = newestOf(state, agent)
    const before = last === null ? null : yield* actors.ask(asking, "sponsorship.stands", String(last), null)
    const earlier = refusedUntil(openLeft(sealer, context.id, state.left), agent, state.email_verified)
    const refused = declareRefusal(state, { before, earlier }, context.at, limits.limits.owner)
    if (refused !== null) return yield* Effect.fail(refused)
    if (!state.email_verified) yield* pendingChecked(state, asking, limits.limits.owner)
    const wanted = { to: "declare", verified: state.email_verified } as const
    yield* actors.ask(asking, "sponsorship.admits", agent, wanted)
    const counted = countedAs(state)
    yield* drawnFor(context, BUCKET, counted, limits)
    const counters = yield* Counters
    const admitted = Effect.gen(function* () {
      const number = yield* counters.next("sponsorship")
      const as = { sponsorship: number, human: context.id, role }
      const admits = yield* actors.ask(anew(context), "sponsorship.admits", agent, { ...wanted, as })
      return { before, earlier, number, admits }
    })
    return yield* Effect.tapError(admitted, () => givenBackFor(context, BUCKET, counted))
  })

const NO_LETTER: Posted = {}

export const sponsoringOperations = (
  { config: { limits } }: KindParts,
  { opened, told }: Opening
): Operating<typeof declared, HumanActor> => {
  const { owner } = limits.limits
  /**
   * The letter to a person with a confirmed address, whose confirmed sponsorship an agent has revoked. No letter
   * reports the end by a deleted agent, which has no handle.
   */
  const endedLetter = (state: HumanState, { sponsorship, status }: EndedSponsorship, context: PrepareContext) =>
    Effect.gen(function* () {
      const one = openIn(state, sponsorship)
      if (one === null || status !== "revoked" || !isActive(state) || !state.email_verified) return NO_LETTER
      const actors = yield* Actors
      const { handle } = yield* actors.ask(context, "content.author", one.agent, null)
      if (handle === null) return NO_LETTER
      return told("sponsorship_ended", yield* opened(state, context.id), context, { agent: handle })
    })

  return {
    "human.declare": write({
      prepare: (state, input, context) =>
        Effect.flatMap(opened(state, context.id), (account) => declareFacts(account, input, context, limits)),
      decide: (state, input, context) => decideDeclare(state, input, context, owner),
      answer: (_state, { number, agent, role }, { id, at }) => ({
        id: number,
        human: id,
        agent,
        role,
        status: "pending",
        created_at: new Date(at).toISOString(),
        confirmed_at: null,
        ended_at: null
      }),
      projected: true
    }),
    "human.adopts": custom((state, _input, { id, seq }) => {
      const refused = adoptRefusal(state, owner)
      if (refused !== null) return Effect.fail(refused)
      return Effect.map(opened(state, id), ({ human, sealer }) => ({
        seq,
        made: [...openLeft(sealer, id, human.left).made, ...human.made],
        address: human.address
      }))
    }),
    "human.sponsorship": read((state, { agent }) => {
      const sponsorship = newestOf(state, agent)
      return sponsorship === null ? noSponsorship : { data: { sponsorship } }
    }),
    "human.sponsorship_ended": write({
      prepare: (state, input, context) => Effect.map(endedLetter(state, input, context), (posted) => ({ posted })),
      decide: decideEnded,
      answer: () => null
    })
  }
}
