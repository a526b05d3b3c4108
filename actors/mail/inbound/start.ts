/**
 * The role `mail` of an actor process: receives and sends mail while the scope is open, by SMTP, or by the provider.
 */
import { Clock, Effect, type Scope } from "effect"
import { unavailable } from "../../../schemas/errors.ts"
import type { SmtpMail } from "../../../schemas/mail/settings.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { asking } from "../../kit/worker/asks.ts"
import { nextNumber } from "../../log/counters.ts"
import { StorageWatch } from "../../log/storage.ts"
import { Bus, Cluster, Configuration, MailKey, Streams, Tracing } from "../../kit/process.ts"
import { lookupBy } from "../dns.ts"
import { MAIL_KEY_NAMES, mailKeysWith } from "../keys.ts"
import { mailSender } from "../outbound/start.ts"
import { externalTransport } from "../outbound/world.ts"
import { openReaders, type Readers } from "../parse/readers.ts"
import { scanBy } from "../scan/scan.ts"
import { delivered, type DeliveryParts } from "./delivery.ts"
import { unconfirmedMails } from "./doubts.ts"
import { postmasterBy } from "./postmaster.ts"
import { recipientBy } from "./recipient.ts"
import { returnsBy } from "./returns.ts"
import { MailServer, type Receiving } from "./server.ts"
import { mailStore } from "./store.ts"
import type { InboundPorts } from "./ways.ts"
import type { ConfigurationFault } from "../../../schemas/runtime/configuration-fault.ts"
import { ownKeys } from "../../log/own-keys.ts"

const notTaken = unavailable("Mail cannot be taken at the moment.")

const OF_MAIL = {
  low: "there is too little room left for mail: senders are told to come again",
  again: "there is room for mail again"
}

/** A mail needs its parts, so they are kept as long as its row, and a day longer. */
const LONGER_SECONDS = 86_400

type Needed = Bus | Cluster | Configuration | MailKey | Streams | Tracing | Scope.Scope

export const mailServer: Effect.Effect<void, ConfigurationFault, Needed> = Effect.gen(function* () {
  const config = yield* Configuration
  const { mail: settings, limits } = config
  const nats = yield* Bus
  const manager = yield* Streams
  const keys = mailKeysWith(nats, (yield* MailKey).key)
  if (settings === null || keys === null) return yield* Effect.die(new Error("the role mail without mail"))
  yield* ownKeys(() => keys.opens(), MAIL_KEY_NAMES)
  const { asker } = yield* Cluster
  const { email } = limits.limits
  const bounds = { ...limits.service.mail, ...email }
  const ask = asking(yield* Clock.Clock, (one, span) => asker.ask(one, span))
  const store = mailStore(yield* Clock.Clock, nats, manager, {
    keepSeconds: email.retention_seconds + LONGER_SECONDS,
    maxBytes: email.stored_max_bytes,
    mailboxBytes: email.mailbox_max_bytes
  })
  const { domain: mta } = settings
  // The provider has judged the messages itself.
  const judging = settings.provider === "smtp" ? { mta, lookup: lookupBy(settings, limits.service.mail) } : null
  const readers = yield* openReaders(bounds, judging)
  const parts: DeliveryParts = {
    ask,
    keys,
    store,
    doubt: yield* unconfirmedMails({ ask, store, bounds }),
    nextNumber: Effect.tryPromise({ try: () => nextNumber(nats, "mail"), catch: () => notTaken }),
    parse: readers.parse,
    scan: scanBy(settings.scanners, limits.service.mail),
    wordsMax: bounds.words_max,
    notStored: notTaken
  }
  const recipient = recipientBy(parts.ask, parts.store.boxMax)
  const world = yield* externalTransport(settings, config)
  const postmaster = postmasterBy({ nats, manager, ask, keys, settings, world, bounds: email.postmaster })
  const returns = returnsBy(parts, settings.domain, bounds.report_max_bytes, postmaster)
  const disk = yield* StorageWatch.watching({ manager, config }, email.free_disk_min_bytes, OF_MAIL)
  const hasRoom = async () => !disk.low && (await parts.store.boxMax()) > 0
  const ways: InboundPorts = { recipient, returns, hasRoom }
  if (settings.provider === "smtp") yield* bySmtp(parts, settings, ways, readers)
  else {
    // The SDK is loaded only in deployments that use SES.
    const { bySes } = yield* Effect.promise(() => import("../ses/start.ts"))
    yield* bySes(parts, settings, ways)
  }
  yield* mailSender({ settings, delivery: parts, ways, world })
})

const bySmtp = (
  parts: DeliveryParts,
  settings: SmtpMail,
  { recipient, returns, hasRoom }: InboundPorts,
  readers: Readers
): Effect.Effect<void, never, Configuration | Scope.Scope> =>
  Effect.gen(function* () {
    const { limits, bind } = yield* Configuration
    const bounds = { ...limits.service.mail, ...limits.limits.email }
    const receiving: Receiving = {
      ...returns,
      hasRoom,
      recipient: (address, tag) => Effect.runPromise(recipient(address, tag)),
      deliver: deliveryBy(parts, readers)
    }
    const server = new MailServer(yield* Clock.Clock, receiving, settings, bounds)
    yield* Effect.promise(() => server.listen(settings.port, bind))
    yield* Effect.addFinalizer(() => Effect.promise(() => server.close()))
  })

const deliveryBy =
  (parts: DeliveryParts, { judge }: Readers): Receiving["deliver"] =>
  (incoming) =>
    Effect.runPromise(
      Effect.match(delivered(parts, incoming, judge(incoming.raw, incoming)), {
        onSuccess: () => true,
        onFailure: ({ code }) => {
          logNow("warn", "mail", { put_off: code, bytes: incoming.raw.length })
          return false
        }
      })
    )
