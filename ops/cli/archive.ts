/**
 * `hub archive`: reports on the archived part of the log, archives old commits at once, or compares the archive with
 * its hashes.
 */
import { Effect } from "effect"
import { archiveOnce } from "../../actors/log/archive/archiver.ts"
import { throughOf } from "../../actors/log/archive/mark.ts"
import type { OpenArchive } from "../../actors/log/archive/open.ts"
import { DROPPED_KINDS, doneByAll, type Hold, heldBy, policyOf } from "../../actors/process/archiving.ts"
import { raiseCounters } from "../../actors/projections/numbered.ts"
import { streams } from "../../schemas/subjects.ts"
import { checkSegments } from "../backup/segments.ts"
import type { Command } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"
import { untilInterrupted } from "./interrupt.ts"

export const archiveCommand: Command = {
  usage: ["archive", "archive --now [--days <number>]", "archive --check"],
  run: async (service, { values }) => {
    const { opened } = service
    if (opened === null) throw new Fault("the log has no archive: HUB_ARCHIVE says where it is to be")
    if (values.check === true) return untilInterrupted((signal) => held(opened, signal))
    return values.now === true ? moved(service, opened, daysOf(values.days, service)) : standing(service, opened)
  }
}

const DAYS_MAX = 36_500

const daysOf = (text: string | undefined, { limits }: Service): number => {
  if (text === undefined) return limits.service.archive_after_days
  const days = Number(text)
  if (!/^\d+$/.test(text) || days > DAYS_MAX) throw new Fault(`--days takes a whole number from 0 to ${DAYS_MAX}`)
  return days
}

const held = async ({ archive, objects }: OpenArchive, signal: AbortSignal): Promise<string> => {
  const { segment } = archive.mark
  if (segment === null) return `${objects.place}: nothing is archived yet`
  const count = await checkSegments(objects, segment, signal)
  return `${objects.place} is whole: ${count} segments up to #${segment.last}`
}

/** Archives the commits that are old enough, including the last ones, which do not fill a whole segment. */
const moved = async (service: Service, opened: OpenArchive, days: number): Promise<string> => {
  const { nats, manager, db, log, limits } = service
  const policy = { ...policyOf({ ...limits.service, archive_after_days: days }), partialSeconds: 0 }
  const run = archiveOnce({
    nats,
    manager,
    log,
    ...opened,
    policy,
    kinds: DROPPED_KINDS,
    indexed: () => raiseCounters(nats, db),
    done: () => doneByAll(service)
  })
  const done = await Effect.runPromise(run)
  if (done === null) throw new Fault("the log is being archived, or copied by a backup: try again later")
  const { last_seq: last } = (await manager.streams.info(streams.events)).state
  return [
    `${done.commits} commits moved in ${done.segments} segments; the archive reaches #${done.through}`,
    ...heldLines(await heldBy(service), last)
  ].join("\n")
}

/**
 * The line that names what keeps commits from being archived. Readers of the log are usually a few commits behind its
 * end, so this line often appears.
 */
const heldLines = ({ seq, cause }: Hold, last: number): ReadonlyArray<string> =>
  seq >= last ? [] : [`held     nothing behind #${seq} may move: ${cause}`]

const standing = async (service: Service, { archive, objects }: OpenArchive): Promise<string> => {
  const { state } = await service.manager.streams.info(streams.events)
  return [
    `archive  ${objects.place}, up to #${throughOf(archive.mark)}`,
    `log      ${state.messages} commits from #${state.first_seq} to #${state.last_seq}, ${state.bytes} bytes`,
    ...heldLines(await heldBy(service), state.last_seq)
  ].join("\n")
}
