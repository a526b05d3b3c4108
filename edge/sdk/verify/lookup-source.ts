/** Looks agents up one by one, when they are needed. */
import { agentNumber } from "../../../schemas/signing/identity.ts"
import { API_PREFIX } from "../../../schemas/version.ts"
import { discard, readJson } from "./answer.ts"
import { BOUNDS } from "./bounds.ts"
import type { HubClock } from "./clock.ts"
import type { Identity } from "./identity.ts"
import { Pause } from "./pause.ts"
import { identityOf } from "./record.ts"
import type { Settings } from "./settings.ts"
import type { Found, Source } from "./source.ts"
import { within } from "./within.ts"

interface LookedUp {
  readonly found: Identity | "id_unknown"
  readonly at: number
}

export class LookupSource implements Source {
  /** Ordered by their last use. */
  private readonly records = new Map<number, LookedUp>()
  private readonly underWay = new Map<number, Promise<Found>>()
  private lookups: Array<number> = []
  private readonly pause = new Pause()
  private readonly closing = new AbortController()
  private readonly settings: Settings
  private readonly clock: HubClock

  constructor(settings: Settings, clock: HubClock) {
    this.settings = settings
    this.clock = clock
  }

  find(number: number): Found | Promise<Found> {
    const record = this.records.get(number)
    if (record === undefined) return this.lookUp(number)
    const age = this.settings.now() - record.at
    const seconds = record.found === "id_unknown" ? BOUNDS.unknownRecordMaxAgeSeconds : BOUNDS.recordMaxAgeSeconds
    if (age < 0 || age >= seconds * 1000) return this.lookUp(number)
    this.records.delete(number)
    this.records.set(number, record)
    return record.found
  }

  async newer(number: number, seen: Identity): Promise<Found | null> {
    const record = this.records.get(number)
    if (record !== undefined && record.found !== seen) return record.found
    const age = this.settings.now() - (record?.at ?? 0)
    if (age >= 0 && age < BOUNDS.attemptIntervalSeconds * 1000) return null
    const found = await this.lookUp(number)
    return found === "hub_unreachable" || found === "lookup_limited" ? null : found
  }

  ready(): Promise<boolean> {
    return Promise.resolve(true)
  }

  async settled(): Promise<void> {
    await Promise.all(this.underWay.values())
  }

  close(): void {
    this.closing.abort()
  }

  private lookUp(number: number): Promise<Found> {
    const known = this.underWay.get(number)
    if (known !== undefined) return known
    const now = this.settings.now()
    this.lookups = this.lookups.filter((at) => at <= now && at > now - 60_000)
    if (this.lookups.length >= BOUNDS.lookupsPerMinute || this.pause.lasts(now))
      return Promise.resolve("lookup_limited")
    if (this.closing.signal.aborted) return Promise.resolve("hub_unreachable")
    this.lookups.push(now)
    const lookup = within(
      Math.min(this.settings.waitMs, this.settings.fetchTimeoutMs),
      (signal) => this.load(number, now, signal),
      this.closing.signal
    )
      .catch((): Found => "hub_unreachable")
      .finally(() => this.underWay.delete(number))
    this.underWay.set(number, lookup)
    return lookup
  }

  private async load(number: number, asked: number, signal: AbortSignal): Promise<Found> {
    const { settings } = this
    const response = await settings.fetch(`${settings.hub}${API_PREFIX}/id/${agentNumber(number)}`, {
      method: "GET",
      headers: { accept: "application/json" },
      redirect: "manual",
      signal
    })
    this.pause.heed(response, settings.now())
    if (response.status !== 200 && response.status !== 404) {
      discard(response)
      return response.status === 429 ? "lookup_limited" : "hub_unreachable"
    }
    this.clock.learn(response, asked)
    if (response.status === 404) discard(response)
    const found =
      response.status === 404
        ? "id_unknown"
        : identityOf(await readJson(response, BOUNDS.recordBytes, signal), agentNumber(number))
    this.records.delete(number)
    this.records.set(number, { found, at: asked })
    for (const oldest of this.records.keys()) {
      if (this.records.size <= BOUNDS.records) break
      this.records.delete(oldest)
    }
    return found
  }
}
