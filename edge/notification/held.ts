/** `GET /me/notifications?wait_seconds=`: an empty list is held back until there is an entry, or the time is over. */
import { Effect } from "effect"
import { listed, type ListPage } from "../bus/lists.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Holder, Waited } from "./holding.ts"

type Ask = Queries["notifications"]["input"]

export class HeldLists {
  private readonly bus: Bus
  private readonly holder: Holder

  constructor(bus: Bus, holder: Holder) {
    this.bus = bus
    this.holder = holder
  }

  list(call: Call, ask: Ask, waitMs: number): Effect.Effect<Waited<ListPage>, Refused> {
    const look = Effect.suspend(() => listed(this.bus, call, "notifications", ask))
    const { agent, since_id: since } = ask
    return this.holder.hold(call, { agent, waitMs, look, isThere: ({ total }) => total > 0, since })
  }
}
