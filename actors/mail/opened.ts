/**
 * Opens lists of mail. Processes with the keys answer them as queries, because a page may be larger than one message of
 * the bus. Messages whose mailbox was closed a moment ago cannot be opened, and are left out.
 */
import { Clock, type Context, Effect } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import type { NotifiedMail } from "../../schemas/mail/operations.ts"
import { type ListedMail, type MailThread, messageIdOf, threadIdOf } from "../../schemas/mail/records.ts"
import { addressesOf, type ListedSent, statusOfAll } from "../../schemas/mail/sent.ts"
import { wordsOf } from "../../schemas/mail/words.ts"
import type { Sealer } from "../log/seal.ts"
import { QueryRefused } from "../queries/refused.ts"
import { Actors, type ActorServices, type Asking, Views } from "../engine/services.ts"
import { recentCodes, type CodesBounds, type OpenPage } from "./coded.ts"
import { type MailKeys, markWord, openDropped, openEnvelope, openSent } from "./keys.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"

type Row = Queries["mail_rows"]["output"]["items"][number]

/** Shorter than the time limit of a query. */
const DEADLINE_MS = 4000
const ABREAST = 8
/** The number of words of a search that count. Further words are ignored. */
const WORDS_ASKED_MAX = 20
const PARTICIPANTS_MAX = 20

const NO_MAIL: Refusal = unavailable("Mail cannot be opened here.")

export interface OpeningParts {
  readonly mail: MailKeys | null
  readonly limits: CodesBounds
}

const openReceived = (sealer: Sealer, row: Row): ListedMail => ({
  box: "inbox",
  ...openEnvelope(sealer, row.id, row.envelope),
  thread_id: threadIdOf(row.thread),
  received_at: row.received_at,
  read_at: row.read_at
})

const openSentRow = (sealer: Sealer, { id, envelope, thread, received_at, sendings }: Row): ListedSent => {
  const { summary } = openSent(sealer, id, envelope)
  const recipients = addressesOf(summary).map((address, index) => {
    const { status = "queued", detail = null, unknown = false } = sendings.find(({ n }) => n === index + 1) ?? {}
    return { address, status, detail, unknown }
  })
  const status = statusOfAll(recipients.map((one) => one.status))
  return { box: "sent", ...summary, thread_id: threadIdOf(thread), sent_at: received_at, status, recipients }
}

const openedAs = <Opened>(
  mail: MailKeys,
  rows: ReadonlyArray<Row>,
  open: (sealer: Sealer, row: Row) => Opened
): Effect.Effect<ReadonlyArray<Opened>, Refusal> =>
  Effect.map(
    Effect.forEach(
      rows,
      (row) => Effect.map(mail.of(String(row.mailbox)), (sealer) => (sealer === null ? [] : [open(sealer, row)])),
      { concurrency: ABREAST }
    ),
    (all) => all.flat()
  )

const openAny = (sealer: Sealer, row: Row): ListedMail | ListedSent =>
  row.box === "sent" ? openSentRow(sealer, row) : openReceived(sealer, row)

/** The marks by which the words of a search are found in each mailbox; `null` if there is no word to search for. */
const marksOf = (mail: MailKeys, mailboxes: ReadonlyArray<number>, q: string | null) => {
  const words = q === null ? [] : wordsOf(q, WORDS_ASKED_MAX)
  if (words.length === 0) return Effect.succeed(null)
  const ofOne = (mailbox: number) =>
    Effect.map(mail.of(String(mailbox)), (sealer) =>
      sealer === null ? [] : [{ mailbox, marks: words.map((word) => markWord(sealer, word)) }]
    )
  return Effect.map(Effect.forEach(mailboxes, ofOne, { concurrency: ABREAST }), (all) => all.flat())
}

type Listing = Queries["mail_list"]
type Coding = Queries["mail_codes"]

const NONE = { items: [], total: 0 }

const listed = (mail: MailKeys, { q, mailboxes, ...wanted }: Listing["input"], asking: Asking) =>
  Effect.gen(function* () {
    const views = yield* Views
    const words = yield* marksOf(mail, mailboxes, q)
    if (words?.length === 0) return NONE
    const { items, total } = yield* views.query(asking, "mail_rows", { ...wanted, words, minutes: null })
    return { items: yield* openedAs(mail, items, openAny), total }
  })

type ThreadRow = Queries["mail_thread_rows"]["output"]["items"][number]

