/**
 * Copies the archive's segments and their parts to a folder beside the backups. Each is copied once for all backups.
 *
 * Invariants
 *  - Segments are copied from the oldest on: if one is there, all before it are.
 *  - Each is compared with the hash that the log, or the next segment, states.
 *  - The parts of a segment (ending.ts) are copied before it. Expired parts are neither copied nor required.
 */
import type { Clock } from "effect"
import { checked } from "../../actors/log/archive/archiver.ts"
import type { Objects } from "../../actors/log/archive/objects.ts"
import { objectName, type Segment, type SegmentName } from "../../actors/log/archive/segment.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { Fault } from "../cli/fault.ts"

/** A segment that is to be copied, with the names of its parts. */
interface Lacking {
  readonly name: SegmentName
  readonly parts: ReadonlyArray<string>
}

/** The segments up to `newest` that `to` lacks, from the oldest on. */
const lackingIn = async (
  from: Objects,
  to: Objects,
  newest: SegmentName,
  clock: Clock.Clock
): Promise<ReadonlyArray<Lacking>> => {
  const lacking: Array<Lacking> = []
  for (let name: SegmentName | null = newest; name !== null;) {
    if (await isIn(to, name)) break
    const segment: Segment = await checked(from, name, clock)
    lacking.unshift({ name, parts: segment.liveParts.map((part) => segment.nameOf(part)) })
    name = segment.footer.previous
  }
  return lacking
}

export const isIn = (objects: Objects, name: SegmentName): Promise<boolean> =>
  objects.open(objectName(name)).then(
    () => true,
    () => false
  )

/** Resolves to the bytes that were copied. */
export const copySegments = async (
  from: Objects,
  to: Objects,
  newest: SegmentName,
  signal: AbortSignal,
  clock: Clock.Clock = machineClock
): Promise<number> => {
  let bytes = 0
  for (const { name, parts } of await lackingIn(from, to, newest, clock))
    for (const one of [...parts, objectName(name)]) {
      signal.throwIfAborted()
      const object = await from.open(one)
      await to.put(one, await object.read(0, object.bytes))
      bytes += object.bytes
    }
  return bytes
}

/** Throws a Fault if a segment is missing or damaged. Resolves to the number of segments. */
export const checkSegments = async (
  from: Objects,
  newest: SegmentName,
  signal: AbortSignal,
  clock: Clock.Clock = machineClock
): Promise<number> => {
  let count = 0
  for (let name: SegmentName | null = newest; name !== null; count++) {
    signal.throwIfAborted()
    const segment: Segment = await checked(from, name, clock).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new Fault(`the archive in ${from.place} is not whole: ${why}`)
    })
    name = segment.footer.previous
  }
  return count
}
