/**
 * Follows the cluster. Changes of leases arrive at once through the lease watch. Everything else is queried every
 * `LOOK_EVERY_MS`, only while a page is open.
 */
import { after, monotonicMs, wallMs } from "../../../schemas/runtime/clock.ts"
import { iso } from "../../../schemas/iso.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import type { Service } from "../../cli/connection.ts"
import { clusterOf } from "../../status/cluster.ts"
import type { LiveSource } from "../live.ts"
import type { ConsoleParts } from "../parts.ts"
import { type ClusterSnapshot, snapshotOf } from "./snapshot.ts"

const LOOK_EVERY_MS = 2000
/** Changes within this time are published together. A node that leaves changes many shards at once. */
const TOGETHER_MS = 20

interface SnapshotQuery {
  /** The monotonic time in ms at which the query began. */
  readonly began: number
  /** The result; `null` while the query is under way. */
  readonly seen: ClusterSnapshot | null
}

/** The last query. A page that is opened within `LOOK_EVERY_MS` begins with its result. */
const looks = new WeakMap<Service, SnapshotQuery>()

export const clusterSource =
  ({ service, clock, history, jobs }: ConsoleParts): LiveSource =>
  (publish) => {
    const following = { isOn: true }
    const nextAt = (): number => (looks.get(service)?.began ?? Number.NEGATIVE_INFINITY) + LOOK_EVERY_MS
    let seen: ClusterSnapshot | null = monotonicMs(clock) < nextAt() ? (looks.get(service)?.seen ?? null) : null
    let told: (() => void) | null = null
    let wake: () => void = () => undefined
    const show = (): void => {
      told?.()
      told = null
      if (following.isOn) publish(snapshotOf(service.view, seen, { history, jobs: jobs.last }))
    }
    const soon = (): void => void (told ??= after(clock, TOGETHER_MS, show, "unref"))
    const pause = (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const cancel = after(clock, ms, resolve, "unref")
        wake = () => {
          cancel()
          resolve()
        }
      })
    const look = async (): Promise<void> => {
      while (following.isOn) {
        const wait = nextAt() - monotonicMs(clock)
        if (wait > 0) await pause(wait)
        else {
          const began = monotonicMs(clock)
          looks.set(service, { began, seen: null })
          seen = { cluster: await clusterOf(service), at: iso(wallMs(clock)) }
          looks.set(service, { began, seen })
          show()
        }
      }
    }
    const ends = [service.view.onChange(soon), service.view.onNode(soon)]
    show()
    look().catch((error: unknown) => logNow("error", "console", { error }))
    return () => {
      following.isOn = false
      told?.()
      wake()
      for (const end of ends) end()
    }
  }
