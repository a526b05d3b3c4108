/**
 * Starts an actor process. As HUB_ROLES says, it joins the bus, owns shards, maintains the read models, answers
 * queries, or delivers to webhooks.
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
