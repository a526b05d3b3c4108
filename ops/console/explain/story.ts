/**
 * A story read for a page, within `READ_MS`.
 *
 * A request id of an earlier release does not say where in the log it is. So the end of the log is read first, and all
 * of it only if the request is not there.
 */
import { streams } from "../../../schemas/subjects.ts"
import type { Service } from "../../cli/connection.ts"
import { Fault } from "../../cli/fault.ts"
import { APART_MAX, type FoundRoot, foundFor, tracesFor } from "../../explain/found.ts"
import type { Traces } from "../../explain/spans.ts"
import { type Story, storyOf } from "../../explain/story.ts"
import { READ_MS, reading } from "../readings.ts"

const RECENT = 50_000

/** The part of `READ_MS` that is kept for traces, read models, and waiting commands. */
const REST_MS = 3000

export interface StoryPage extends Pick<FoundRoot, "refused" | "unseen"> {
  readonly story: Story
  readonly traces: Traces | null
  /** Last sequence of the log. Commits after `story.read_to` were not read. */
  readonly last: number
}

/** False if the story begins so close to the start of the reading that it may lack its beginning. */
const isWhole = ({ commits }: Story, from: number): boolean => (commits[0]?.seq ?? 0) >= from + APART_MAX

const isMissed = ({ commits, read_to: readTo }: Story, last: number): boolean => commits.length === 0 && readTo < last

const read = async (
  service: Service,
  { request, seq, near }: FoundRoot["root"],
  last: number,
  { signal, until }: { readonly signal: AbortSignal; readonly until: number }
): Promise<Story> => {
  const enough = (): boolean => performance.now() > until
  const from = (place: number, first: number | null = null): Promise<Story> =>
    storyOf(service, { request, from: place, near: first, progress: () => undefined, signal, enough })
  const recent = last - RECENT
  if (seq === 1 && recent > 1) {
    const story = await from(recent, near)
    if (isWhole(story, recent) || (near !== null && near < recent && story.commits.length > 0)) return story
  }
  return from(seq, near)
}

export const storyPage = (service: Service, reference: string, since: string, ms = READ_MS): Promise<StoryPage> => {
  const until = performance.now() + ms - REST_MS
  return reading(async (signal) => {
    const hints = since === "" ? {} : { since }
    const { root, refused, unseen } = await foundFor(service, reference, hints)
    const { last_seq: last } = (await service.manager.streams.info(streams.events)).state
    try {
      const story = await read(service, root, last, { signal, until })
      if (isMissed(story, last) && refused === null) throw tooLong(reference, story.read_to, last)
      const traces = await tracesFor(service, story, hints, signal).catch(() => null)
      return { refused, unseen, story, traces, last }
    } catch (error) {
      throw signal.aborted ? tooLong(reference, root.seq, last) : error
    }
  }, ms)
}

const tooLong = (reference: string, readTo: number, last: number): Fault =>
  new Fault(
    `It was not found in the part of the log that could be read in time, which ended at #${readTo} of #${last}. ` +
      `Say below since when to read, or use npm run hub -- explain ${reference}`
  )
