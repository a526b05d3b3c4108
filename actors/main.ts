/**
 * Starts an actor process. HUB_ROLES names its work: to own shards, to answer queries, to deliver to webhooks, and
 * others (schemas/config.ts).
 */
import { setFlagsFromString } from "node:v8"
import { Effect, Latch } from "effect"
import { runProgram } from "../schemas/runtime/program.ts"
import { openActors } from "./app.ts"
import { Drained } from "./kit/process.ts"

const STOP_WITHIN_MS = 8000

// Left to itself, V8 gives a process that has been idle so little room to grow that under load every collection is a
// full one.
setFlagsFromString("--heap-growing-percent=50")

const drained = Latch.makeUnsafe(false)

runProgram(Effect.provideService(openActors(process.env), Drained, drained), {
  stopWithinMs: STOP_WITHIN_MS,
  until: drained.await
})
