/** Carries out a notification of any sort. */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import type { NoticeOutcome } from "../../../schemas/mail/notice.ts"
import { fedBack, type Reports } from "./feedback.ts"
import { notificationIn } from "./notification.ts"
import { received, type ReceivedParts } from "./received.ts"

export interface CarryingOut extends ReceivedParts {
  /** `null` while the service sends nothing. */
  readonly reports: Reports | null
}

/** Fails if the notice has to be tried again. Carrying it out twice has the same effect as once. */
export const carriedOut = (parts: CarryingOut, id: string, message: string): Effect.Effect<NoticeOutcome, Refusal> => {
  const notification = notificationIn(message)
  if (notification === null) return Effect.succeed({ outcome: "ignored", reason: "it is no notification of SES" })
  return notification.notificationType === "Received"
    ? received(parts, id, notification)
    : fedBack(parts.reports, notification)
}
