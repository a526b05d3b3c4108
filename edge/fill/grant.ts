/**
 * A fill as the service sees it: it is opened, which adds it to the journal; its content is unsealed; and it is ended.
 */
import type { AskedFill, FillAction } from "../../schemas/vault/records.ts"
import type { Hub } from "./hub.ts"
import type { Key } from "./key.ts"
import type { Patience } from "./patience.ts"
import { Refused } from "./refusal.ts"
import { type AskedOrigin, checkSealed, type Fill, type Sealed } from "./sealed.ts"

export interface FillRequest extends AskedOrigin {
  readonly entry_id: number
  readonly action: FillAction
  readonly field?: string
}

export interface Outcome {
  readonly filled: ReadonlyArray<string>
  readonly submitted: boolean
}

const FILLED_MAX = 50
const SHOWN_MAX_CHARS = 60

export interface Service {
  readonly hub: Hub
  readonly key: Key
}

interface Asking {
  readonly service: Service
  readonly patience: Patience
}

type FillAnswer = Fill | typeof AskedFill.Type
const isAsked = (fill: FillAnswer): fill is typeof AskedFill.Type => "consent" in fill

/** The seconds for which the service holds one request. A request that is not held is repeated after a pause. */
const WAIT_SECONDS = 25
const ASK_AGAIN_MS = 500
/** Longer than `consent_seconds`, the time that the service gives an owner. */
const CONSENT_WITHIN_MS = 900_000

/** Waits until an owner has allowed or declined the fill, or its time is over. The service's answer tells which. */
const allowed = async (hub: Hub, fill_id: number, signal: AbortSignal): Promise<Fill> => {
  for (const until = Date.now() + CONSENT_WITHIN_MS; ;) {
    if (signal.aborted || Date.now() > until) throw new Refused("fill_expired", "Nobody waits for this fill any more.")
    const path = `/vault/service/fill/${fill_id}?wait_seconds=${WAIT_SECONDS}`
    const fill = await hub.ask<FillAnswer>("GET", path)
    if (!isAsked(fill)) return fill
    await new Promise((later) => setTimeout(later, ASK_AGAIN_MS))
  }
}

const codeOf = (error: unknown): string => (error instanceof Refused ? error.code : "internal_error")

export interface Noted {
  /** For a sign-up or a login: true if the page visibly accepted it. */
  accepted?: boolean
}

/** `use` types the content. Success and failure are both reported to the service. */
export const granted = async <A extends Outcome>(
  { service: { hub, key }, patience }: Asking,
  wanted: FillRequest,
  use: (sealed: Sealed, fill: Fill, noted: Noted) => Promise<A>
): Promise<A> => {
  const opened = await hub.ask<FillAnswer>("POST", "/vault/service/fill", wanted)
  const fill = isAsked(opened)
    ? await patience.whileAsking(() => allowed(hub, opened.fill_id, patience.signal))
    : opened
  const end = (result: object) => hub.ask("POST", `/vault/service/fill/${fill.fill_id}/result`, result)
  const before = Date.parse(fill.expires_at)
  try {
    const sealed = checkSealed(await key.open(fill.ciphertext), fill, key.vault, wanted)
    if (Date.now() > before) throw new Refused("fill_expired", "The fill has expired.")
    const noted: Noted = {}
    const done = await use(sealed, fill, noted)
    const filled = done.filled.slice(0, FILLED_MAX).map((name) => name.slice(0, SHOWN_MAX_CHARS))
    // The content is typed already, so a failed report to the service does not change the result.
    await end({ status: "done", filled, submitted: done.submitted, ...noted }).catch(() => undefined)
    return done
  } catch (error) {
    await end({ status: "failed", code: codeOf(error) }).catch(() => undefined)
    throw error
  }
}
