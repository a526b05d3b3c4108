/** An edge as a separate process: opens the bus, reads the leases, then opens its port. */
import { setFlagsFromString } from "node:v8"
import { Effect } from "effect"
import { machineClock } from "../schemas/runtime/clock.ts"
import { standardOutput } from "../schemas/runtime/log/log.ts"
import { runProgram } from "../schemas/runtime/program.ts"
import { openEdge } from "./app.ts"
import { loadEdgeConfig } from "./http/config.ts"
import { RequestLog } from "./http/log.ts"

// Without this, V8 gives a process that has been idle so little room to grow that every collection under load is a full
// one.
setFlagsFromString("--heap-growing-percent=50")
// V8 would treat objects of the first few requests as long-lived, and allocate the same kinds of objects of all later
// requests in the old generation.
setFlagsFromString("--no-allocation-site-pretenuring")

const log = new RequestLog(machineClock, standardOutput.write)

runProgram(
  Effect.flatMap(loadEdgeConfig(process.env), (config) => openEdge(config, log)),
  { ended: () => log.flush() }
)
