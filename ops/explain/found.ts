/** Finds the place in the log at which a request's story begins, from any of its ids. */
import { machineClock, wallMs } from "../../schemas/runtime/clock.ts"
import { timeOfRequest } from "../../schemas/request-id.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { Service } from "../cli/connection.ts"
import { Fault } from "../cli/fault.ts"
import { idOfReference } from "../cli/references.ts"
import { kindOf, orEnded, type Point } from "../replay/fold.ts"
import { placeOf } from "../replay/place.ts"
import { pointOf } from "../replay/points.ts"
import { inLog, type Refused, rememberedBy } from "./refused.ts"
import { type Traces, tracesOf } from "./spans.ts"
import { rootOf, type Story } from "./story.ts"

export interface Hints {
  /** A request is looked for only from this point on. It is not used for a sequence or an actor. */
  readonly since?: string
  /** A file with the request log of an edge. */
  readonly log?: string
  /** The address for traces, instead of the service's own. */
  readonly traces?: string
}

const ID = /^[^\s"\\]{1,256}$/

interface Root {
  readonly request: string
  readonly seq: number
  /** The first sequence near the time in the request's id. `null` if that is not known or is before `seq`. */
  readonly near: number | null
}

/** The first commit of an actor such as `delivery/12`. Its request is the one that caused all of the actor's work. */
const firstOf = async (service: Service, kind: string, reference: string): Promise<number> => {
  const id = await idOfReference(service, kind, reference)
  const { entries } = await service.log.read(subjects.event(kind, id), 0, 1)
  const [found] = entries
  if (found === undefined)
    throw new Fault(`the log holds nothing of ${kind} ${reference}${orEnded(kindOf(kind)?.fold)}`)
  return found.seq
}

/**
 * The number of sequences before a known commit of the request at which reading begins. A request's own commits lie
 * close together.
 */
export const APART_MAX = 10_000

const rootAt = async (service: Service, seq: number): Promise<Root> => {
  const root = await rootOf(service, seq)
  if (root === null)
    throw new Fault(`the log holds no commit #${seq}: there was none, or its actor has ended and is no longer kept`)
  return { request: root.request, seq: Math.max(1, root.seq - APART_MAX), near: null }
}

/** The first sequence that was stored at that time or later. */
const behind = async (service: Service, time: number): Promise<number> => {
  const { state } = await service.manager.streams.info(streams.events)
  return (await placeOf(service, { time: time - 1 }, state)) + 1
}

/**
 * The earliest sequence that a request of that time can have. A time in the future comes from a wrong clock and is not
 * used.
 */
const trusted = async (service: Service, at: number): Promise<number> =>
  at > wallMs(machineClock) + CLOCKS_APART_MS ? 1 : behind(service, at - CLOCKS_APART_MS)

/**
 * The place where the search for a request begins. A request id of an earlier release contains no time, so the whole
 * log may have to be read.
 */
const sought = async (service: Service, request: string, point: Point | null): Promise<Root> => {
  const at = timeOfRequest(request)
  const near = at === null ? null : await behind(service, at - CLOCKS_CLOSE_MS)
  if (point === null) return { request, seq: at === null ? 1 : await trusted(service, at), near }
  const seq = "seq" in point ? Math.max(1, point.seq) : await behind(service, point.time)
  return { request, seq, near: near !== null && near < seq ? null : near }
}

/** Clocks of edges and of the log nearly always differ by less than this. */
const CLOCKS_CLOSE_MS = 250

/** The form of ids that edges give to requests. Ids of commands have other forms. */
const EDGE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const NOT_ASKED = { refused: null, unseen: "no edge was asked" } as const

/** Clocks of edges and of the log always differ by less than this, unless one is wrong. */
const CLOCKS_APART_MS = 300_000

const beganBy = (refused: Refused | null): Point | null =>
  refused === null ? null : { time: refused.at - refused.ms - CLOCKS_APART_MS }

export interface FoundRoot {
  readonly root: Root
  readonly refused: Refused | null
  /** Lists who was asked, if nothing was found. */
  readonly unseen: string
}

const sinceIn = ({ since }: Hints): Point | null => {
  if (since === undefined) return null
  const point = pointOf(since)
  if (point === null) throw new Fault("--since takes a sequence or a time")
  return point
}

/** Finds the refusal of the request. Asks all edges, or reads the given request log of one edge. */
const refusedOf = async ({ nats }: Service, request: string, { log }: Hints): Promise<Omit<FoundRoot, "root">> => {
  if (log !== undefined) return { refused: await inLog(log, request), unseen: `${log} has no line of it` }
  if (!EDGE_ID.test(request)) return NOT_ASKED
  const { edges, found, passed_over } = await rememberedBy(nats, request)
  const crowded = passed_over === 0 ? "" : `, and ${passed_over} refusals came too fast to be remembered`
  return {
    refused: found?.found ?? null,
    unseen: `${edges} ${edges === 1 ? "edge" : "edges"} answered and none remembers it${crowded}`
  }
}

export const foundFor = async (service: Service, reference: string, values: Hints): Promise<FoundRoot> => {
  const since = sinceIn(values)
  const seq = /^#(\d{1,15})$/.exec(reference)?.[1]
  if (seq !== undefined) return { root: await rootAt(service, Number(seq)), ...NOT_ASKED }
  const [kind = "", ...rest] = reference.split("/")
  if (rest.length > 0 && kindOf(kind) !== undefined)
    return { root: await rootAt(service, await firstOf(service, kind, rest.join("/"))), ...NOT_ASKED }
  if (!ID.test(reference)) throw new Fault("explain takes a request id, a command, #<sequence> or <kind>/<ref>")
  const known = await refusedOf(service, reference, values)
  return { root: await sought(service, reference, since ?? beganBy(known.refused)), ...known }
}

/** The trace of a request; `null` if there is none, or the address for traces is not known. */
export const tracesFor = async (
  { tracesQuery }: Service,
  { commits }: Story,
  { traces }: Hints,
  signal: AbortSignal
): Promise<Traces | null> => {
  const address = traces ?? tracesQuery
  const ids = commits.flatMap(({ trace_id }) => (trace_id === null ? [] : [trace_id]))
  return address === "" || ids.length === 0 ? null : tracesOf(address, ids, signal)
}
