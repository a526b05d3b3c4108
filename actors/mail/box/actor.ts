/** A mailbox: id = its number. The agent's mailer begins and closes it (actors/mail/mailer/). */
import type { JetStreamManager } from "@nats-io/jetstream"
import { Effect } from "effect"
import type { Operations } from "../../../schemas/bus/operations.ts"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import { mailboxOperations } from "../../../schemas/mail/operations.ts"
import type { Mailbox } from "../../../schemas/mail/records.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { iso } from "../../agent/profile.ts"
import { custom, type PrepareContext, write } from "../../engine/definition.ts"
import { type Fold, kind } from "../../kind.ts"
import type { Sealer } from "../../log/seal.ts"
import { type Chosen, openChosen, sealChosen } from "../keys.ts"
import { mailDisabled } from "../mailer/disabled.ts"
import { decideChange, decideDrop, decideErase, decideReceive, ERASE_TIMER, fullness, noMailbox } from "./decide.ts"
import { evolveMailbox, type MailboxActor, MailboxEvent, MailboxState, type MailboxValue } from "./state.ts"

const fold: Fold<MailboxActor> = {
  kind: "mailbox",
  state: MailboxState,
  initial: null,
  events: MailboxEvent,
  evolve: evolveMailbox
}

const recordOf = (
  id: string,
  { local_part, domain, status, created_at }: MailboxValue,
  { label, rules }: Chosen
): Mailbox => ({
  id: Number(id),
  address: `${local_part}@${domain}`,
  label,
  local_part,
  domain,
  status: status === "active" ? status : "closed",
  rules,
  created_at: iso(created_at)
})

type Wanted = Operations["mailbox.change"]["input"]

const notErased = unavailable("The mail of this mailbox cannot be erased at the moment.")

/** Everything of it that is stored. Done again, it does nothing. */
const purgeMail = (manager: JetStreamManager, mailbox: string): Effect.Effect<void, Refusal> =>
  Effect.tryPromise({
    try: async () => void (await manager.streams.purge(streams.mail, { filter: subjects.mailOf(mailbox) })),
    catch: () => notErased
  })

export const mailboxKind = kind(fold, mailboxOperations, (parts) => {
  const { manager, mail, config } = parts
  const limits = config.limits.limits.email

  /** Of one that is open. */
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

  return {
    onTimer: "mailbox.timer",
    operations: {
      "mailbox.look": custom((state, { agent }, { id }) =>
        Effect.flatMap(opened(state, { id }), ({ state: box, chosen }) =>
          box.agent === agent ? Effect.succeed(recordOf(id, box, chosen)) : Effect.fail(noMailbox.refused)
        )
      ),
      "mailbox.change": write({
        prepare: (state, { rules, label }: Wanted, { id }) =>
          Effect.map(opened(state, { id }), ({ state: { chosen: sealed }, sealer, chosen }) => {
            const changed: Chosen = {
              label: label === undefined ? chosen.label : label,
              rules: rules ?? chosen.rules
            }
            // Sealed again it would be another text: what stays the same stays as it is.
            return JSON.stringify(changed) === JSON.stringify(chosen) ? sealed : sealChosen(sealer, changed)
          }),
        decide: (state, input: Wanted, context) => decideChange(state, input, context),
        answer: () => null
      }),
      "mailbox.accepts": custom((state, _input, { id, at }) =>
        Effect.map(opened(state, { id }), ({ state: box, chosen: { rules } }) => ({
          agent: box.agent,
          address: `${box.local_part}@${box.domain}`,
          rules,
          full: fullness(box, at, limits)
        }))
      ),
      "mailbox.receive": write({
        decide: (state, input, context) => decideReceive(state, input, context, limits),
        answer: (_state, reply) => reply
      }),
      "mailbox.drop": write({
        decide: (state, input, context) => decideDrop(state, input, context, limits),
        answer: () => null
      }),
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
