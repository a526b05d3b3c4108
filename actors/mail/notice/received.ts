/**
 * Handles a mail that SES received for us: takes it from its notification or from its storage, and delivers it to the
 * mailboxes.
 */
import { Effect } from "effect"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { NoticeOutcome } from "../../../schemas/mail/notice.ts"
import { receivedAddress } from "../../../schemas/mail/senders.ts"
import type { Verdict } from "../../../schemas/mail/records.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { delivered, type DeliveryParts } from "../inbound/delivery.ts"
import { namedBy } from "../inbound/recipients.ts"
import type { Addressed } from "../inbound/sealed.ts"
import type { JudgedSender } from "../inbound/verdicts.ts"
import type { InboundPorts } from "../inbound/ways.ts"
import type { Objects } from "../ses/objects.ts"
import type { Notification, Receipt } from "./notification.ts"

export interface ReceivedParts {
  readonly delivery: DeliveryParts
  readonly ways: InboundPorts
  readonly objects: Objects
  readonly recipients_max: number
  readonly message_max_bytes: number
}

const VERDICTS: ReadonlyMap<string, Verdict> = new Map([
  ["PASS", "PASS"],
  ["FAIL", "FAIL"],
  ["GRAY", "GRAY"],
  ["PROCESSING_FAILED", "PROCESSING_FAILED"],
  ["DISABLED", "NONE"]
])

/** A verdict that SES does not give counts as not checked. */
const verdictOf = (judged: { readonly status: string } | undefined): Verdict =>
  VERDICTS.get(judged?.status ?? "") ?? "NONE"

export const verdictsIn = (receipt: Receipt): JudgedSender["verdicts"] => ({
  spf: verdictOf(receipt.spfVerdict),
  dkim: verdictOf(receipt.dkimVerdict),
  dmarc: verdictOf(receipt.dmarcVerdict),
  spam: verdictOf(receipt.spamVerdict),
  virus: verdictOf(receipt.virusVerdict)
})

const noRoom = unavailable("There is no room for mail at the moment.")
const givenUp = (reason: string): NoticeOutcome => ({ outcome: "given_up", reason })

/** The bytes of the mail as they came, or the reason why there are none. */
type RawOrLost = { readonly raw: Buffer } | { readonly lost: string }

const rawOf = (
  { objects, message_max_bytes }: ReceivedParts,
  { encoding, bucketName, objectKey }: Receipt["action"],
  content: string | undefined
): Effect.Effect<RawOrLost, Refusal> => {
  if (content !== undefined) {
    const raw = Buffer.from(content, encoding?.toUpperCase() === "BASE64" ? "base64" : "utf8")
    return Effect.succeed(raw.length > message_max_bytes ? { lost: "the message is too large" } : { raw })
  }
  if (bucketName === undefined || objectKey === undefined)
    return Effect.succeed({ lost: "the notification holds no message, and does not say where it is stored" })
  return objects.read(bucketName, objectKey, message_max_bytes)
}

const notAsked = unavailable("Mailboxes cannot be asked at the moment.")

/**
 * One entry for each mailbox. A recipient without a mailbox is no reason to refuse, because SES has already accepted
 * the mail.
 */
const addressedTo = (
  { ways, recipients_max }: ReceivedParts,
  id: string,
  recipients: ReadonlyArray<string>
): Effect.Effect<{ readonly to: ReadonlyArray<Addressed>; readonly postmaster: boolean }, Refusal> =>
  Effect.gen(function* () {
    const found = new Map<number, { address: string; to: string; tags: Array<string> }>()
    let postmaster = false
    const dropped = { nobody: 0, full: 0, too_many: Math.max(0, recipients.length - recipients_max) }
    for (const text of recipients.slice(0, recipients_max)) {
      const named = namedBy(text)
      const one = named === null ? null : yield* ways.recipient(named.address, named.tag)
      // The recipient could not be looked up, so the notification is tried again.
      if (one?.type === "unknown") return yield* Effect.fail(notAsked)
      if (one?.type === "crowded") return yield* Effect.fail(noRoom)
      if (one?.type === "postmaster") {
        postmaster = true
        continue
      }
      if (named === null || one === null || one.type !== "mailbox") {
        dropped[one?.type === "full" ? "full" : "nobody"] += 1
        continue
      }
      const known = found.get(one.mailbox) ?? { address: one.address, to: text, tags: [] }
      if (named.tag !== null && !known.tags.includes(named.tag)) known.tags.push(named.tag)
      found.set(one.mailbox, known)
    }
    if (dropped.nobody + dropped.full + dropped.too_many > 0) logNow("warn", "mail", { notice: id, dropped })
    return { to: [...found].map(([mailbox, one]) => ({ mailbox, ...one })), postmaster }
  })

export const received = (
  parts: ReceivedParts,
  id: string,
  { mail, receipt, content }: Notification
): Effect.Effect<NoticeOutcome, Refusal> =>
  Effect.gen(function* () {
    if (receipt === undefined) return givenUp("the notification says nothing of how it was received")
    const { returns, hasRoom } = parts.ways
    const own = receipt.recipients.slice(0, parts.recipients_max).flatMap((text) => returns.ownAddress(text) ?? [])
    const others = receipt.recipients.filter((text) => returns.ownAddress(text) === null)
    const { to, postmaster } = yield* addressedTo(parts, id, others)
    if (postmaster) own.push("postmaster")
    if (to.length + own.length === 0) return { outcome: "ignored", reason: "there is no mailbox that takes it" }
    if (!(yield* Effect.promise(hasRoom))) return yield* Effect.fail(noRoom)
    const found = yield* rawOf(parts, receipt.action, content)
    if ("lost" in found) return givenUp(found.lost)
    const back = Effect.flatMap(
      own.length === 0 ? Effect.succeed("taken" as const) : Effect.promise(() => returns.returned(found.raw, own)),
      (returned) => (returned === "again" ? Effect.fail(notAsked) : Effect.succeed(returned))
    )
    if (to.length === 0) return { outcome: (yield* back) === "taken" ? "done" : "ignored", reason: null }
    const sender = receivedAddress(mail.source ?? "") ?? ""
    const delivery = delivered(
      parts.delivery,
      { raw: found.raw, sender, to },
      Effect.succeed({ verdicts: verdictsIn(receipt), author: null })
    )
    // Mailboxes are asked first, because they recognize a repeated message.
    const outcome = yield* Effect.matchEffect(delivery, {
      onSuccess: () => Effect.succeed<NoticeOutcome>({ outcome: "done", reason: null }),
      // Treated like a full mailbox: SES has accepted the message, and no bounce is sent.
      onFailure: (refused) =>
        refused.code === "rate_limited"
          ? Effect.succeed<NoticeOutcome>({ outcome: "ignored", reason: "its mailbox takes no more of its sender" })
          : Effect.fail(refused)
    })
    yield* back
    return outcome
  })
