/**
 * Sends captchas of a fill to the agent's owners through the service (spec 4.12): at most three, within ten minutes.
 */
import type { Captcha as CaptchaRecord, CaptchaAnswer, CaptchaKind } from "../../schemas/captcha/records.ts"
import type { Hub } from "./hub.ts"
import type { Patience } from "./patience.ts"
import { Refused } from "./refusal.ts"

type Captcha = typeof CaptchaRecord.Type
export type Answer = typeof CaptchaAnswer.Type

const ROUNDS_MAX = 3
const ALL_WITHIN_MS = 600_000
const ROUND_NEEDS_MS = 30_000
/**
 * The most seconds for which the service holds one request. While the captcha is pending, the next request follows
 * after `ASK_AGAIN_MS`.
 */
const WAIT_SECONDS = 25
const ASK_AGAIN_MS = 500

export const unsolved = (reason: string): Refused => new Refused("captcha_unsolved", reason)

interface Picture {
  readonly kind: CaptchaKind
  readonly image_base64: string
}

export interface Relay {
  /** Throws if no answer comes in time, or if no round is left. */
  readonly ask: (picture: Picture) => Promise<Answer>
  readonly report: (result: "solved" | "failed") => Promise<void>
}

interface About {
  readonly hub: Hub
  readonly patience: Patience
  readonly fill_id: number
  readonly context: string
}

export const relayOf = ({ hub, patience, fill_id, context }: About): Relay => {
  const until = Date.now() + ALL_WITHIN_MS
  let round = 0
  let last: number | null = null

  const answered = async (id: number): Promise<Captcha> => {
    for (;;) {
      if (patience.signal.aborted || Date.now() > until) {
        await hub.ask("DELETE", `/vault/captcha/${id}`).catch(() => undefined)
        throw unsolved("Nobody waits for this fill any more.")
      }
      const captcha = await hub.ask<Captcha>("GET", `/vault/captcha/${id}?wait_seconds=${WAIT_SECONDS}`)
      if (captcha.state !== "pending") return captcha
      await new Promise((later) => setTimeout(later, ASK_AGAIN_MS))
    }
  }

  const report: Relay["report"] = async (result) => {
    const id = last
    last = null
    // The report is only information for the owner, so a failed report does not make the fill fail.
    if (id !== null) await hub.ask("POST", `/vault/captcha/${id}/result`, { result }).catch(() => undefined)
  }

  return {
    report,
    ask: async (picture) => {
      await report("failed")
      round++
      if (round > ROUNDS_MAX || until - Date.now() < ROUND_NEEDS_MS) throw unsolved("The captcha was not solved.")
      const body = { ...picture, context, fill_id, round }
      return patience.whileAsking(async () => {
        const { id } = await hub.ask<Captcha>("POST", "/vault/captcha", body)
        const { answer, state } = await answered(id)
        if (answer === null || state !== "answered") throw unsolved("No owner has solved the captcha in time.")
        last = id
        return answer
      })
    }
  }
}
