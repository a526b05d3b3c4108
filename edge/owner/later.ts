/** Lets an owner of an agent approve or reject people who became owners later (contract 22), for the pages. */
import { Effect } from "effect"
import type { LaterOwner } from "../../schemas/owner/operations.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"
import type { EdgeParts } from "../kit/parts.ts"

/** `name` is `null` if it is unavailable at the moment. */
export interface NamedLaterOwner extends LaterOwner {
  readonly name: string | null
}

export class LaterOwners {
  private readonly bus: EdgeParts["bus"]

  constructor({ bus }: Pick<EdgeParts, "bus">) {
    this.bus = bus
  }

  /** Later owners whom this person may approve or reject. `deadline` is in Unix ms. */
  shown(
    call: Call,
    human: string,
    agent: string,
    deadline = call.deadline
  ): Effect.Effect<ReadonlyArray<NamedLaterOwner>, Refused> {
    const { bus } = this
    return Effect.gen(function* () {
      const later = yield* bus.read(call, { actor: agent, op: "owner.later", input: { human }, deadline })
      if (later.length === 0) return []
      const ids = later.map((one) => one.human)
      const within = { deadline, span: call.span, call }
      const people = yield* Effect.orElseSucceed(bus.query(within, "people", { ids }), () => [])
      const names = new Map(people.map(({ id, name }) => [id, name]))
      return later.map((one) => ({ ...one, name: names.get(one.human) ?? null }))
    })
  }

  judge(
    call: Call,
    human: string,
    agent: string,
    { sponsorship, approves }: { readonly sponsorship: number; readonly approves: boolean }
  ): Effect.Effect<void, Refused> {
    return Effect.asVoid(
      this.bus.ask(call, { actor: agent, op: "owner.judge", input: { human, sponsorship, approves } })
    )
  }
}
