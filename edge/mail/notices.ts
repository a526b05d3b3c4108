/**
 * Receives notifications of the mail provider (spec 4.9). Anybody may call it, so only messages that the provider has
 * signed for one of the configured topics are accepted.
 *
 * Invariants
 *  - Checks are ordered by their cost: form, topic, time, address of the certificate, then the certificate and the
 *    signature. Only allowed hosts are contacted.
 *  - The answer is 200 as soon as the notification is in the log. A repeated one also gets 200, and changes nothing.
 *  - An edge processes a limited number at once. A notification that arrives again while it is processed is refused for
 *    now.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { invalidField, type Refusal, refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { SesMail } from "../../schemas/mail/settings.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { bodyDecoder, memberNames } from "../http/json.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { isCertificate, isConfirmation } from "./provider-addresses.ts"
import { ProviderCertificates } from "./provider-certificates.ts"
import { ProviderFetch } from "./provider-fetch.ts"
import { isSignedBy, knowsVersion, SnsMessage } from "./sns.ts"

const RETRY_SECONDS = 30

const ofNoTopic = refusal("email_sns_topic", "This topic is not one of this service's.")
const unsigned = refusal("email_sns_signature", "This is not signed by the mail provider.")
const elsewhere = refusal("email_sns_signature", "The provider's addresses lie at its own hosts.")
const stale = refusal("email_sns_stale", "This is too old, or from the future.")
const inProgress: Refusal = {
  code: "email_sns_in_progress",
  message: "The same is being taken at the moment.",
  retryAfter: RETRY_SECONDS
}
const notFetched: Refusal = {
  code: "email_sns_certificate",
  message: "The signature's certificate could not be fetched.",
  retryAfter: RETRY_SECONDS
}
const tooMany: Refusal = { code: "overloaded", message: "Too many notifications are being taken.", retryAfter: 1 }

const decode = bodyDecoder(SnsMessage)

/** The id of a notice. It is the same each time the provider sends the message. */
export const noticeId = (topic: string, messageId: string): string =>
  createHash("sha256").update(`${topic}\n${messageId}`).digest("hex")

export interface NoticeResult {
  readonly type: SnsMessage["Type"]
  /** False if the notice was taken before. */
  readonly taken: boolean
}

export class MailNotices {
  private readonly settings: SesMail
  private readonly bounds: Limits["service"]["mail"]
  private readonly bus: Bus
  private readonly fetch: ProviderFetch
  private readonly certificates: ProviderCertificates
  private readonly underWay = new Set<string>()

  constructor(settings: SesMail, bounds: Limits["service"]["mail"], bus: Bus) {
    this.settings = settings
    this.bounds = bounds
    this.bus = bus
    this.fetch = new ProviderFetch(bounds)
    this.certificates = new ProviderCertificates(this.fetch, bounds)
  }

  take(call: Call): Effect.Effect<NoticeResult, Refused> {
    return Effect.gen({ self: this }, function* () {
      const message = yield* decode(call)
      const again = repeatedIn(memberNames(call.body))
      if (again !== null) return yield* refuse(invalidField(again, `${again} stands there twice.`, { rule: "once" }))
      const { topics, certHosts } = this.settings
      if (!topics.includes(message.TopicArn)) return yield* refuse(ofNoTopic)
      if (this.isStale(message, call.startedAt)) return yield* refuse(stale)
      if (!knowsVersion(message)) return yield* refuse(unsigned)
      if (!isCertificate(message.SigningCertURL, certHosts)) return yield* refuse(elsewhere)
      const id = noticeId(message.TopicArn, message.MessageId)
      if (this.underWay.has(id)) return yield* refuse(inProgress)
      if (this.underWay.size >= this.bounds.notices_taking_max) return yield* refuse(tooMany)
      this.underWay.add(id)
      return yield* Effect.ensuring(
        this.judged(call, message, id),
        Effect.sync(() => this.underWay.delete(id))
      )
    })
  }

  private isStale({ Timestamp }: SnsMessage, now: number): boolean {
    const age = now - Date.parse(Timestamp)
    const { notice_stale_seconds, notice_ahead_seconds } = this.bounds
    return age > notice_stale_seconds * 1000 || age < -notice_ahead_seconds * 1000
  }

  private judged(call: Call, message: SnsMessage, id: string): Effect.Effect<NoticeResult, Refused> {
    return Effect.gen({ self: this }, function* () {
      const certificate = yield* Effect.promise(() => this.certificates.of(message.SigningCertURL, call.startedAt))
      if (certificate.type === "unreachable") {
        logNow("warn", "mail", { certificate: certificate.why })
        return yield* refuse(notFetched)
      }
      if (certificate.type === "bad" || !isSignedBy(message, certificate.key)) return yield* refuse(unsigned)
      if (message.Type === "Notification") {
        const input = { message: message.Message }
        const { taken } = yield* this.bus.read(call, { actor: id, op: "mail_notice.take", input })
        return { type: message.Type, taken }
      }
      if (message.Type === "SubscriptionConfirmation") yield* this.confirmed(message)
      logNow("info", "mail", { topic: message.TopicArn, told: message.Type })
      return { type: message.Type, taken: true }
    })
  }

  /** Confirms a subscription to one of the configured topics, by a request to the address that the provider sent. */
  private confirmed({ SubscribeURL, TopicArn }: SnsMessage): Effect.Effect<void, Refused> {
    const { certHosts } = this.settings
    const address = SubscribeURL ?? ""
    if (!isConfirmation(address, certHosts, TopicArn)) return Effect.fail(refuse(elsewhere))
    return Effect.asVoid(
      Effect.mapError(
        Effect.tryPromise(() => this.fetch.get(address)),
        () => refuse(notFetched)
      )
    )
  }
}

const repeatedIn = (names: ReadonlyArray<string>): string | null =>
  names.find((name, index) => names.indexOf(name) !== index) ?? null
