/** Receives mail by SES: takes its notifications from the log and carries them out while the scope is open. */
import { randomUUID } from "node:crypto"
import { Clock, Effect, type Scope } from "effect"
import type { SesMail } from "../../../schemas/mail/settings.ts"
import { consumers } from "../../../schemas/subjects.ts"
import { commitSource } from "../../kit/worker/source.ts"
import { Bus, Configuration, Tracing } from "../../kit/process.ts"
import type { DeliveryParts } from "../inbound/delivery.ts"
import type { InboundPorts } from "../inbound/ways.ts"
import { carriedOut } from "../notice/carry-out.ts"
import type { Reports } from "../notice/feedback.ts"
import { noticeWorker } from "../notice/worker.ts"
import { watchAccount } from "./account.ts"
import { identitiesFor } from "./identities.ts"
import { recipientId } from "../keys.ts"
import { openObjects } from "./objects.ts"

export const bySes = (
  delivery: DeliveryParts,
  { region }: SesMail,
  ways: InboundPorts
): Effect.Effect<void, never, Bus | Configuration | Tracing | Scope.Scope> =>
  Effect.gen(function* () {
    const { limits } = yield* Configuration
    const bounds = limits.service.mail
    yield* watchAccount(identitiesFor(region, bounds), bounds.provider_account_seconds)
    const objects = yield* openObjects(region, bounds)
    const { recipients_max } = bounds
    const { message_max_bytes } = limits.limits.email
    const reports: Reports = {
      report: (id, { named, ...report }) => {
        const of = named === undefined ? {} : { of: named.map((address) => recipientId(delivery.keys, address)) }
        return delivery.ask(`notice-${randomUUID()}`, "mail_sending.report", id, { ...report, ...of })
      }
    }
    const parts = { delivery, ways, objects, reports, recipients_max, message_max_bytes }
    yield* noticeWorker({
      source: commitSource(yield* Clock.Clock, yield* Bus, yield* Tracing, consumers.mailNotices),
      ask: delivery.ask,
      keys: delivery.keys,
      carryOut: (id, message) => carriedOut(parts, id, message),
      bounds
    })
  })
