/**
 * A story read for a page, within `READ_MS`.
 *
 * A request id does not say where in the log it is. Most are asked about soon, so the end of the log is read first, and
 * all of it only if the request is not there.
 */
import { streams } from "../../../schemas/subjects.ts"
import type { Service } from "../../cli/connection.ts"
import { Fault } from "../../cli/fault.ts"
import { APART_MAX, type Found, foundFor, tracesFor } from "../../explain/found.ts"
import type { Traces } from "../../explain/spans.ts"
import { type Story, storyOf } from "../../explain/story.ts"
import { READ_MS, reading } from "../readings.ts"

const RECENT = 100_000

export interface Told extends Pick<Found, "refused" | "unseen"> {
  readonly story: Story
  readonly traces: Traces | null
}

/** A story that begins so close to where reading began may lack its beginning. */
const isWhole = ({ commits }: Story, from: number): boolean => (commits[0]?.seq ?? 0) >= from + APART_MAX

const read = async (service: Service, { request, seq }: Found["root"], signal: AbortSignal): Promise<Story> => {
  let came = { seq: 0, target: 0 }
  const from = async (place: number): Promise<Story> => {
    try {
      return await storyOf(service, { request, from: place, progress: (done) => (came = done), signal })
    } catch (error) {
      if (!signal.aborted) throw error
      throw new Fault(
        `Reading the log took longer than ${READ_MS / 1000} s: it came to #${came.seq} of #${came.target}. ` +
          `Say below since when, or use npm run hub -- explain ${request}`
      )
    }
  }
  const { last_seq: last } = (await service.manager.streams.info(streams.events)).state
  const recent = last - RECENT
  if (seq === 1 && recent > 1) {
    const story = await from(recent)
    if (isWhole(story, recent)) return story
  }
  return from(seq)
}

export const toldOf = (service: Service, reference: string, since: string): Promise<Told> =>
  reading(async (signal) => {
    const hints = since === "" ? {} : { since }
    const { root, refused, unseen } = await foundFor(service, reference, hints)
    const story = await read(service, root, signal)
    const traces = await tracesFor(service, story, hints, signal).catch(() => null)
    return { refused, unseen, story, traces }
  })
