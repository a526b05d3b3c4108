/** Prepares an attempt to send a letter, and makes it. */
import { Clock, Effect, Exit, Schedule } from "effect"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import type { LetterOutcome } from "../../schemas/letter/operations.ts"
import { mailHostOf } from "../../schemas/letter/settings.ts"
import type { PrepareContext } from "../engine/definition.ts"
import { chatSending, type Sending } from "../chat/noun.ts"
import { pushHostOf, pushSending } from "../push/noun.ts"
import type { LetterParts } from "./letters.ts"
import type { Sealer } from "../log/seal.ts"
import { Actors, type Asking } from "../engine/services.ts"
import { composed } from "./compose.ts"
import { type SendFacts, staleAt } from "./decide.ts"
import type { Letters } from "./letters.ts"
import type { LetterContent } from "../kit/letter-content.ts"
import { registrableDomainOf } from "../kit/registrable-domain.ts"
import { openLetter } from "./posting.ts"
import type { Slots, Strangers } from "./slots.ts"
import { aboutOf, CHAT, isRelayed, PUSH } from "./ways.ts"
import type { Letter } from "./state.ts"
import { holdsSeconds, rendered } from "./templates.ts"
import type { Message, TransportName } from "../kit/mailing/transport.ts"
import { letterLimits } from "./limits.ts"

/**
 * Milliseconds for one report of an outcome, milliseconds between two tries, and the number of tries after the first.
 */
const TOLD_WITHIN_MS = 10_000
const TOLD_AGAIN_MS = 1000
const TELLINGS_MAX = 6

/** A prepared attempt. It is made once its commit is written (`attempted`). */
export interface Ready {
  readonly facts: SendFacts
  readonly attempt: number
  readonly template: string
  /** `null` if nothing is sent. */
  readonly send: ((hurry: Effect.Effect<void>) => Sending) | null
  readonly asking: Pick<Asking, "commandId" | "traceparent">
}

export type Parts = Pick<LetterParts, "letters" | "accounts" | "nats" | "seed">

const NO_SLOT = unavailable("As many letters as may be are under way.")

export const NOTHING_TO_SEND: Ready = {
  facts: { type: "none" },
  attempt: 0,
  template: "",
  send: null,
  asking: { commandId: "" }
}

/** Fails if the letter must be tried later. Reserves a slot if there is something to send. */
export const prepared = (
  parts: Parts,
  letter: Letter,
  context: PrepareContext
): Effect.Effect<Ready, Refusal, Actors> =>
  Effect.suspend(() => {
    const { id, at, deadline, commandId, traceparent } = context
    const { letters, accounts } = parts
    const { config } = letters
    const slots = slotsOf(letters, letter.template)
    const made = (facts: SendFacts, send: Ready["send"] = null): Ready => ({
      facts,
      attempt: letter.attempts + 1,
      send,
      asking: { commandId, traceparent },
      template: letter.template
    })
    const transport = transportFor(letters, letter.template)
    const limits = letterLimits(config.limits)
    if (at >= staleAt(letter, (template) => holdsSeconds(template, limits)))
      return Effect.succeed(made({ type: "final", reason: "what it says holds no longer" }))
    if (transport === null) return Effect.succeed(made({ type: "final", reason: "this service has no way to send it" }))
    // The slot is reserved before anything else is done, because many letters may wait and try repeatedly.
    if (!slots.reserve(id, deadline - at, letter.human)) return Effect.fail(NO_SLOT)
    const making = Effect.gen(function* () {
      const sealer = yield* accounts.of(letter.human)
      if (sealer === null) return made({ type: "dropped", reason: "the account is erased" })
      if (letter.attempts > 0 && isRelayed(letter.template) && !(yield* mayBeToldAgain(letter, sealer, context)))
        return made({ type: "dropped", reason: "it is told with others" })
      const place = worldPlaceOf(letters, letter, id, sealer)
      if (place !== null && !slots.mayGoTo(id, place, strangersOf(letter))) return yield* Effect.fail(NO_SLOT)
      const send = yield* sendingOf(parts, letter, sealer, context)
      if (send === null) return made({ type: "final", reason: "it cannot be made into a message, or need not" })
      return made({ type: "ready", transport }, send)
    })
    return Effect.onExit(making, (exit) =>
      Effect.sync(() => {
        if (Exit.isFailure(exit) || exit.value.send === null) slots.giveBack(id)
      })
    )
  })

const transportFor = ({ chat, push, transport }: Letters, template: string): TransportName | null => {
  if (template === CHAT) return chat && "chat"
  if (template === PUSH) return push && "push"
  return transport?.name ?? null
}

const slotsOf = ({ slots, chatSlots, pushSlots }: Letters, template: string): Slots =>
  template === CHAT ? chatSlots : template === PUSH ? pushSlots : slots

/**
 * Letters that anybody can cause, to any address, and messages to push services, which anybody can name. All other
 * letters require a proof first.
 */
