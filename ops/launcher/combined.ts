/**
 * Several nodes of the product in one process. `npm start` runs this in development, unless it is given a number of
 * processes.
 *
 * The launcher sends their environments over the IPC channel. Each node has its own configuration, connection to the
 * bus and metrics; they share the process and its log. They start side by side and end in the reverse order of the
 * list.
 */
import { setFlagsFromString } from "node:v8"
import { Effect, Scope } from "effect"
import { openActors } from "../../actors/app.ts"
import { openEdge } from "../../edge/app.ts"
import { openConsole } from "../console/app.ts"
import { loadEdgeConfig } from "../../edge/http/config.ts"
import { RequestLog } from "../../edge/http/log.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { standardOutput } from "../../schemas/runtime/log/log.ts"
import { runProgram } from "../../schemas/runtime/program.ts"
import type { NodeKind } from "./node-environment.ts"

export interface CombinedNode {
  readonly kind: NodeKind
  readonly env: NodeJS.ProcessEnv
}

const STOP_WITHIN_MS = 8000

setFlagsFromString("--heap-growing-percent=50")

const log = new RequestLog(machineClock, standardOutput.write)

const nodesToOpen = Effect.callback<ReadonlyArray<CombinedNode>>((resume) => {
  process.once("message", (message) => {
    // The message is not validated: only the launcher can send it, and it is of the same release.
    const { nodes } = message as { readonly nodes: ReadonlyArray<CombinedNode> }
    resume(Effect.succeed(nodes))
  })
})

const openNode = ({ kind, env }: CombinedNode) => {
  if (kind === "console") return openConsole(env)
  return kind === "edge" ? Effect.flatMap(loadEdgeConfig(env), (config) => openEdge(config, log)) : openActors(env)
}

const openAll = Effect.gen(function* () {
  const scope = yield* Scope.Scope
  const opened = []
  for (const node of yield* nodesToOpen) {
    // Each node has its own scope, so that they end in order although they start at once.
    const own = yield* Scope.fork(scope)
    opened.push(Effect.asVoid(Scope.provide(openNode(node), own)))
  }
  yield* Effect.all(opened, { concurrency: "unbounded", discard: true })
})

runProgram(openAll, { stopWithinMs: STOP_WITHIN_MS, ended: () => log.flush() })
