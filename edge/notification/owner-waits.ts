/**
 * Holds requests of an agent until its owner acts (spec 4.10). The agent's actor allows one for each purpose in the
 * whole service. A second request for the same purpose is answered at once.
 *
 * Invariants
 *  - The slot is released before the answer is sent, so that the next request may be held. The answer waits at most
 *    `LEAVING_MS` for that. The release then continues in the background, and the slot expires in any case.
 */
import { randomUUID } from "node:crypto"
import { Effect, Fiber } from "effect"
import type { WaitPurpose } from "../../schemas/owner/operations.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"
import type { Holder, Holding, Waited } from "./holding.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"

export interface Waiting<A> extends Omit<Holding<A>, "waitMs"> {
  readonly purpose: WaitPurpose
  readonly waitSeconds: number
}

const NOT_HELD = { held: false }

/** Maximum wait of an answer for the release of its slot. */
const LEAVING_MS = 1_000

export class OwnerWaits {
  private readonly bus: Bus
  private readonly holder: Holder
  private readonly heldMs: number
  private readonly slackMs: number

  constructor(bus: Bus, holder: Holder, { limits, service }: Limits) {
    this.bus = bus
    this.holder = holder
    this.heldMs = limits.owner.held_seconds * 1000
    // Time for the last query, and for the check that its result may be shown.
    this.slackMs = 2 * service.request_deadline_ms
  }

  hold<A>(call: Call, { waitSeconds, purpose, ...holding }: Waiting<A>): Effect.Effect<Waited<A>, Refused> {
    const { agent, look } = holding
    const waitMs = Math.min(Math.max(0, waitSeconds) * 1000, this.heldMs)
    const atOnce = Effect.map(look, (found) => ({ found, waited: false }))
    if (waitMs === 0 || !this.holder.hasRoom(agent)) return atOnce
    const token = randomUUID()
    const wanted = { purpose, token, ms: waitMs + this.slackMs }
    return Effect.acquireUseRelease(
      Effect.orElseSucceed(this.bus.read(call, { actor: agent, op: "owner.wait", input: wanted }), () => NOT_HELD),
      ({ held }) => (held ? this.holder.hold(call, { ...holding, waitMs }) : atOnce),
      // The slot may be taken even if the answer was lost. The token makes sure that no other request's slot is
      // released.
      () => this.leave(call, agent, { purpose, token })
    )
  }

  private leave(
    call: Call,
    actor: string,
    input: { readonly purpose: WaitPurpose; readonly token: string }
  ): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const deadline = wallMs(call.clock) + this.slackMs
      const left = yield* Effect.forkDetach(this.bus.ask(call, { actor, op: "owner.leave", input, deadline }))
      yield* Effect.ignore(Effect.timeout(Fiber.await(left), LEAVING_MS))
    })
  }
}
