/** A mailbox. Its id is its number. The agent's mailer opens and closes it (actors/mail/mailer/). */
import type { JetStreamManager } from "@nats-io/jetstream"
import { Effect } from "effect"
import type { Operations } from "../../../schemas/bus/operations.ts"
import { aboveMax, type Refusal, unavailable } from "../../../schemas/errors.ts"
import { mailboxOperations } from "../../../schemas/mail/operations.ts"
import type { Mailbox } from "../../../schemas/mail/records.ts"
import type { InboundSender } from "../../../schemas/mail/operations.ts"
import type { MailTag } from "../../../schemas/mail/tags.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { iso } from "../../../schemas/iso.ts"
import { custom, type PrepareContext, read, write } from "../../engine/definition.ts"
import { type Fold, kind } from "../../kit/kind.ts"
import type { Sealer } from "../../log/seal.ts"
import { Actors } from "../../engine/services.ts"
import { type Chosen, openChosen, sealChosen } from "../keys.ts"
import { mailDisabled } from "../mailer/disabled.ts"
import { orNone } from "../or-none.ts"
import {
  decideChange,
  decideDrop,
  decideErase,
  decideReceive,
  ERASE_TIMER,
  fullness,
  hasOpenPlace,
  noMailbox,
  storedBytes
} from "./decide.ts"
import { withoutExpiredTags, type Tag } from "./tag-state.ts"
import { decideEndTag, decideMakeTag, generateTag, isGeneratedTag, isOver, markTag, openTag, sealTag } from "./tags.ts"
import { evolveMailbox, type MailboxActor, MailboxEvent, MailboxState, type MailboxValue } from "./state.ts"
import type { MailParts } from "../keys.ts"

const fold: Fold<MailboxActor> = {
  kind: "mailbox",
  state: MailboxState,
  initial: null,
  events: MailboxEvent,
  evolve: evolveMailbox
}

const addressOf = ({ local_part, domain }: Pick<MailboxValue, "local_part" | "domain">): string =>
  `${local_part}@${domain}`

const recordOf = (
  id: string,
  { local_part, domain, status, created_at }: MailboxValue,
  { label, rules }: Chosen
): Mailbox => ({
  id: Number(id),
  address: addressOf({ local_part, domain }),
  label,
  local_part,
  domain,
  status: status === "active" ? status : "closed",
  rules,
  created_at: iso(created_at)
})

/** The maximum length of the part before the @, including the tag (RFC 5321). */
const LOCAL_PART_MAX_CHARS = 64

const tooLong = (room: number): Refusal =>
  aboveMax(
    "tag",
    `There is room for ${Math.max(0, room)} characters of a tag behind this local part.`,
    Math.max(0, room)
  )

const tagOf = ({ local_part, domain }: MailboxValue, sealer: Sealer, { sealed, expires_at }: Tag): MailTag => {
  const tag = openTag(sealer, sealed)
  return {
    tag,
    address: addressOf({ local_part: `${local_part}+${tag}`, domain }),
    expires_at: expires_at === null ? null : iso(expires_at)
  }
}

type MailboxChange = Operations["mailbox.change"]["input"]
type Making = Operations["mailbox.make_tag"]["input"]
type Ending = Operations["mailbox.end_tag"]["input"]

const notErased = unavailable("The mail of this mailbox cannot be erased at the moment.")

/** Deletes all stored mail of a mailbox. It is safe to repeat. */
const purgeMail = (manager: JetStreamManager, mailbox: string): Effect.Effect<void, Refusal> =>
  Effect.tryPromise({
    try: async () => void (await manager.streams.purge(streams.mail, { filter: subjects.mailOf(mailbox) })),
    catch: () => notErased
  })

/** True for a banned, deleted or unknown account, which receives no mail (contract 22). A suspended account does. */
const isClosed = (agent: string, context: PrepareContext): Effect.Effect<boolean, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const record = yield* orNone(actors.ask(context, "identity.record", agent, null))
    return record === null || record.moderation === "banned" || record.status === "retired"
  })

/** True if the mailbox allows the sender, or its agent has written to it before. */
const isKnown = (
  agent: string,
  sender: InboundSender | undefined,
  context: PrepareContext
): Effect.Effect<boolean, Refusal, Actors> =>
  Effect.gen(function* () {
    if (sender === undefined || sender.allowed || sender.proven.length === 0) return sender?.allowed === true
    const actors = yield* Actors
    return yield* actors.ask(context, "mailer.wrote_to", agent, { recipients: sender.proven })
  })