const STRANGERS: Readonly<Record<string, Omit<Strangers, "name">>> = {
  verify_address: { parts: 2, until: "proved" },
  reset_password: { parts: 4, until: "proved" },
  // All push messages are in this group. A push service leaves the group once it has answered in time.
  [PUSH]: { parts: 2, until: "prompt" }
}

const strangersOf = ({ template: name }: Letter): Strangers | null => {
  const strangers = STRANGERS[name]
  return strangers === undefined ? null : { name, ...strangers }
}

/**
 * The registrable domain whose server takes the letter. `null` for chat, for a file, for the SMTP server of the
 * settings, and if the letter cannot be opened.
 */
const worldPlaceOf = ({ config }: Letters, letter: Letter, id: string, sealer: Sealer): string | null => {
  if (letter.template === CHAT || (letter.template !== PUSH && config.letters?.transport !== "mail")) return null
  const content = contentOf(letter, id, sealer)
  if (content === null) return null
  return registrableDomainOf(
    letter.template === PUSH ? pushHostOf(content) : content.to.slice(content.to.lastIndexOf("@") + 1)
  )
}

/** `null` if the letter cannot be opened. */
const contentOf = ({ sealed }: Letter, id: string, sealer: Sealer): LetterContent | null => {
  try {
    return openLetter(sealer, id, sealed)
  } catch {
    return null
  }
}

/** False if the person's limit of these letters is used up. A letter is counted again at each further attempt. */
const mayBeToldAgain = (
  letter: Letter,
  sealer: Sealer,
  context: PrepareContext
): Effect.Effect<boolean, Refusal, Actors> =>
  Effect.flatMap(Actors, (actors) => {
    const content = contentOf(letter, context.id, sealer)
    const about = content === null ? null : aboutOf(letter.template, content.values)
    return Effect.map(actors.ask(context, "human.relay_again", letter.human, about), ({ room }) => room)
  })

/** The sending by the letter's channel; `null` if the letter cannot be sent, or is not needed any more. */
const sendingOf = (
  parts: Parts,
  letter: Letter,
  sealer: Sealer,
  context: PrepareContext
): Effect.Effect<Ready["send"], Refusal, Actors> => {
  const { chat, push, transport, config } = parts.letters
  const { id } = context
  if (letter.template !== CHAT && letter.template !== PUSH)
    return Effect.map(messageOf(config, letter, id, sealer), (message) =>
      message === null || transport === null ? null : (hurry) => transport.send(message, hurry)
    )
  const told = { human: letter.human, content: openLetter(sealer, id, letter.sealed) }
  const sending =
    letter.template === CHAT
      ? chat && chatSending(parts, chat, told, context)
      : push && pushSending(push, told, context)
  if (sending === null) return Effect.succeed(null)
  return Effect.map(sending, (send) =>
    send === null
      ? null
      : (hurry) =>
          Effect.raceFirst(
            send,
            Effect.as(hurry, { type: "unknown", reason: "it was cut short before the other side answered" } as const)
          )
  )
}

/** `null` if no message can be made of the letter, so that it is not tried again and again. */
const messageOf = (
  { letters, limits, baseUrl, name: service }: Letters["config"],
  { template, sealed, written_at: at }: Letter,
  id: string,
  sealer: Sealer
): Effect.Effect<Message | null> => {
  const made = Effect.tryPromise(async () => {
    const { to, name, values } = openLetter(sealer, id, sealed)
    const laid = rendered(template, values, { name: service, baseUrl, limits: letterLimits(limits) })
    if (laid === null || letters === null) return null
    return composed(laid, { id, to, name, from: letters.from, host: mailHostOf(baseUrl), at })
  })
  return Effect.orElseSucceed(made, () => null)
}

const BUSY: LetterOutcome = { type: "passing", reason: "the node had no room" }

/** Makes the attempt after its commit, and then reports to the letter's actor. */
export const attempted = (
  letters: Letters,
  { send, attempt, asking, template }: Ready,
  letter: string
): Effect.Effect<void, never, Actors> => {
  if (send === null) return Effect.void
  const { hurry } = letters
  const slots = slotsOf(letters, template)
  const tell = (outcome: LetterOutcome) => report(asking, letter, { attempt, outcome })
  const sent = (tooSlow: Effect.Effect<void>) => Effect.flatMap(send(Effect.raceFirst(hurry, tooSlow)), tell)
  return slots.using(letter, sent, tell(BUSY))
}

/** Reports the outcome. If that fails, the letter's own timer handles it. */
const report = (
  asking: Ready["asking"],
  letter: string,
  input: { readonly attempt: number; readonly outcome: LetterOutcome }
): Effect.Effect<void, never, Actors> =>
  Effect.flatMap(Actors, (actors) => {
    const once = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      actors.ask({ ...asking, deadline: now + TOLD_WITHIN_MS }, "letter.settle", letter, input)
    )
    return Effect.ignore(Effect.retry(once, { schedule: Schedule.spaced(TOLD_AGAIN_MS), times: TELLINGS_MAX }))
  })
