/**
 * Asks every process for its figures each `POINT_EVERY_MS`, from the console's start on, whether or not a page is open.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { Clock, Effect, Option, Schema, type Scope } from "effect"
import { every, monotonicMs, wallSeconds } from "../../../schemas/runtime/clock.ts"
import { Figures } from "../../../schemas/runtime/metrics/figures.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { answersTo, type Bounds } from "../../status/answers.ts"
import { type History, POINT_EVERY_MS } from "./history.ts"

const BOUNDS: Bounds = { stallMs: 500, withinMs: 3000, max: 500 }
const ANSWER_MAX_BYTES = 16_384

const readFigures = Schema.decodeUnknownOption(Schema.fromJsonString(Figures))

const figuresOf = async (nats: NatsConnection): Promise<ReadonlyArray<Figures>> => {
  const told: Array<Figures> = []
  for await (const { data } of answersTo(nats, subjects.figures, "", BOUNDS)) {
    if (data.length === 0 || data.length > ANSWER_MAX_BYTES) continue
    told.push(...Option.toArray(readFigures(new TextDecoder().decode(data))))
  }
  return told
}

/** If the bus is down, or no process answers, the point has no values. */
const orNone = (): ReadonlyArray<Figures> => []

export const recording = (nats: NatsConnection, history: History): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    let asking = false
    const ask = async (): Promise<void> => {
      if (asking) return
      asking = true
      const told = await figuresOf(nats).catch(orNone)
      history.add(wallSeconds(clock), monotonicMs(clock), told)
      asking = false
    }
    const point = (): void => void ask().catch((error: unknown) => logNow("error", "console", { error }))
    point()
    yield* Effect.acquireRelease(
      Effect.sync(() => every(clock, POINT_EVERY_MS, point)),
      (end) => Effect.sync(end)
    )
  })
