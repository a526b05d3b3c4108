/**
 * Runs the role `runtime` while the scope is open. The role needs a process without other roles. Each container engine
 * needs one such process.
 */
import { resolve } from "node:path"
import { Clock, Effect, type Scope } from "effect"
import { loopbackPort } from "../../schemas/compartment/hub-url.ts"
import type { Desired } from "../../schemas/compartment/operations.ts"
import { every, wallMs } from "../../schemas/runtime/clock.ts"
import { subjects } from "../../schemas/subjects.ts"
import { asking } from "../kit/worker/asks.ts"
import { Bus, Cluster, Configuration, Queried, RuntimeKey, Streams, Tracing } from "../kit/process.ts"
import { serveQueries } from "../queries/serve.ts"
import { viewsOver } from "../engine/services.ts"
import { archivesOver } from "./archives.ts"
import { type AskOnce, askedBy, Refused } from "./asked.ts"
import { Beat, hostIdOf } from "./beat.ts"
import { boxesOf } from "./boxes.ts"
import { Disks } from "./disks.ts"
import { Fills } from "./fills.ts"
import { holdHost } from "./holding.ts"
import { hostQueries } from "./host-queries.ts"
import type { Machine } from "./machine.ts"
import { ordersOf } from "./order.ts"
import { RealMachine } from "./real-machine.ts"
import { newCommand, Reconciler, refusedBy, type FleetPort } from "./reconciler.ts"
import { Usage } from "./usage.ts"

/** The time in which a keeper answers if there is one. */
const ISSUE_MS = 10_000

type Needed = Bus | Cluster | Configuration | Queried | RuntimeKey | Streams | Tracing | Scope.Scope

/** Resolves to `null` if this host has no such compartment. */
export const desiredStateFrom =
  (asked: AskOnce, host: string) =>
  async (compartment: string): Promise<Desired | null> => {
    try {
      return await asked(newCommand(), "compartment.desired", compartment, { host })
    } catch (error) {
      if (error instanceof Refused && error.refusal.code === "not_found") return null
      throw error instanceof Refused ? refusedBy(error.refusal) : error
    }
  }

/** Runs the role on any machine, so that tests can use one without containers. */
export const runHostOn = (machine: Machine, folder: string, max: number, image: string) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const [nats, tracing, { limits, baseUrl }] = [yield* Bus, yield* Tracing, yield* Configuration]
    const { seed } = yield* RuntimeKey
    const { asker } = yield* Cluster
    yield* Streams
    const asked = askedBy(asking(clock, (one, span) => asker.ask(one, span)))
    const boxes = yield* Effect.promise(() => boxesOf(seed))
    const host = hostIdOf(folder)
    const report: FleetPort["report"] = async (command, compartment, told) => {
      await asked(command, "compartment.report", compartment, { host, told })
    }
    const views = viewsOver(clock, nats)
    const fills =
      machine.exec === null
        ? null
        : new Fills({
            clock,
            exec: (compartment, order) => machine.exec?.(compartment, order) ?? Promise.reject(new Error("no exec")),
            issue: (input) =>
              views.query({ commandId: "", deadline: wallMs(clock) + ISSUE_MS }, "keeper_issue_inside", input),
            baseUrl
          })
    const disks = new Disks({
      machine,
      limits: limits.runtime,
      changed: (compartment) => reconciler.changed(compartment)
    })
    const reconciler: Reconciler = new Reconciler({
      clock,
      overfull: (compartment) => disks.overfull(compartment),
      machine,
      atOnce: limits.service.runtime.reconciled_at_once,
      desired: desiredStateFrom(asked, host),
      report,
      orderOf: ordersOf(boxes, baseUrl),
      archiveOf: archivesOver(nats, boxes),
      running: (compartment, desired) => fills?.look(compartment, desired)
    })
    const { beat_ms, usage_every_ms, usage_kept } = limits.service.runtime
    const timeoutMs = limits.service.query_timeout_ms
    const usage = new Usage({ machine, kept: usage_kept })
    const beat = new Beat({
      clock,
      asked,
      machine,
      host,
      max,
      image,
      publicKey: boxes.publicKey,
      everyMs: beat_ms,
      changed: (compartment) => reconciler.changed(compartment)
    })
    const subscription = nats.subscribe(subjects.compartmentsChanged(host), {
      callback: (error, { subject }) => {
        if (error === null) reconciler.changed(subject.split(".").at(-1) ?? "")
      }
    })
    const unsubscribe = machine.exits((compartment) => reconciler.changed(compartment))
    const endLooking = every(clock, beat_ms, () => void disks.look())
    const endReading = every(clock, usage_every_ms, () => void usage.look())
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        endLooking()
        endReading()
        subscription.unsubscribe()
        unsubscribe()
        beat.end()
        await reconciler.end()
      })
    )
    const queries = hostQueries(machine, boxes, usage)
    const { host_new_key } = queries
    const served = { [host]: queries, any: { host_new_key } }
    for (const [at, answered] of Object.entries(served))
      yield* serveQueries(clock, nats, answered, yield* Queried, tracing, { host: at, onlyResponds: true, timeoutMs })
  })

export const compartmentHost: Effect.Effect<void, never, Needed> = Effect.gen(function* () {
  const { runtime, data, limits, baseUrl } = yield* Configuration
  if (runtime === null) return yield* Effect.die(new Error("a host without its settings"))
  const clock = yield* Clock.Clock
  const folder = resolve(data, "runtime")
  const { max, image, socket, dnsServers: dns } = runtime
  yield* Effect.acquireRelease(
    Effect.promise(() => holdHost(folder, "role")),
    (letGo) => Effect.sync(letGo)
  )
  const machine = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new RealMachine({
          clock,
          folder,
          socket,
          image,
          max,
          dns,
          servicePort: loopbackPort(baseUrl),
          limits: limits.runtime,
          stopGraceMs: limits.service.runtime.stop_grace_ms
        })
    ),
    (opened) => Effect.promise(() => opened.end())
  )
  yield* runHostOn(machine, folder, max, image)
})
