/**
 * The directory, kept fresh.
 *
 * Invariants
 *  - Attempts on the directory are counted, not answers: one a minute at most, whoever asks for it, one at a time.
 *  - A directory replaces the last one whole or not at all. One that is cut short, malformed, too large or much older
 *    than the one held changes nothing.
 */
import { API_PREFIX } from "../../../schemas/version.ts"
import { discard, drain } from "./answer.ts"
import { BOUNDS } from "./bounds.ts"
import type { HubClock } from "./clock.ts"
import type { Directory } from "./directory.ts"
import { DirectoryBuilder } from "./directory-builder.ts"
import type { FetchResponse } from "./interface.ts"
import { JsonReader } from "./json.ts"
import { Pause } from "./pause.ts"
import type { Settings } from "./settings.ts"
import type { Found, Source } from "./source.ts"
import { within } from "./within.ts"

interface Attempt {
  readonly startedAt: number
  readonly ended: Promise<void>
}

export class DirectorySource implements Source {
  directory: Directory | null = null
  /** When the attempt began that gave or confirmed the directory. */
  confirmedAt = 0
  private etag: string | null = null
  private attempt: Attempt | null = null
  private lastAttemptAt = Number.NEGATIVE_INFINITY
  private readonly pause = new Pause()
  private waiting = 0
  private readonly closing = new AbortController()
  private readonly settings: Settings
  private readonly clock: HubClock

  constructor(settings: Settings, clock: HubClock) {
    this.settings = settings
    this.clock = clock
  }

  find(number: number): Found | Promise<Found> {
    const isFresh = this.directory !== null && this.ageMs() < BOUNDS.renewAheadSeconds * 1000
    return (isFresh ? this.directory?.find(number) : null) ?? this.findLater(number)
  }

  private async findLater(number: number): Promise<Found> {
    await this.refresh()
    let directory = this.usable()
    if (directory === null) return "hub_unreachable"
    const found = directory.find(number)
    if (found !== null || number <= directory.maxNumber) return found ?? "id_unknown"
    // Registered since, perhaps.
    await this.wait(this.tryNow())
    directory = this.usable()
    return directory === null ? "hub_unreachable" : (directory.find(number) ?? "id_unknown")
  }

  async newer(number: number): Promise<Found | null> {
    const before = this.directory
    await this.wait(this.tryNow())
    return this.directory === before ? null : (this.directory?.find(number) ?? "id_unknown")
  }

  async ready(): Promise<boolean> {
    await this.refresh()
    return this.usable() !== null
  }

  async settled(): Promise<void> {
    await this.attempt?.ended
  }

  close(): void {
    this.closing.abort()
  }

  ageMs(): number {
    const now = this.settings.now()
    // The clock was set back: how old it is can no longer be told, so it counts as due.
    if (now < this.confirmedAt) this.confirmedAt = now - BOUNDS.directoryMaxAgeSeconds * 1000
    return now - this.confirmedAt
  }

  private usable(): Directory | null {
    return this.directory !== null && this.ageMs() <= this.settings.maxStaleMs ? this.directory : null
  }

  /** Nobody waits before five minutes; then everybody does, for one attempt and for a bounded time. */
  private async refresh(): Promise<void> {
    const age = this.directory === null ? Number.POSITIVE_INFINITY : this.ageMs()
    if (age < BOUNDS.renewAheadSeconds * 1000) return
    const attempt = this.tryNow()
    if (age >= BOUNDS.directoryMaxAgeSeconds * 1000) await this.wait(attempt)
  }

  /** The attempt under way, or a new one if one is permitted. */
  private tryNow(): Promise<void> | null {
    const now = this.settings.now()
    // A runtime may end a request together with what it had begun: such an attempt never tells of its end.
    if (this.attempt !== null && now - this.attempt.startedAt <= this.settings.fetchTimeoutMs) return this.attempt.ended
    const sinceLast = now - this.lastAttemptAt
    if (sinceLast >= 0 && sinceLast < BOUNDS.attemptIntervalSeconds * 1000) return null
    if (this.pause.lasts(now) || this.closing.signal.aborted) return null
    this.lastAttemptAt = now
    const attempt: Attempt = { startedAt: now, ended: Promise.resolve().then(() => this.run(attempt)) }
    this.attempt = attempt
    return attempt.ended
  }

  private async wait(ended: Promise<void> | null): Promise<void> {
    if (ended === null || this.waiting >= BOUNDS.waitingChecks) return
    this.waiting++
    try {
      await within(this.settings.waitMs, () => ended)
    } catch {
      // The attempt goes on; this check is answered from what is held.
    } finally {
      this.waiting--
    }
  }

  private async run(attempt: Attempt): Promise<void> {
    try {
      await within(this.settings.fetchTimeoutMs, (signal) => this.load(attempt, signal), this.closing.signal)
    } catch {
      // A failed attempt changes nothing: what is held stays, and the next attempt is a minute away.
    } finally {
      if (this.attempt === attempt) this.attempt = null
    }
  }

  private async load(attempt: Attempt, signal: AbortSignal): Promise<void> {
    const { settings } = this
    const headers: Record<string, string> = { accept: "application/json" }
    if (this.etag !== null && this.directory !== null) headers["if-none-match"] = this.etag
    const response = await settings.fetch(`${settings.hub}${API_PREFIX}/id/directory`, {
      method: "GET",
      headers,
      redirect: "manual",
      signal
    })
    this.pause.heed(response, settings.now())
    if (response.status === 200 || response.status === 304) this.clock.learn(response, attempt.startedAt)
    if (response.status === 304 && headers["if-none-match"] !== undefined) {
      discard(response)
      if (this.attempt === attempt && !signal.aborted) this.confirmedAt = attempt.startedAt
    } else if (response.status === 200) {
      const directory = await this.read(response, signal)
      if (this.attempt === attempt && !signal.aborted) this.replace(directory, response, attempt)
    } else discard(response)
  }

  private async read(response: FetchResponse, signal: AbortSignal): Promise<Directory> {
    const builder = new DirectoryBuilder(this.settings.maxAgents, this.directory)
    const reader = new JsonReader(builder)
    await drain(response, this.settings.maxDirectoryBytes, (chunk) => reader.push(chunk), signal)
    reader.end()
    return builder.finish()
  }

  private replace(directory: Directory, response: FetchResponse, attempt: Attempt): void {
    const held = this.usable()
    // An old copy out of a cache would bring replaced keys back.
    if (held !== null && directory.generatedAt < held.generatedAt - BOUNDS.rollbackSeconds * 1000) return
    const etag = response.headers.get("etag")
    this.etag = etag !== null && etag.length <= BOUNDS.etagChars ? etag : null
    this.directory = directory
    this.confirmedAt = attempt.startedAt
  }
}