/** Opens a thread's participants and subject, if their keys still exist. */
const openThread = (mail: MailKeys, { thread, envelopes, ...counts }: ThreadRow): Effect.Effect<MailThread, Refusal> =>
  Effect.gen(function* () {
    const participants = new Set<string>()
    let subject: string | null = null
    for (const { id, box, mailbox, envelope } of envelopes) {
      const sealer = yield* mail.of(String(mailbox))
      if (sealer === null) continue
      const summary = box === "sent" ? openSent(sealer, id, envelope).summary : openEnvelope(sealer, id, envelope)
      subject ??= summary.subject
      participants.add(summary.from.address)
      for (const to of "cc" in summary ? addressesOf(summary) : [summary.to]) participants.add(to)
    }
    return {
      id: threadIdOf(thread),
      subject: subject ?? "",
      participants: [...participants].slice(0, PARTICIPANTS_MAX),
      ...counts
    }
  })

const threads = (mail: MailKeys, wanted: Queries["mail_threads"]["input"], asking: Asking) =>
  Effect.gen(function* () {
    const views = yield* Views
    const { items, total } = yield* views.query(asking, "mail_thread_rows", wanted)
    return { items: yield* Effect.forEach(items, (row) => openThread(mail, row), { concurrency: ABREAST }), total }
  })

const codes = (mail: MailKeys, { agent, minutes, from }: Coding["input"], bounds: CodesBounds, asking: Asking) =>
  Effect.gen(function* () {
    const views = yield* Views
    const wanted = { agent, box: "inbox", thread: null, unread: false, words: null, minutes } as const
    const open: OpenPage = (page, per_page) =>
      Effect.gen(function* () {
        const { items } = yield* views.query(asking, "mail_rows", { ...wanted, page, per_page })
        return { rows: items.length, mails: yield* openedAs(mail, items, openReceived) }
      })
    return yield* recentCodes(open, from, bounds)
  })

const journal = (mail: MailKeys, wanted: Queries["mail_log"]["input"], asking: Asking) =>
  Effect.gen(function* () {
    const views = yield* Views
    const { items, total } = yield* views.query(asking, "mail_event_rows", wanted)
    const shown = yield* Effect.forEach(
      items,
      ({ id, at, event, mailbox, mail: message, sealed, detail }) =>
        Effect.map(sealed === null ? Effect.succeed(null) : mail.of(String(mailbox)), (sealer) => {
          const other = sealer === null || sealed === null ? null : openDropped(sealer, sealed)
          return {
            id,
            at,
            event,
            mailbox_id: mailbox,
            message_id: message === null ? null : messageIdOf(message),
            counterpart: other?.from ?? null,
            detail: detail ?? other?.rule ?? null
          }
        }),
      { concurrency: ABREAST }
    )
    return { items: shown, total }
  })

const summarized = (mails: ReadonlyArray<number>, asking: Asking) =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const one = (id: number) =>
      actors.ask({ ...asking, commandId: `${asking.commandId}-${id}` }, "mail.summary", String(id), null).pipe(
        Effect.map((told): ReadonlyArray<{ readonly id: number; readonly told: NotifiedMail }> => [{ id, told }]),
        Effect.catchIf(
          ({ code }) => code === "not_found",
          () => Effect.succeed([])
        )
      )
    return (yield* Effect.forEach([...new Set(mails)], one, { concurrency: ABREAST })).flat()
  })

export const openedQueries = (
  clock: Clock.Clock,
  { mail, limits }: OpeningParts,
  services: Context.Context<ActorServices>,
  newId: () => string
) => {
  const answer =
    <In, Out>(run: (keys: MailKeys, input: In, asking: Asking) => Effect.Effect<Out, Refusal, ActorServices>) =>
    async (input: In): Promise<Out> => {
      if (mail === null) throw new QueryRefused(NO_MAIL)
      const asking = { commandId: newId(), deadline: wallMs(clock) + DEADLINE_MS }
      const found = await Effect.runPromise(
        Effect.result(
          run(mail, input, asking).pipe(Effect.provide(services), Effect.provideService(Clock.Clock, clock))
        )
      )
      if (found._tag === "Failure") throw new QueryRefused(found.failure)
      return found.success
    }
  return {
    mail_list: answer((keys, input: Listing["input"], asking) => listed(keys, input, asking)),
    mail_threads: answer((keys, input: Queries["mail_threads"]["input"], asking) => threads(keys, input, asking)),
    mail_codes: answer((keys, input: Coding["input"], asking) => codes(keys, input, limits, asking)),
    mail_log: answer((keys, input: Queries["mail_log"]["input"], asking) => journal(keys, input, asking)),
    mail_summaries: answer((_keys, { mails }: Queries["mail_summaries"]["input"], asking) => summarized(mails, asking))
  }
}
