/**
 * A compartment for a person (spec 4.11). It is created together with an agent, whose key only hosts know, and whose
 * sponsor the person is from the first moment.
 *
 * Invariants
 *  - Everything is one commit: the place, the compartment, the agent with its claims, the person's declaration, and the
 *    confirmed sponsorship. So either all of it exists or nothing.
 *  - Before that commit nothing of the compartment and the agent is stored. An unused key pair is dropped, and an
 *    unused number is a gap. A failed try may cost units of a rate limit, and bytes of the person's daily limit.
 *  - The person's account is expected at the sequence at which it was asked. If it is deleted meanwhile, or declares
 *    one agent too many, the command begins again, and is then refused. If it is deleted afterwards, the command about
 *    the deletion reaches the fleet after this commit, and the fleet finds the place.
 *  - A compartment's id is made once. A repeated request gets the existing compartment, even with another key pair.
 */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { notFound, type Refusal, refusal } from "../../schemas/errors.ts"
import type { CompartmentOfHuman } from "../../schemas/fleet/operations.ts"
import type { Limits } from "../../schemas/limits.ts"
import { hubIdOf } from "../../schemas/signing/key.ts"
import { newWebhookSecret, secretPurpose, carriedAtBirth } from "../agent/noun.ts"
import type { Companion, DecideContext, PrepareContext } from "../engine/definition.ts"
import type { HumanEvent } from "../human/noun.ts"
import { drawnFor, givenBackFor } from "../limit/noun.ts"
import { Sealer } from "../log/seal.ts"
import { newAgent } from "../registration/noun.ts"
import { Actors, type ActorServices, anew, Counters } from "../engine/services.ts"
import type { SponsorshipEvent } from "../sponsorship/noun.ts"
import { decideCreate, type Decided } from "./decide.ts"
import type { FleetState, PlaceValue } from "./state.ts"

const BUCKET = "sponsorship"
/** The bytes of the commit's events, without the texts of the command. */
const COMMIT_BYTES = 8192

export interface ForHumanFacts {
  readonly isAway: (host: string) => boolean
  readonly seq: number
  readonly number: number
  readonly sponsorship: number
  readonly handle: string
  readonly sealedSecret: string
}

interface Reply {
  readonly host: string
  readonly agent: string
}

const HANDLE_MAX = 32
const ENDING_CHARS = 6
/** Without vowels, so that no words appear. */
const LETTERS = "bcdfghjklmnpqrstvwxz"

/** Makes a handle from a compartment's name. Random letters are added, because many compartments have the same name. */
export const handleFor = (name: string, random: Uint8Array): string => {
  const ending = [...random.subarray(0, ENDING_CHARS)].map((byte) => LETTERS[byte % LETTERS.length]).join("")
  return `${name.slice(0, HANDLE_MAX - ENDING_CHARS - 1)}-${ending}`
}

const placeOf = ({ places }: FleetState, { id }: CompartmentOfHuman): PlaceValue | undefined =>
  places.find(({ compartment }) => compartment === id)

const standing = (place: PlaceValue, { human }: CompartmentOfHuman): Decided<Reply> =>
  place.owner === human && place.ofHuman
    ? { events: [], reply: { host: place.host, agent: place.agent } }
    : { refused: notFound("compartment") }

const agentIn = ({ public_key }: CompartmentOfHuman): string => hubIdOf(Buffer.from(public_key, "base64"))

const placed = (state: FleetState, wanted: CompartmentOfHuman, isAway: ForHumanFacts["isAway"], limits: Limits) => {
  const { public_key: _public_key, ...rest } = wanted
  const compartment = { ...rest, agent: agentIn(wanted), image: null, secrets: [] }
  return decideCreate(state, compartment, { owner: wanted.human, isAway }, limits)
}

