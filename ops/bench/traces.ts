/**
 * Measures the cost of tracing for one `GET /api/v1/me`: only the calls that edge and node make for it, with tracing
 * off and at several ratios. Spans are queued and encoded in batches like in the exporter, but not sent. The time of an
 * empty loop is subtracted.
 */
import { IncomingMessage } from "node:http"
import { Socket } from "node:net"
import { Call } from "../../edge/http/call.ts"
import { docUrlsOf } from "../../edge/http/doc-urls.ts"
import { ENDPOINTS } from "../../edge/http/endpoints.ts"
import { RequestTraces } from "../../edge/http/trace.ts"
import { commandSpan } from "../../actors/engine/trace.ts"
import type { Ask } from "../../schemas/bus/frames.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { askSpan, endAnswered } from "../../schemas/runtime/trace/ask.ts"
import { BATCH_MAX, QUEUE_MAX } from "../../schemas/runtime/trace/exporter.ts"
import { otlpBody } from "../../schemas/runtime/trace/otlp.ts"
import { NewestQueue } from "../../schemas/runtime/trace/queue.ts"
import type { Span } from "../../schemas/runtime/trace/span.ts"
import { NO_TRACING, type Tracing, tracingInto } from "../../schemas/runtime/trace/tracing.ts"

const COUNT = 2_000_000
/** The number of requests if each of them makes its three spans. */
const COUNT_SAMPLED = 50_000
const ROUNDS = 7
const HEAD = {}
const RATIOS = [0, 0.01, 0.1, 1] as const

const requested = (): Call => {
  const request = new IncomingMessage(new Socket())
  request.method = "GET"
  request.url = "/api/v1/me"
  const call = new Call(
    machineClock,
    "00000000-0000-0000-0000-000000000000",
    request,
    { client: "0", wide: null },
    { basePath: "", docUrls: docUrlsOf("") },
    0,
    0
  )
  call.endpoint = ENDPOINTS.find(({ method, path }) => method === "GET" && path === "/api/v1/me") ?? null
  return call
}

const ASK: Ask = {
  id: "1",
  kind: "agent",
  actor: "hx000000000000000000000000",
  op: "agent.me",
  input: null,
  deadline: 0
}

/** Makes the calls of one request. Returns a number that depends on all of them, so that none is optimized away. */
const traced = (tracing: Tracing, traces: RequestTraces, call: Call): number => {
  call.span = null
  traces.begin(call)
  const asked = askSpan(call.span, ASK.kind, ASK.op, ASK.actor)
  const ask: Ask = asked === null ? ASK : { ...ASK, traceparent: asked.traceparent }
  const command = ask.traceparent === undefined ? null : commandSpan(tracing, ask)
  command?.set("hub.loaded", false)
  if (command !== null) endAnswered(command, HEAD)
  if (asked !== null) endAnswered(asked, HEAD)
  traces.end(call, 200)
  return call.span === null ? 1 : 2
}

const untraced = (_tracing: Tracing, _traces: RequestTraces, call: Call): number => {
  call.span = null
  return call.deadline + 1
}

const nsOf = (what: typeof traced, tracing: Tracing, count: number): number => {
  const traces = new RequestTraces(tracing, false)
  const call = requested()
  let best = Number.POSITIVE_INFINITY
  let sum = 0
  for (let round = 0; round < ROUNDS; round++) {
    const began = process.hrtime.bigint()
    for (let turn = 0; turn < count; turn++) sum += what(tracing, traces, call)
    best = Math.min(best, Number(process.hrtime.bigint() - began) / count)
  }
  if (sum === 0) throw new Error("nothing was done")
  return best
}

/** Queues and encodes spans like the exporter. */
const sinking = () => {
  const queue = new NewestQueue<Span>(QUEUE_MAX)
  const service = { name: "bench", instance: "1" }
  return {
    take: (span: Span): void => {
      queue.push(span)
      if (queue.size >= BATCH_MAX && otlpBody(service, queue.take(BATCH_MAX)) === "")
        throw new Error("nothing was encoded")
    }
  }
}

export const traceCosts = (say: (line: string) => void): void => {
  say("\ntracing, microseconds of one GET /api/v1/me over edge and node (quietest of several rounds)")
  const nothing = nsOf(untraced, NO_TRACING, COUNT)
  const line = (title: string, ns: number): void =>
    say(`  ${title.padEnd(10)} ${Math.max(0, (ns - nothing) / 1000).toFixed(4)}`)
  line("off", nsOf(traced, NO_TRACING, COUNT))
  for (const ratio of RATIOS)
    line(`ratio ${ratio}`, nsOf(traced, tracingInto(sinking(), ratio), ratio === 1 ? COUNT_SAMPLED : COUNT))
}
