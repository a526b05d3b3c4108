/** An edge in a process of its own: opens the bus, takes its leases, then its port. */
import { setFlagsFromString } from "node:v8"
import { Effect } from "effect"
import { machineClock } from "../schemas/runtime/clock.ts"
import { standardOutput } from "../schemas/runtime/log/log.ts"
import { runProgram } from "../schemas/runtime/program.ts"
import { openEdge } from "./app.ts"
import { loadEdgeConfig } from "./http/config.ts"
import { RequestLog } from "./http/log.ts"

// Left to itself, V8 gives a process that has been idle so little room to grow that under load every collection is a
// full one,
setFlagsFromString("--heap-growing-percent=50")
// and takes the few requests that it meets at the start for long-lived: it then makes parts of all later ones among the
// old.
setFlagsFromString("--no-allocation-site-pretenuring")

const log = new RequestLog(machineClock, standardOutput.write)

runProgram(
  Effect.flatMap(loadEdgeConfig(process.env), (config) => openEdge(config, log)),
  { ended: () => log.flush() }
)
