/**
 * The archive's segments beside a backup: each is copied once, whichever backups need it.
 *
 * Invariants
 *  - They are copied from the oldest on: if one is, all before it are.
 *  - Each is held against the hash that the log, or the segment behind it, states.
 */
import { checked } from "../../actors/log/archive/archiver.ts"
import type { Objects } from "../../actors/log/archive/objects.ts"
import { objectName, type Segment, type SegmentName } from "../../actors/log/archive/segment.ts"
import { Fault } from "../cli/fault.ts"

/** From the oldest on: those up to `newest` that `to` lacks. */
const lackingIn = async (from: Objects, to: Objects, newest: SegmentName): Promise<ReadonlyArray<SegmentName>> => {
  const lacking: Array<SegmentName> = []
  for (let name: SegmentName | null = newest; name !== null;) {
    if (await isIn(to, name)) break
    lacking.unshift(name)
    name = (await checked(from, name)).footer.previous
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
  signal: AbortSignal
): Promise<number> => {
  let bytes = 0
  for (const name of await lackingIn(from, to, newest)) {
    signal.throwIfAborted()
    const object = await from.open(objectName(name))
    await to.put(objectName(name), await object.read(0, object.bytes))
    bytes += object.bytes
  }
  return bytes
}

/** Throws a Fault if one is missing or damaged. Resolves to how many there are. */
export const checkSegments = async (from: Objects, newest: SegmentName, signal: AbortSignal): Promise<number> => {
  let count = 0
  for (let name: SegmentName | null = newest; name !== null; count++) {
    signal.throwIfAborted()
    const segment: Segment = await checked(from, name).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new Fault(`the archive in ${from.place} is not whole: ${why}`)
    })
    name = segment.footer.previous
  }
  return count
}