export const decideForHuman = (
  state: FleetState,
  wanted: CompartmentOfHuman,
  { at, facts }: DecideContext<ForHumanFacts>,
  limits: Limits
): Decided<Reply> => {
  const there = placeOf(state, wanted)
  if (there !== undefined) return standing(there, wanted)
  const decision = placed(state, wanted, facts.isAway, limits)
  if ("refused" in decision) return decision
  const { human, name, public_key } = wanted
  const agent = agentIn(wanted)
  const { number, sponsorship, handle, sealedSecret: webhook_secret, seq } = facts
  const empty = { description: "", transparency: "", links: [], webhook_url: null }
  const begun = newAgent(
    {
      id: agent,
      registered: { number, public_key, handle, name, webhook_secret, provisional: true, ...empty },
      further: (born) => carriedAtBirth(born, { id: sponsorship, human, role: "creator" }, at)
    },
    at,
    limits
  )
  const parties = { human, agent }
  const declared: HumanEvent = { type: "human.declared", v: 1, sponsorship, agent, made: true }
  const sponsored: ReadonlyArray<SponsorshipEvent> = [
    { type: "sponsorship.declared", v: 1, ...parties, role: "creator", verified: true },
    { type: "sponsorship.confirmed", v: 1, ...parties }
  ]
  const carried: ReadonlyArray<Companion> = [
    { kind: "human", id: human, expected: seq, events: [declared] },
    { kind: "sponsorship", id: String(sponsorship), expected: 0, events: sponsored }
  ]
  return {
    events: decision.events,
    reply: { host: decision.reply?.host ?? "", agent },
    companions: [...(decision.companions ?? []), ...begun.companions, ...carried],
    timers: begun.timers
  }
}

/** Checks contract 22: the number in a lifetime, and the number that have not passed registration's questions. */
const roomForOneMore = (
  made: ReadonlyArray<string>,
  { made_max, made_provisional_max }: Limits["limits"]["owner"],
  context: PrepareContext
): Effect.Effect<void, Refusal, ActorServices> =>
  Effect.gen(function* () {
    if (made.length >= made_max)
      return yield* Effect.fail(
        refusal("compartment_limit", `At most ${made_max} agents are made for one person.`, { made_max })
      )
    const actors = yield* Actors
    const all = yield* Effect.forEach(made, (agent) => actors.ask(context, "agent.inspect", agent, null), {
      concurrency: "unbounded"
    })
    const waiting = all.filter(
      ({ provisional, status }) => provisional && (status === "active" || status === "suspended")
    )
    if (waiting.length < made_provisional_max) return
    const message =
      `${waiting.length} of your agents have not passed registration's questions. ` +
      "Let one of them pass, or delete its account."
    return yield* Effect.fail(refusal("compartment_limit", message, { made_provisional_max }))
  })

const NO_FACTS = { seq: 0, number: 0, sponsorship: 0, handle: "", sealedSecret: "" }

interface Parts {
  readonly seed: Uint8Array
  readonly limits: Limits
}

/** Gathers the facts. Numbers are drawn and other actors are asked only for a new compartment that has a place. */
export const foundFor = (
  { seed, limits }: Parts,
  state: FleetState,
  wanted: CompartmentOfHuman,
  isAway: ForHumanFacts["isAway"],
  context: PrepareContext
): Effect.Effect<ForHumanFacts, Refusal, ActorServices> =>
  Effect.gen(function* () {
    if (placeOf(state, wanted) !== undefined) return { isAway, ...NO_FACTS }
    const decision = placed(state, wanted, isAway, limits)
    if ("refused" in decision) return yield* Effect.fail(decision.refused)
    const { human, name, command } = wanted
    const actors = yield* Actors
    // A new command id for each try. A remembered answer could be the outdated one that made the last try fail.
    const asking = anew(context)
    const { seq, made, address = human } = yield* actors.ask(asking, "human.adopts", human, null)
    yield* roomForOneMore(made, limits.limits.owner, asking)
    yield* actors.ask(context, "human.spend_bytes", human, { bytes: COMMIT_BYTES + Buffer.byteLength(command) })
    yield* drawnFor(context, BUCKET, address, limits)
    const counters = yield* Counters
    const numbers = Effect.all([counters.next("agent"), counters.next("sponsorship")])
    const [number, sponsorship] = yield* Effect.tapError(numbers, () => givenBackFor(context, BUCKET, address))
    const sealedSecret = new Sealer(seed).seal(newWebhookSecret(), secretPurpose(agentIn(wanted)))
    return { isAway, seq, number, sponsorship, handle: handleFor(name, randomBytes(ENDING_CHARS)), sealedSecret }
  })
