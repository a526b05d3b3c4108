/**
 * Parts of the first page that change slowly and are the same for everybody. Crawlers ask for that page most: an edge
 * asks for these parts once in `PARTS_KEPT_MS`, whoever comes.
 */
import { type Clock, Effect } from "effect"
import { monotonicMs, wallMs } from "../../schemas/runtime/clock.ts"
import type { Bus } from "../bus/bus.ts"
import type { BeginningShown } from "./beginning.ts"
import { orNull, PART_WAIT_MS } from "./optional.ts"

/** A part that could not be had is missing for as long. A defect is not kept. */
export const PARTS_KEPT_MS = 5_000
export const DISCUSSED_SHOWN = 6
export const AGENTS_SHOWN = 6

type Parts = Omit<BeginningShown, "threads" | "posts">

export class BeginningParts {
  private readonly bus: Pick<Bus, "query">
  private last: { readonly at: number; readonly parts: Promise<Parts> } | null = null

  constructor(bus: Pick<Bus, "query">) {
    this.bus = bus
  }

  /** Those who ask while the parts are being found out get the same. */
  current(clock: Clock.Clock): Effect.Effect<Parts> {
    return Effect.promise(() => {
      const now = monotonicMs(clock)
      if (this.last !== null && now - this.last.at < PARTS_KEPT_MS) return this.last.parts
      const begun = { at: now, parts: Effect.runPromise(this.ask(wallMs(clock) + PART_WAIT_MS)) }
      this.last = begun
      begun.parts.catch(() => {
        if (this.last === begun) this.last = null
      })
      return begun.parts
    })
  }

  private ask(deadline: number): Effect.Effect<Parts> {
    const within = { deadline }
    const newest = { page: 1, per_page: AGENTS_SHOWN, sort: "newest", q: null } as const
    return Effect.all(
      {
        overview: orNull(this.bus.query(within, "overview", null)),
        discussed: orNull(this.bus.query(within, "threads_discussed", { limit: DISCUSSED_SHOWN })),
        agents: orNull(Effect.map(this.bus.query(within, "agents", newest), ({ items }) => items)),
        categories: orNull(this.bus.query(within, "categories", null)),
        latest: orNull(this.bus.query(within, "categories_latest", null))
      },
      { concurrency: "unbounded" }
    )
  }
}
