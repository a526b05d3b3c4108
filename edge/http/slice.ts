/**
 * An edge's share of one rate limit. An actor, the limit's home, holds its total (contract 11).
 *
 * Invariants
 *  - The home grants requests in slices. Unused grants expire with the window.
 *  - A limit of `EXACT_MAX` or less is exact: each request is granted by the home before it is admitted.
 *  - For a larger limit, the first slice of a window may be used before its grant arrives. The grant is then reduced by
 *    the requests already admitted. So an edge may admit up to one slice that the limit does not cover.
 *  - The next slice is requested when half of the last is used, so that steady traffic need not wait.
 *  - A killed edge loses its unused grants. So slices of a long window begin with one request and double.
 *  - If the home cannot be reached, the edge admits up to the whole limit by itself until the window ends. (Requests
 *    that need the bus fail anyway.) Exact limits refuse instead, because their protection is more important.
 *  - The code is pure: time and grants are inputs, and requests for grants are outputs.
 */
export const EXACT_MAX = 10
const SLICES_PER_LIMIT = 10
/**
 * The length from which a window counts as long. An edge may be restarted during such a window, so its slices begin
 * small.
 */
const LONG_WINDOW_MS = 900_000

export const sliceOf = (limit: number): number =>
  limit <= EXACT_MAX ? 1 : Math.max(1, Math.floor(limit / SLICES_PER_LIMIT))

export type Decision =
  | { readonly kind: "pass" }
  | { readonly kind: "refused"; readonly retryAfterMs: number }
  /** The request is neither admitted nor refused yet. Wait for the grant in progress, then call again. */
  | { readonly kind: "wait" }

const PASS: Decision = { kind: "pass" }
const WAIT: Decision = { kind: "wait" }

export interface Grant {
  readonly granted: number
  readonly resetsAt: number
}

export class Slice {
  private readonly limit: number
  private readonly windowMs: number
  private readonly sizeMax: number
  private readonly sizeFirst: number
  private sizeNext: number
  private sizeLast = 0
  /** The requests that may be admitted now. Negative if more were admitted before the grant than it covers. */
  private tokens = 0
  private used = 0
  private endsAt = 0
  private homeEndsAt = 0
  private credit = 0
  private exhausted = false
  private drawing = false

  constructor(limit: number, windowMs: number) {
    this.limit = limit
    this.windowMs = windowMs
    this.sizeMax = sliceOf(limit)
    this.sizeFirst = windowMs < LONG_WINDOW_MS ? this.sizeMax : 1
    this.sizeNext = this.sizeFirst
  }

  get exact(): boolean {
    return this.limit <= EXACT_MAX
  }

  take(now: number): Decision {
    if (now >= this.endsAt) this.begin(now)
    if (this.tokens > 0) return this.pass()
    if (this.exhausted) return { kind: "refused", retryAfterMs: Math.max(1, this.endsAt - now) }
    if (this.credit === 0) return WAIT
    this.credit--
    return this.pass()
  }

  /** Milliseconds until a request can be admitted again; 0 if one might be admitted now. It changes nothing. */
  spentFor(now: number): number {
    return this.exhausted && this.tokens <= 0 && now < this.endsAt ? this.endsAt - now : 0
  }

  /**
   * Takes back an admitted request that must not count. If its window has ended, it is taken back in the window that
   * has begun since, or not at all.
   */
  giveBack(now: number): void {
    if (now >= this.endsAt || this.used === 0) return
    this.tokens++
    this.used--
  }

  /** The number of requests to ask the home for; 0 if none. The caller must then call `granted` or `unreachable`. */
  wanted(): number {
    if (this.drawing || this.exhausted || this.tokens > (this.exact ? 0 : this.sizeLast / 2)) return 0
    this.drawing = true
    return this.sizeNext
  }

  granted(grant: Grant, wanted: number, now: number): void {
    this.drawing = false
    if (grant.resetsAt !== this.homeEndsAt) this.tokens = Math.min(this.tokens, 0)
    // The home's window counts. The window that began here earlier was only a guess.
    this.homeEndsAt = grant.resetsAt
    this.endsAt = Math.max(grant.resetsAt, now)
    this.credit = 0
    this.tokens += grant.granted
    this.sizeLast = wanted
    this.sizeNext = Math.min(2 * wanted, this.sizeMax)
    this.exhausted = grant.granted < wanted
  }

  unreachable(now: number): void {
    this.drawing = false
    if (this.exact) return
    if (now >= this.endsAt) this.begin(now)
    this.credit = 0
    this.tokens = this.limit - this.used
    this.exhausted = true
  }

  private pass(): Decision {
    this.tokens--
    this.used++
    return PASS
  }

  private begin(now: number): void {
    this.endsAt = now + this.windowMs
    this.tokens = 0
    this.used = 0
    this.exhausted = false
    this.sizeLast = 0
    this.sizeNext = this.sizeFirst
    this.credit = this.exact ? 0 : this.sizeNext
  }
}
