/** Turns SES's feedback about a sent mail into a report on its sending. Pure except for passing it on. */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import type { NoticeOutcome } from "../../../schemas/mail/notice.ts"
import { receivedAddress } from "../../../schemas/mail/senders.ts"
import type { Notification } from "./notification.ts"

/** The name of the tag and the header by which a sending is recognized in feedback. */
export const SENDING_TAG = "hub-sending"
const SENDING_HEADER = "X-Hub-Sending"

export interface Report {
  readonly type: "bounced" | "complained" | "delivered" | "failed"
  readonly reason: string
  /** The addresses that the report names; absent if it names none. */
  readonly named?: ReadonlyArray<string>
}

/** Counts a report for the sending with this `id` (`<mail>-<n>`). Refused `not_found` if there is none. */
export interface Reports {
  readonly report: (id: string, report: Report) => Effect.Effect<unknown, Refusal>
}

const SENDING_ID = /^\d{1,16}-\d{1,6}$/
const REASON_CHARS = 200
const STATUS = /^[245]\.\d{1,3}\.\d{1,3}$/
const KIND = /^[a-z-]{1,30}$/

/**
 * The sending that a notification is about. Events contain the tag; feedback notifications contain the header, if SES
 * includes headers.
 */
export const sendingOf = ({ mail: { tags, headers } }: Notification): string | null => {
  const header = headers?.find(({ name }) => name.toLowerCase() === SENDING_HEADER.toLowerCase())?.value
  const id = tags?.[SENDING_TAG]?.[0] ?? header?.trim()
  return id !== undefined && SENDING_ID.test(id) ? id : null
}

/** Joins texts of a foreign server to one line of visible text. */
const words = (...parts: ReadonlyArray<string | undefined>): string =>
  parts
    .filter((part) => part !== undefined && part !== "")
    .join(": ")
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .slice(0, REASON_CHARS)

/** `null` if the notification has no consequence. */
export const reportIn = (notification: Notification): Report | null => {
  const { notificationType, eventType, bounce, complaint, reject } = notification
  switch (eventType ?? notificationType) {
    case "Bounce": {
      if (bounce === undefined) return null
      const { bounceType, bounceSubType, bouncedRecipients } = bounce
      // An automatic reply also looks like this.
      if (bounceType === "Transient" && bounceSubType === "General") return null
      const [first] = bouncedRecipients ?? []
      const [status = ""] = STATUS.exec(first?.status ?? "") ?? []
      // The other server's text may contain an address, so only its status is used.
      const reason = words(`${bounceType}/${bounceSubType ?? ""}`, status)
      const isGone = bounceType === "Permanent" && NO_SUCH_ADDRESS.has(bounceSubType ?? "") && status !== MAILBOX_FULL
      return { type: isGone ? "bounced" : "failed", reason, ...namedIn(bouncedRecipients) }
    }
    case "Complaint":
      return complaintIn(complaint)
    case "Delivery":
      return { type: "delivered", reason: "" }
    case "Reject":
      return { type: "failed", reason: words("the provider sends no such message", reject?.reason) }
    default:
      return null
  }
}

/** Subtypes of `Permanent` that mean the address does not exist. The others concern the message or this service (contract 22). */
const NO_SUCH_ADDRESS: ReadonlySet<string> = new Set(["General", "NoEmail", "Suppressed"])
const MAILBOX_FULL = "5.2.2"
const BRACKETED = /<([^<>]{1,320})>$/

const namedIn = (recipients: NotifiedRecipients = []): Pick<Report, "named"> => {
  const named = recipients.flatMap(({ emailAddress = "" }) => {
    const [, bracketed = emailAddress] = BRACKETED.exec(emailAddress) ?? []
    return receivedAddress(bracketed) ?? []
  })
  return named.length === 0 ? {} : { named }
}

type NotifiedRecipients = ReadonlyArray<{ readonly emailAddress?: string }> | undefined

const complaintIn = (complaint: Notification["complaint"]): Report | null => {
  const [sub, feedback] = [complaint?.complaintSubType ?? null, complaint?.complaintFeedbackType ?? null]
  // The provider did not send this mail, because of an earlier complaint by its recipient.
  if (sub === "OnAccountSuppressionList") return { type: "failed", reason: "on the provider's suppression list" }
  // Somebody took the mail out of the spam folder again.
  if (feedback === "not-spam") return null
  const reason = KIND.exec(feedback ?? "")?.[0] ?? "abuse"
  return { type: "complained", reason, ...namedIn(complaint?.complainedRecipients) }
}

const ignored = (reason: string): NoticeOutcome => ({ outcome: "ignored", reason })
const DONE: NoticeOutcome = { outcome: "done", reason: null }

/** `reports`: `null` while the service sends no mail. */
export const fedBack = (reports: Reports | null, notification: Notification): Effect.Effect<NoticeOutcome, Refusal> => {
  const report = reportIn(notification)
  if (report === null) return Effect.succeed(ignored("nothing follows from it"))
  const id = sendingOf(notification)
  if (id === null) return Effect.succeed(ignored("of no sending of this service"))
  if (reports === null) return Effect.succeed(ignored("this service sends no mail"))
  return Effect.catch(Effect.as(reports.report(id, report), DONE), (refused) =>
    refused.code === "not_found" ? Effect.succeed(ignored("there is no such sending")) : Effect.fail(refused)
  )
}
