/**
 * Writes a year of a community into the servers of a system whose nodes are stopped: archive, log, counters, and the
 * positions of readers.
 */
import { headers } from "@nats-io/transport-node"
import type { OpenArchive } from "../../../actors/log/archive/open.ts"
import { isGuarding, markAppends, NO_MARK, SEGMENT_ARCHIVED } from "../../../actors/log/archive/mark.ts"
import { wantedConsumers } from "../../../actors/log/consumers.ts"
import { REACTIONS } from "../../../actors/process/reactions.ts"
import { keepMark, readMark } from "../../../actors/reactions/marks.ts"
import type { Service } from "../../../ops/cli/connection.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { ArchiveWriter } from "./archive-writer.ts"
import { HotWriter } from "./hot-writer.ts"
import { YearSnapshots } from "./snapshots.ts"
import { STEPS_A_DAY, Year, type YearOptions } from "./year.ts"

const DAY_MS = 86_400_000
const YEAR_DAYS = 365
const HOT_DAYS = LIMITS.service.archive_after_days
/** Days of activity that are spread over the rest of the year, because the disk has no room for all of it. */
const ARCHIVED_DAYS = 2.5
const COMMITS_A_STEP = 4.7
const TIMEOUT_MS = 60_000

export interface WrittenYear {
  readonly year: Year
  /** The content of the archive. */
  readonly archived: { readonly commits: number; readonly bytes: number; readonly segments: number }
  /** The number of commits in the log itself. */
  readonly hot: number
  /** The last sequences of the archive and of the log. */
  readonly through: number
  readonly last: number
  /** The number of commits up to `last`, in archive and log, that have not expired at a time (Unix ms). */
  readonly standing: (at: number) => number
  readonly archiveSeconds: number
  readonly hotSeconds: number
}

const secondsSince = (began: number): number => (performance.now() - began) / 1000

/** Archives the commits that the start of the service wrote. */
const takeFirst = async ({ manager }: Service, writer: ArchiveWriter): Promise<void> => {
  const { state } = await manager.streams.info(streams.events)
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await manager.streams.getMessage(streams.events, { seq })
    if (message === null || isGuarding(message.subject) || message.header.has("Nats-TTL")) continue
    const { subject, data, time } = message
    writer.take({ seq, subject, at: time.getTime(), previous: 0, expires: null, traceparent: null, data })
  }
  writer.last = state.last_seq
}

const endArchive = async ({ manager, log }: Service, opened: OpenArchive, writer: ArchiveWriter): Promise<number> => {
  const segment = await writer.end()
  // The log continues after the archive.
  await manager.streams.purge(streams.events, { seq: segment.last + 1 })
  const events = [{ type: SEGMENT_ARCHIVED, v: 1, segment }]
  const commit = { v: 1, id: "archive-year", op: "log.archive", at: Date.now(), events } as const
  const result = await log.append(markAppends(NO_MARK, commit))
  if (!result.ok) throw new Error(`the mark was refused: ${result.reason}`)
  await opened.archive.refresh()
  if (opened.archive.through !== segment.last) throw new Error("the mark names another segment")
  return segment.last
}

/** Moves all readers to the end of the log, as after a year. */
const allRead = async ({ nats, manager }: Service, { given }: Year, last: number): Promise<void> => {
  for (const { name } of wantedConsumers(LIMITS)) await manager.consumers.reset(streams.events, name, last + 1)
  for (const { name } of REACTIONS)
    await keepMark(nats, name, { seq: last, revision: (await readMark(nats, name)).revision })
  for (const [name, count] of Object.entries(given)) {
    const more = headers()
    more.set("Nats-Incr", String(count))
    const counter = subjects.counter(name as keyof typeof given)
    const { val } = (await nats.request(counter, undefined, { headers: more, timeout: TIMEOUT_MS })).json<{
      val?: string
    }>()
    if (Number(val) < count) throw new Error(`${counter} was not raised`)
  }
}

export const writeYear = async (service: Service, given: Omit<YearOptions, "snapshots">): Promise<WrittenYear> => {
  const { opened, manager, nats } = service
  if (opened === null) throw new Error("a year needs an archive")
  const options: YearOptions = { ...given, snapshots: new YearSnapshots(service) }
  const to = Date.now() - HOT_DAYS * DAY_MS
  const steps = Math.round(options.agents * STEPS_A_DAY * ARCHIVED_DAYS)
  const expected = options.agents * 4 + steps * COMMITS_A_STEP
  const archive = new ArchiveWriter(opened, { from: to - (YEAR_DAYS - HOT_DAYS) * DAY_MS, to, expected })
  const year = new Year(options, archive)
  const began = performance.now()
  await takeFirst(service, archive)
  await year.register()
  await year.live(steps)
  const through = await endArchive(service, opened, archive)
  const archiveSeconds = secondsSince(began)
  const { last_seq: first } = (await manager.streams.info(streams.events)).state
  const hot = new HotWriter(nats, first)
  year.into(hot)
  const beganHot = performance.now()
  await year.live(Math.round(options.agents * STEPS_A_DAY * HOT_DAYS))
  await hot.end()
  const hotSeconds = secondsSince(beganHot)
  await allRead(service, year, hot.last)
  await options.snapshots.keep()
  const written = hot.last - first
  const { stored: commits, bytes, segments } = archive.counts
  return {
    year,
    archived: { commits, bytes, segments },
    hot: written,
    through,
    last: hot.last,
    // The mark is a commit too.
    standing: (at) => archive.standing(at) + written + 1,
    archiveSeconds,
    hotSeconds
  }
}
