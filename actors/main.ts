/**
 * An actor process: joins the bus, owns shards, keeps the read models, answers queries, delivers to webhooks (as
 * HUB_ROLES says).
 */
import { setFlagsFromString } from "node:v8"
import { runProgram } from "../schemas/runtime/program.ts"
import { openActors } from "./app.ts"

const STOP_WITHIN_MS = 8000

// Left to itself, V8 gives a process that has been idle so little room to grow that under load every collection is a
// full one.
setFlagsFromString("--heap-growing-percent=50")

runProgram(openActors(process.env), { stopWithinMs: STOP_WITHIN_MS })
