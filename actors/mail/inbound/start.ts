/**
 * The role `mail` of an actor process: receives for as long as the scope is open, by SMTP from whoever sends, or what
 * the provider tells.
 */
import { Effect, type Scope } from "effect"
import { unavailable } from "../../../schemas/errors.ts"
import type { SmtpMail } from "../../../schemas/mail/settings.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { asking } from "../../fanout/asks.ts"
import { nextNumber } from "../../log/counters.ts"
import { Bus, Cluster, Configuration, MailKey, Streams, Tracing } from "../../process/services.ts"
import { mailKeysWith } from "../keys.ts"
import { openParsers } from "../parse/parsers.ts"
import { delivered, type DeliveryParts } from "./delivery.ts"
import { type Recipient, recipientAt } from "./recipient.ts"
import { MailServer, type Receiving } from "./server.ts"
import { mailStore } from "./store.ts"
import { judge, lookupBy, type Origin } from "./verdicts.ts"

const notTaken = unavailable("Mail cannot be taken at the moment.")

/** A mail without its parts is none: those stay as long as its row, and a day. */
const LONGER_SECONDS = 86_400

type Needed = Bus | Cluster | Configuration | MailKey | Streams | Tracing | Scope.Scope

export const mailServer: Effect.Effect<void, never, Needed> = Effect.gen(function* () {
  const { mail: settings, limits } = yield* Configuration
  const nats = yield* Bus
  const keys = mailKeysWith(nats, (yield* MailKey).key)
  if (settings === null || keys === null) return yield* Effect.die(new Error("the role mail without mail"))
  const { asker } = yield* Cluster
  const { email } = limits.limits
  const bounds = { ...limits.service.mail, ...email }
  const parsers = yield* openParsers(bounds)
  const parts: DeliveryParts = {
    ask: asking((one, span) => asker.ask(one, span)),
    keys,
    store: mailStore(nats, yield* Streams, {
      keepSeconds: email.retention_seconds + LONGER_SECONDS,
      maxBytes: email.stored_max_bytes
    }),
    nextNumber: Effect.tryPromise({ try: () => nextNumber(nats, "mail"), catch: () => notTaken }),
    parse: (raw) => parsers.parse(raw),
    wordsMax: bounds.words_max,
    notStored: notTaken
  }
  if (settings.provider === "smtp") return yield* bySmtp(parts, settings)
  // Who has no such provider loads nothing of it.
  const { bySes } = yield* Effect.promise(() => import("../ses/start.ts"))
  yield* bySes(parts, settings)
})

const bySmtp = (parts: DeliveryParts, settings: SmtpMail): Effect.Effect<void, never, Configuration | Scope.Scope> =>
  Effect.gen(function* () {
    const { limits, bind } = yield* Configuration
    const bounds = { ...limits.service.mail, ...limits.limits.email }
    const lookup = lookupBy(settings, limits.service.mail)
    const { verdict_ms } = bounds
    const judged = (raw: Buffer, origin: Origin) =>
      Effect.promise(() => judge(raw, origin, lookup, { mta: settings.domain, verdict_ms }))
    const server = new MailServer(receivingBy(parts, judged), settings, bounds)
    yield* Effect.promise(() => server.listen(settings.port, bind))
    yield* Effect.addFinalizer(() => Effect.promise(() => server.close()))
  })

type Judging = (raw: Buffer, origin: Origin) => Parameters<typeof delivered>[2]

const receivingBy = (parts: DeliveryParts, judged: Judging): Receiving => ({
  recipient: (address) =>
    Effect.runPromise(Effect.orElseSucceed(recipientAt(parts.ask, address), (): Recipient => ({ type: "unknown" }))),
  hasRoom: async () => !(await parts.store.isFull()),
  deliver: (incoming) =>
    Effect.runPromise(
      Effect.match(delivered(parts, incoming, judged(incoming.raw, incoming)), {
        onSuccess: () => true,
        onFailure: ({ code }) => {
          logNow("warn", "mail", { put_off: code, bytes: incoming.raw.length })
          return false
        }
      })
    )
})