export const mailboxKind = kind(fold, mailboxOperations, (parts: MailParts) => {
  const { manager, mail, config } = parts
  const limits = { ...config.limits.limits.email, ...config.limits.service.mail }

  /** Fails unless the mailbox is open. */
  const opened = (
    state: MailboxState,
    { id }: Pick<PrepareContext, "id">
  ): Effect.Effect<{ readonly state: MailboxValue; readonly sealer: Sealer; readonly chosen: Chosen }, Refusal> =>
    Effect.gen(function* () {
      if (mail === null) return yield* Effect.fail(mailDisabled)
      if (state === null || state.status !== "active") return yield* Effect.fail(noMailbox.refused)
      const sealer = yield* mail.of(id)
      if (sealer === null) return yield* Effect.fail(noMailbox.refused)
      return { state, sealer, chosen: openChosen(sealer, state.chosen) }
    })

  /**
   * Bytes in the agent's other mailboxes. They are not asked if all of them could be full without reaching the agent's
   * limit.
   */
  const elsewhere = (agent: string, context: PrepareContext): Effect.Effect<number, Refusal, Actors> =>
    Effect.gen(function* () {
      const actors = yield* Actors
      const mailboxes = yield* actors.ask(context, "mailer.mailboxes", agent, null)
      if (mailboxes.length * limits.mailbox_max_bytes <= limits.agent_max_bytes) return 0
      const others = mailboxes.filter((one) => String(one) !== context.id)
      const stored = yield* Effect.forEach(others, (one) => actors.ask(context, "mailbox.stored", String(one), null), {
        concurrency: "unbounded"
      })
      return stored.reduce((sum, bytes) => sum + bytes, 0)
    })

  return {
    onTimer: { [ERASE_TIMER]: "mailbox.timer" },
    operations: {
      "mailbox.look": custom((state, { agent }, { id }) =>
        Effect.flatMap(opened(state, { id }), ({ state: box, chosen }) =>
          box.agent === agent ? Effect.succeed(recordOf(id, box, chosen)) : Effect.fail(noMailbox.refused)
        )
      ),
      "mailbox.change": write({
        prepare: (state, { rules, label }: MailboxChange, { id }) =>
          Effect.map(opened(state, { id }), ({ state: { chosen: sealed }, sealer, chosen }) => {
            const changed: Chosen = {
              label: label === undefined ? chosen.label : label,
              rules: { ...chosen.rules, ...rules }
            }
            // Sealing the same text again gives another ciphertext, so an unchanged text is not sealed again.
            return JSON.stringify(changed) === JSON.stringify(chosen) ? sealed : sealChosen(sealer, changed)
          }),
        decide: (state, input: MailboxChange, context) => decideChange(state, input, context),
        answer: () => null
      }),
      "mailbox.tags": custom((state, { agent, mark }, { id, at }) =>
        Effect.flatMap(opened(state, { id }), ({ state: box, sealer }) => {
          if (box.agent !== agent) return Effect.fail(noMailbox.refused)
          const { tags } = withoutExpiredTags(box, at)
          const wanted = mark === null ? tags : tags.filter((one) => one.mark === mark)
          return Effect.succeed(wanted.toReversed().map((one) => tagOf(box, sealer, one)))
        })
      ),
      "mailbox.make_tag": write({
        prepare: (state, { tag }: Making, { id }) =>
          Effect.flatMap(opened(state, { id }), ({ state: box, sealer }) => {
            const made = tag ?? generateTag(sealer)
            const room = LOCAL_PART_MAX_CHARS - box.local_part.length - 1
            if (made.length > room) return Effect.fail(tooLong(room))
            return Effect.succeed({
              mark: markTag(sealer, made),
              sealed: sealTag(sealer, made),
              drawn: isGeneratedTag(sealer, made)
            })
          }),
        decide: (state, input: Making, context) => decideMakeTag(state, input, context, limits),
        answer: (_state, reply) => reply
      }),
      "mailbox.end_tag": write({
        prepare: (state, { tag }: Ending, { id }) =>
          Effect.map(opened(state, { id }), ({ sealer }) => markTag(sealer, tag)),
        decide: (state, input: Ending, context) => decideEndTag(state, input, context),
        answer: () => null
      }),
      "mailbox.accepts": custom((state, wanted, context) =>
        Effect.gen(function* () {
          const { id, at } = context
          const { state: box, sealer, chosen } = yield* opened(state, { id })
          if (wanted !== null && isOver(box, sealer, wanted.tag, at)) return yield* Effect.fail(noMailbox.refused)
          if (yield* isClosed(box.agent, context)) return yield* Effect.fail(noMailbox.refused)
          const full = fullness(box, yield* elsewhere(box.agent, context), at, limits)
          return {
            agent: box.agent,
            address: addressOf(box),
            rules: chosen.rules,
            full,
            stored: storedBytes(box, at, limits)
          }
        })
      ),
      "mailbox.receive": write({
        prepare: (state, { sender, bytes }, context) =>
          Effect.gen(function* () {
            if (state === null) return { isKnown: false, elsewhere: 0 }
            const others = yield* elsewhere(state.agent, context)
            const isAllowed = sender?.allowed === true
            const taking = { sender, isKnown: isAllowed, bytes, elsewhere: others }
            const isOpen = hasOpenPlace(state, taking, context.at, limits)
            return { isKnown: isOpen ? isAllowed : yield* isKnown(state.agent, sender, context), elsewhere: others }
          }),
        decide: (state, input, context) => decideReceive(state, input, context, limits),
        answer: (_state, reply) => reply
      }),
      "mailbox.drop": write({
        decide: (state, input, context) => decideDrop(state, input, context, limits),
        answer: () => null
      }),
      "mailbox.stored": read((state, _input, { at }) => ({
        data: state?.status === "active" ? storedBytes(state, at, limits) : 0
      })),
      "mailbox.timer": write({
        prepare: (state, { name }, { id }) =>
          name === ERASE_TIMER && state?.status === "closed"
            ? Effect.andThen(mail === null ? Effect.fail(notErased) : mail.erase(id), purgeMail(manager, id))
            : Effect.void,
        decide: decideErase,
        answer: () => null
      })
    }
  }
})
