/**
 * Keeps a directory up to date.
 *
 * Invariants
 *  - There is at most one attempt to read the directory a minute, and one at a time, successful or not.
 *  - Changed entries are added to the current directory when all of them have arrived and the number of agents is as
 *    the hub says. If it is not, the next attempt reads the whole directory.
 *  - A directory is replaced completely or not at all. A new one that is cut short, malformed, too large or much older
 *    changes nothing.
 */
import { API_PREFIX } from "../../../schemas/version.ts"
import { discard, drain } from "./answer.ts"
import { BOUNDS } from "./bounds.ts"
import type { HubClock } from "./clock.ts"
import type { Directory } from "./directory.ts"
import { DirectoryBuilder, type ReadDirectory } from "./directory-builder.ts"
import type { FetchResponse } from "./interface.ts"
import { JsonReader } from "./json.ts"
import { Pause } from "./pause.ts"
import type { Settings } from "./settings.ts"
import type { Found, Source } from "./source.ts"
import { within } from "./within.ts"

/** A directory with its ETag. */
interface HeldDirectory {
  readonly directory: Directory
  readonly etag: string
}

interface Attempt {
  readonly startedAt: number
  readonly ended: Promise<void>
}

export class DirectorySource implements Source {
  directory: Directory | null = null
  /** The start of the attempt that read or confirmed the directory. */
  confirmedAt = 0
  private etag: string | null = null
  /** The start of the attempt that read a complete directory. */
  private wholeAt = 0
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
    // The agent may have registered since.
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
    // The clock was set back, so the directory's age is unknown and it counts as due.
    if (now < this.confirmedAt) this.confirmedAt = now - BOUNDS.directoryMaxAgeSeconds * 1000
    return now - this.confirmedAt
  }

  private usable(): Directory | null {
    return this.directory !== null && this.ageMs() <= this.settings.maxStaleMs ? this.directory : null
  }

  /**
   * Renews the directory. Up to an age of five minutes, no check waits for this. After that each check waits for the
   * attempt, for a bounded time.
   */
  private async refresh(): Promise<void> {
    const age = this.directory === null ? Number.POSITIVE_INFINITY : this.ageMs()
    if (age < BOUNDS.renewAheadSeconds * 1000) return
    const attempt = this.tryNow()
    if (age >= BOUNDS.directoryMaxAgeSeconds * 1000) await this.wait(attempt)
  }

  /** The attempt under way, or a new one if one is permitted. */
  private tryNow(): Promise<void> | null {
    const now = this.settings.now()
    // A runtime may end the work of a request with the request. Such an attempt never reports its end.
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
      // The attempt continues. This check uses the current directory.
    } finally {
      this.waiting--
    }
  }

  private async run(attempt: Attempt): Promise<void> {
    try {
      await within(this.settings.fetchTimeoutMs, (signal) => this.load(attempt, signal), this.closing.signal)
    } catch {
      // A failed attempt changes nothing: the current directory stays, and the next attempt follows in a minute.
    } finally {
      if (this.attempt === attempt) this.attempt = null
    }
  }

  private async load(attempt: Attempt, signal: AbortSignal): Promise<void> {
    let held = this.readOn()
    for (let page = 0; page < BOUNDS.changesPages; page++) {
      const response = await this.ask(page === 0, held?.etag ?? null, signal)
      this.pause.heed(response, this.settings.now())
      if (page === 0 && (response.status === 200 || response.status === 304))
        this.clock.learn(response, attempt.startedAt)
      if (response.status !== 200) return this.unread(response, attempt, page === 0, signal)
      // If reading fails for any reason, the next attempt reads the whole directory.
      if (held !== null) this.etag = null
      const read = await this.read(response, held !== null, signal)
      if (this.attempt !== attempt || signal.aborted) return
      if (!read.isChanges) {
        this.wholeAt = attempt.startedAt
        return this.replace(read.directory, response, attempt)
      }
      // The hub sent changes although none were requested.
      if (held === null) return
      const directory = held.directory.with(read.directory)
      if (directory.count > this.settings.maxAgents) return
      if (!read.more && directory.count === read.count) return this.replace(directory, response, attempt)
      const etag = etagOf(response)
      if (!read.more || etag === null) return
      held = { directory, etag }
    }
  }

  /** The directory that changes can be added to; `null` if the whole must be read. */
  private readOn(): HeldDirectory | null {
    const { directory, etag } = this
    const age = this.settings.now() - this.wholeAt
    const isDue = age < 0 || age >= BOUNDS.wholeReadSeconds * 1000
    return directory === null || etag === null || isDue || directory.changedCount > BOUNDS.changedAgents
      ? null
      : { directory, etag }
  }

  private ask(first: boolean, since: string | null, signal: AbortSignal): Promise<FetchResponse> {
    const headers: Record<string, string> = { accept: "application/json" }
    if (first && this.etag !== null && this.directory !== null) headers["if-none-match"] = this.etag
    const query = since === null ? "" : `?since=${encodeURIComponent(since)}`
    return this.settings.fetch(`${this.settings.hub}${API_PREFIX}/id/directory${query}`, {
      method: "GET",
      headers,
      redirect: "manual",
      signal
    })
  }

  /** Handles an answer without a directory. An ETag that the hub refused is not used again. */
  private unread(response: FetchResponse, attempt: Attempt, first: boolean, signal: AbortSignal): void {
    const { status } = response
    const isConfirmed = status === 304 && first && this.etag !== null && this.directory !== null
    discard(response)
    if (this.attempt !== attempt || signal.aborted) return
    if (isConfirmed) this.confirmedAt = attempt.startedAt
    else if (status === 400 || status === 404 || status === 422) this.etag = null
  }

  private async read(response: FetchResponse, isPart: boolean, signal: AbortSignal): Promise<ReadDirectory> {
    const builder = new DirectoryBuilder(this.settings.maxAgents, isPart ? null : this.directory)
    const reader = new JsonReader(builder)
    await drain(response, this.settings.maxDirectoryBytes, (chunk) => reader.push(chunk), signal)
    reader.end()
    return builder.finish()
  }

  private replace(directory: Directory, response: FetchResponse, attempt: Attempt): void {
    const held = this.usable()
    // An old copy from a cache would bring replaced keys back.
    if (held !== null && directory.generatedAt < held.generatedAt - BOUNDS.rollbackSeconds * 1000) return
    this.etag = etagOf(response)
    this.directory = directory
    this.confirmedAt = attempt.startedAt
  }
}

const etagOf = (response: FetchResponse): string | null => {
  const etag = response.headers.get("etag")
  return etag !== null && etag.length <= BOUNDS.etagChars ? etag : null
}
