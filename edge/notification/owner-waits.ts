/**
 * Requests of an agent that are held for its owner (spec 4.10): one for each purpose in the whole service, which the
 * agent's actor knows; for one more that is held already, there is the answer of now.
 *
 * Invariants
 *  - A slot is given back before the answer is out, so that whoever has it may be held again. But where the agent's actor
 *    cannot be had, an answer that was found does not wait for that: the slot is asked back for behind it, and otherwise
 *    ends by itself.
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
  /** What was asked for. */
  readonly waitSeconds: number
}

const NOT_HELD = { held: false }

/** An answer waits this long at most for its slot to be given back. */
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
    // The last look, and whether what was found may be told.
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
      // Whatever was answered: the slot may be taken, and the answer lost. That of another is not given back by it.
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
