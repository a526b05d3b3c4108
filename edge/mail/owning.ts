/** A person's access to an agent's mail (spec 4.10). Bodies and links of messages are not shown. */
import { Effect } from "effect"
import type { HubConfig } from "../../schemas/config.ts"
import type { ListedMail, Mailbox } from "../../schemas/mail/records.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"
import type { EdgeParts } from "../kit/parts.ts"

/** A message without its body and links. */
export type SeenMail = Pick<ListedMail, "message_id" | "from" | "to" | "subject" | "received_at" | "verdicts"> & {
  readonly codes: ReadonlyArray<string>
}

export interface OwnedMail {
  readonly mailboxes: ReadonlyArray<Mailbox>
  readonly recent: ReadonlyArray<SeenMail>
}

const RECENT = 10
const ABREAST = 10

const seen = ({ message_id, from, to, subject, received_at, verdicts, codes }: ListedMail): SeenMail => ({
  message_id,
  from,
  to,
  subject,
  received_at,
  verdicts,
  codes: codes.map(({ code }) => code)
})

export class OwningMail {
  private readonly bus: EdgeParts["bus"]
  private readonly settings: HubConfig["mail"]

  constructor({ bus, config }: Pick<EdgeParts, "bus" | "config">) {
    this.bus = bus
    this.settings = config.hub.mail
  }

  get isThere(): boolean {
    return this.settings !== null
  }

  /** Like `shown`. Fails with `not_found` if the person does not sponsor the agent. */
  shownTo(call: Call, human: string, agent: string, deadline: number): Effect.Effect<OwnedMail, Refused> {
    const asked = this.bus.ask(call, { actor: agent, op: "owner.carries", input: { human }, deadline })
    return Effect.andThen(asked, this.shown(call, agent, deadline))
  }

  /** Callers must check the person's right first (`owner.carries`). `deadline` is in Unix ms. */
  shown(call: Call, agent: string, deadline = call.deadline): Effect.Effect<OwnedMail, Refused> {
    const { bus } = this
    return Effect.gen(function* () {
      const numbers = yield* bus.read(call, { actor: agent, op: "mailer.mailboxes", input: null, deadline })
      const one = (id: number) =>
        bus.read(call, { actor: String(id), op: "mailbox.look", input: { agent }, deadline }).pipe(
          Effect.map((mailbox): ReadonlyArray<Mailbox> => [mailbox]),
          // The mailbox was closed a moment ago.
          Effect.catchIf(
            ({ refusal }) => refusal.code === "not_found",
            () => Effect.succeed([])
          )
        )
      const wanted = {
        agent,
        box: "inbox",
        thread: null,
        unread: false,
        q: null,
        mailboxes: [],
        page: 1,
        per_page: RECENT
      } as const
      const [mailboxes, { items }] = yield* Effect.all(
        [
          Effect.forEach(numbers, one, { concurrency: ABREAST }),
          bus.query({ deadline, span: call.span, call }, "mail_list", wanted)
        ],
        { concurrency: "unbounded" }
      )
      return {
        mailboxes: mailboxes.flat(),
        recent: items.flatMap((mail) => (mail.box === "inbox" ? [seen(mail)] : []))
      }
    })
  }

  close(call: Call, human: string, agent: string, mailbox: number): Effect.Effect<void, Refused> {
    const { bus } = this
    return Effect.gen(function* () {
      yield* bus.ask(call, { actor: agent, op: "owner.carries", input: { human } })
      const closing = bus.ask(call, { actor: agent, op: "mailer.close_mailbox", input: { mailbox } })
      // Another window may have sent the same form before.
      yield* Effect.catchIf(
        closing,
        ({ refusal }) => refusal.code === "not_found",
        () => Effect.void
      )
    })
  }
}
