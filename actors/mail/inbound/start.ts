/** The role `mail` of an actor process: receives by SMTP and sends, for as long as the scope is open. */
import { randomUUID } from "node:crypto"
import { Effect, type Scope } from "effect"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import { domainId } from "../../../schemas/mail-domain/id.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { type Asking, asking } from "../../fanout/asks.ts"
import { nextNumber } from "../../log/counters.ts"
import { StorageWatch } from "../../log/storage.ts"
import { Bus, Cluster, Configuration, MailKey, Streams, Tracing } from "../../process/services.ts"
import { addressId } from "../address/id.ts"
import { lookupBy } from "../dns.ts"
import { mailKeysWith } from "../keys.ts"
import { mailSender } from "../outbound/start.ts"
import { openParsers } from "../parse/parsers.ts"
import { delivered, type DeliveryParts } from "./delivery.ts"
import { type Returning, returnsBy } from "./returns.ts"
import type { RecipientOf } from "./recipients.ts"
import { MailServer, type Receiving, type Recipient } from "./server.ts"
import { mailStore } from "./store.ts"
import { judge } from "./verdicts.ts"

const notTaken = unavailable("Mail cannot be taken at the moment.")

const OF_MAIL = {
  low: "there is too little room left for mail: senders are told to come again",
  again: "there is room for mail again"
}

const NOBODY: Recipient = { type: "nobody" }

/** A mail without its parts is none: those stay as long as its row, and a day. */
const LONGER_SECONDS = 86_400

export const mailServer: Effect.Effect<
  void,
  never,
  Bus | Cluster | Configuration | MailKey | Streams | Tracing | Scope.Scope
> = Effect.gen(function* () {
  const config = yield* Configuration
  const { mail: settings, limits, bind } = config
  const nats = yield* Bus
  const manager = yield* Streams
  const keys = mailKeysWith(nats, (yield* MailKey).key)
  if (settings === null || keys === null) return yield* Effect.die(new Error("the role mail without mail"))
  const { asker } = yield* Cluster
  const ask = asking((one, span) => asker.ask(one, span))
  const { email } = limits.limits
  const bounds = { ...limits.service.mail, ...email }
  const store = mailStore(nats, manager, {
    keepSeconds: email.retention_seconds + LONGER_SECONDS,
    maxBytes: email.stored_max_bytes
  })
  const lookup = lookupBy(settings, limits.service.mail)
  const parsers = yield* openParsers(bounds)
  const parts: DeliveryParts = {
    ask,
    keys,
    store,
    nextNumber: Effect.tryPromise({ try: () => nextNumber(nats, "mail"), catch: () => notTaken }),
    parse: (raw) => parsers.parse(raw),
    judge: (raw, origin) =>
      Effect.promise(() => judge(raw, origin, lookup, { mta: settings.domain, verdict_ms: bounds.verdict_ms })),
    wordsMax: bounds.words_max,
    notStored: notTaken
  }
  const recipient = recipientBy(ask)
  const returns = returnsBy(parts, settings.domain, bounds.report_max_bytes)
  const disk = yield* StorageWatch.watching({ manager, config }, email.free_disk_min_bytes, OF_MAIL)
  const receiving = { ...receivingBy(parts, recipient, disk), ...returns }
  const server = new MailServer(receiving, settings, bounds)
  yield* Effect.promise(() => server.listen(settings.port, bind))
  yield* Effect.addFinalizer(() => Effect.promise(() => server.close()))
  yield* mailSender({ settings, delivery: parts, lookup, recipient })
})

/** `not_found` is an answer, every other refusal is none. */
const orNobody = <A>(asked: Effect.Effect<A, Refusal>): Effect.Effect<A | null, Refusal> =>
  Effect.catch(asked, (refused) => (refused.code === "not_found" ? Effect.succeed(null) : Effect.fail(refused)))

/** Once it is another's, or nobody's, its mailboxes are about to be closed. */
const domainStands = (
  ask: Asking,
  domain: string,
  agent: string
): Effect.Effect<"active" | "later" | "gone", Refusal> =>
  Effect.map(orNobody(ask(randomUUID(), "mail_domain.ready", domainId(domain), null)), (found) =>
    found?.agent !== agent ? "gone" : found.ready ? "active" : "later"
  )

const recipientBy =
  (ask: Asking): RecipientOf =>
  (address, tag) => {
    const found: Effect.Effect<Recipient, Refusal> = Effect.gen(function* () {
      const claim = yield* orNobody(ask(randomUUID(), "mail_address.look", addressId(address), null))
      if (claim === null || claim.mailbox === null) return NOBODY
      const box = yield* orNobody(
        ask(randomUUID(), "mailbox.accepts", String(claim.mailbox), tag === null ? null : { tag })
      )
      if (box === null) return NOBODY
      const domain = address.slice(address.lastIndexOf("@") + 1)
      const stands = claim.custom ? yield* domainStands(ask, domain, claim.agent) : "active"
      if (stands !== "active") return stands === "later" ? { type: "later" } : NOBODY
      if (box.full !== null) return { type: "full" }
      return { type: "mailbox", mailbox: claim.mailbox, address: box.address }
    })
    return Effect.orElseSucceed(found, (): Recipient => ({ type: "unknown" }))
  }

const receivingBy = (
  parts: DeliveryParts,
  recipient: RecipientOf,
  disk: StorageWatch
): Omit<Receiving, keyof Returning> => ({
  recipient: (address, tag) => Effect.runPromise(recipient(address, tag)),
  hasRoom: async () => !disk.low && !(await parts.store.isFull()),
  deliver: (incoming) =>
    Effect.runPromise(
      Effect.match(delivered(parts, incoming), {
        onSuccess: () => true,
        onFailure: ({ code }) => {
          logNow("warn", "mail", { put_off: code, bytes: incoming.raw.length })
          return false
        }
      })
    )
})
