/**
 * Queries of the mail tables. Some return sealed rows, which callers with the keys open (operations.ts). Others return
 * lists that the answering node has opened already.
 */
import { Schema } from "effect"
import { paged, query } from "../operation.ts"
import { NotifiedMail } from "./operations.ts"
import { ListedMail, MailCodes, MailEvent, MailThread } from "./records.ts"
import { ListedSent, SendingStatus } from "./sent.ts"

const Box = Schema.Literals(["inbox", "sent", "all"])

export const mailQueries = {
  /** Sealed rows of messages, for callers with the keys. */
  mail_rows: query({
    input: Schema.Struct({
      agent: Schema.String,
      box: Box,
      /** Limits the list to one thread. */
      thread: Schema.NullOr(Schema.Int),
      unread: Schema.Boolean,
      /** The search marks that a message must have, for each mailbox; `null` for any message. */
      words: Schema.NullOr(Schema.Array(Schema.Struct({ mailbox: Schema.Int, marks: Schema.Array(Schema.String) }))),
      /**
       * Lists only messages of these last minutes that have a code or a link for signing in; `null` for all messages.
       */
      minutes: Schema.NullOr(Schema.Int),
      page: Schema.Int,
      per_page: Schema.Int
    }),
    output: paged(
      Schema.Struct({
        id: Schema.Int,
        box: Schema.Literals(["inbox", "sent"]),
        mailbox: Schema.Int,
        thread: Schema.Int,
        envelope: Schema.String,
        received_at: Schema.String,
        read_at: Schema.NullOr(Schema.String),
        /** The sendings of a sent message, by the numbers of its recipients. */
        sendings: Schema.Array(
          Schema.Struct({
            n: Schema.Int,
            status: SendingStatus,
            detail: Schema.NullOr(Schema.String),
            unknown: Schema.Boolean
          })
        )
      })
    )
  }),
  /** Threads, ordered by their newest message. Each has its first message and its newest ones, in sealed form. */
  mail_thread_rows: query({
    input: Schema.Struct({ agent: Schema.String, page: Schema.Int, per_page: Schema.Int }),
    output: paged(
      Schema.Struct({
        thread: Schema.Int,
        messages: Schema.Int,
        unread: Schema.Int,
        last_at: Schema.String,
        envelopes: Schema.Array(
          Schema.Struct({
            id: Schema.Int,
            box: Schema.Literals(["inbox", "sent"]),
            mailbox: Schema.Int,
            envelope: Schema.String
          })
        )
      })
    )
  }),
  /** The thread of a message, if it is known already. */
  mail_thread_of: query({
    input: Schema.Struct({ agent: Schema.String, mail: Schema.Int }),
    output: Schema.Struct({ thread: Schema.NullOr(Schema.Int) })
  }),
  mail_event_rows: query({
    input: Schema.Struct({ agent: Schema.String, page: Schema.Int, per_page: Schema.Int }),
    output: paged(
      Schema.Struct({
        id: Schema.Int,
        at: Schema.String,
        event: Schema.String,
        mailbox: Schema.Int,
        mail: Schema.NullOr(Schema.Int),
        sealed: Schema.NullOr(Schema.String),
        detail: Schema.NullOr(Schema.String)
      })
    )
  }),
  mail_list: query({
    input: Schema.Struct({
      agent: Schema.String,
      box: Box,
      thread: Schema.NullOr(Schema.Int),
      unread: Schema.Boolean,
      q: Schema.NullOr(Schema.String),
      mailboxes: Schema.Array(Schema.Int),
      page: Schema.Int,
      per_page: Schema.Int
    }),
    output: paged(Schema.Union([ListedMail, ListedSent]))
  }),
  mail_threads: query({
    input: Schema.Struct({ agent: Schema.String, page: Schema.Int, per_page: Schema.Int }),
    output: paged(MailThread)
  }),
  /**
   * The codes of the last minutes. `unaligned`: the number of mails that claimed this sender without proof by DMARC.
   */
  mail_codes: query({
    input: Schema.Struct({ agent: Schema.String, minutes: Schema.Int, from: Schema.NullOr(Schema.String) }),
    output: Schema.Struct({ items: Schema.Array(MailCodes), unaligned: Schema.Int })
  }),
  mail_log: query({
    input: Schema.Struct({ agent: Schema.String, page: Schema.Int, per_page: Schema.Int }),
    output: paged(MailEvent)
  }),
  /** The data that completes notifications and deliveries, which contain only numbers. */
  mail_summaries: query({
    input: Schema.Struct({ mails: Schema.Array(Schema.Int) }),
    output: Schema.Array(Schema.Struct({ id: Schema.Int, told: NotifiedMail }))
  })
}
