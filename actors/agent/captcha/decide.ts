/** Decisions of an agent on its captchas: it sends a captcha to its owners, and is informed of the outcome. Pure. */
import type { Limits } from "../../../schemas/limits.ts"
import type { SentCaptcha } from "../../../schemas/captcha/operations.ts"
import type { CaptchaKind, CaptchaState } from "../../../schemas/captcha/records.ts"
import { type Refusal, refusal } from "../../../schemas/errors.ts"
import { API_PREFIX } from "../../../schemas/version.ts"
import { type BlobsAt, naming } from "../../blob/noun.ts"
import { EXPIRE_TIMER, type CaptchaEvent } from "../../captcha/noun.ts"
import type { Decision } from "../../engine/definition.ts"
import type { SealedFor } from "../../kit/sealed-for.ts"
import { missing, unlessSuspended } from "../decide.ts"
import { type NoticeFacts, notified } from "../notification/notify.ts"
import { ownersOf } from "../owner/decide.ts"
import type { AgentEvent, AgentState } from "../state.ts"
import { pendingAt } from "./state.ts"

export const needsHuman = refusal(
  "captcha_needs_human",
  "No human owns this agent: somebody has to declare it, and it confirms."
)

type OwnerLimits = Limits["limits"]["owner"]

/** The refusal of another captcha at this time; `null` if one may be sent. */
export const captchaRefusal = (state: AgentState, at: number, owner: OwnerLimits): Refusal | null => {
  if (state === null) return missing.refused
  if (ownersOf(state).length === 0) return needsHuman
  const pending = pendingAt(state, at)
  if (pending.length < owner.captchas_pending_max) return null
  const first = Math.min(...pending.map(({ until }) => until))
  const retryAfter = Math.max(1, Math.ceil((first - at) / 1000))
  const { captchas_pending_max: limit, captcha_seconds: window_seconds } = owner
  const details = { bucket: "captchas", limit, window_seconds, retry_after: retryAfter }
  return { ...refusal("rate_limited", `${limit} captchas of yours wait for an owner already.`, details), retryAfter }
}

export interface SendFacts {
  readonly number: number
  readonly sealed: SealedFor
  readonly blobs: BlobsAt
}

interface Deciding {
  readonly id: string
  readonly at: number
  readonly facts: SendFacts
}

interface Bounds {
  readonly owner: OwnerLimits
  readonly graceMs: number
}

/** Stored as the commit's reply, so that a repeated request gets the same answer. */
interface BegunCaptcha {
  readonly number: number
  readonly until: number
}

type SolvableCaptcha = Pick<SentCaptcha, "kind" | "picture" | "fill">

const asked = (
  agent: string,
  { kind, picture, fill }: SolvableCaptcha,
  until: number,
  sealed: SealedFor
): CaptchaEvent => ({
  type: "captcha.asked",
  v: 1,
  agent,
  kind,
  picture,
  ...sealed,
  expires_at: until,
  fill
})

export const decideSend = ({ owner, graceMs }: Bounds) =>
  unlessSuspended(
    (
      agent,
      sent: SentCaptcha,
      { id, at, facts: { number, sealed, blobs } }: Deciding
    ): Decision<AgentEvent, BegunCaptcha> => {
      const refused = captchaRefusal(agent, at, owner)
      if (refused !== null) return { refused }
      const until = at + owner.captcha_seconds * 1000
      const decision: Decision<AgentEvent, BegunCaptcha> = {
        events: [{ type: "agent.captcha_asked", v: 1, captcha: number, until }],
        reply: { number, until },
        companions: [
          {
            kind: "captcha",
            id: String(number),
            expected: 0,
            drawn: true,
            events: [asked(id, sent, until, sealed)]
          }
        ],
        timers: [{ name: EXPIRE_TIMER, at: until, of: { kind: "captcha", id: String(number) } }]
      }
      return naming(decision, { before: [], after: [sent.picture.blob], blobs, at, graceMs })
    }
  )

interface FinishedCaptcha {
  readonly captcha: number
  readonly state: CaptchaState
  readonly kind: CaptchaKind
  readonly answered_at: number | null
}

/**
 * Decides on the end of a captcha. Only an answered captcha notifies the agent. The notification does not contain the
 * answer; the agent has to request it.
 */
export const decideCaptchaEnded = (
  state: AgentState,
  { captcha, state: stands, kind, answered_at }: FinishedCaptcha,
  { facts: { notification } }: { readonly facts: NoticeFacts }
): Decision<AgentEvent> => {
  if (state === null) return missing
  const ended: AgentEvent = { type: "agent.captcha_ended", v: 1, captcha }
  if (answered_at === null || state.status === "deleted" || state.status === "banned") return { events: [ended] }
  const path = `${API_PREFIX}/me/captcha/${captcha}`
  const payload = {
    captcha_id: captcha,
    state: stands,
    kind,
    answered_at: new Date(answered_at).toISOString(),
    url: path,
    api_url: path
  }
  return { events: [ended, notified(notification, "captcha.answered", payload)] }
}
