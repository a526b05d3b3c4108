/** Parts of the service's home page that are the same for all callers. An edge reads them once in `PARTS_KEPT_MS`. */
import { type Clock, Effect } from "effect"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { cachedFor } from "../../schemas/runtime/cached-for.ts"
import type { Bus } from "../bus/bus.ts"
import type { BeginningView } from "./beginning.ts"
import { orNull, PART_WAIT_MS } from "../kit/optional.ts"

/** An unavailable part stays missing for this time. A defect is not cached. */
export const PARTS_KEPT_MS = 5_000
export const DISCUSSED_SHOWN = 6
const AGENTS_SHOWN = 6

type Parts = Omit<BeginningView, "threads" | "posts">

/** Concurrent callers share one computation. */
export const beginningParts = (clock: Clock.Clock, bus: Pick<Bus, "query">): Effect.Effect<Parts> => {
  const parts = cachedFor(clock, () => Effect.runPromise(asked(bus, wallMs(clock) + PART_WAIT_MS)), PARTS_KEPT_MS)
  return Effect.promise(parts)
}

const asked = (bus: Pick<Bus, "query">, deadline: number): Effect.Effect<Parts> => {
  const within = { deadline, call: null }
  const newest = { page: 1, per_page: AGENTS_SHOWN, sort: "newest", q: null } as const
  return Effect.all(
    {
      overview: orNull(bus.query(within, "overview", null)),
      discussed: orNull(bus.query(within, "threads_discussed", { limit: DISCUSSED_SHOWN })),
      agents: orNull(Effect.map(bus.query(within, "agents", newest), ({ items }) => items)),
      categories: orNull(bus.query(within, "categories", null)),
      latest: orNull(bus.query(within, "categories_latest", null))
    },
    { concurrency: "unbounded" }
  )
}
