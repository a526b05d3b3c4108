/** Sponsorships declared and withdrawn by a person, for the interface and the pages (contract 6, 20). */
import { Effect } from "effect"
import type { SponsorshipFacts } from "../../schemas/sponsorship/operations.ts"
import { type HumanSponsorship, ownerRights, type SponsorRole } from "../../schemas/sponsorship/records.ts"
import { agentOf } from "../bus/agent.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"
import type { EdgeParts } from "../kit/parts.ts"

type Agent = HumanSponsorship["agent"]

const toHuman = ({ human: _human, ...facts }: SponsorshipFacts, agent: Agent): HumanSponsorship => ({
  ...facts,
  may: ownerRights(facts.status),
  agent
})

export class Sponsoring {
  private readonly parts: Pick<EdgeParts, "bus">

  constructor(parts: Pick<EdgeParts, "bus">) {
    this.parts = parts
  }

  /** `agent`: a handle, a hub id or an agent number. */
  declare(
    call: Call,
    human: string,
    { agent: ref, role }: { readonly agent: string; readonly role: SponsorRole }
  ): Effect.Effect<HumanSponsorship, Refused> {
    const { bus } = this.parts
    return Effect.gen({ self: this }, function* () {
      const agent = yield* agentOf(bus, call, ref)
      const author = yield* this.author(call, agent)
      return toHuman(yield* bus.read(call, { actor: human, op: "human.declare", input: { agent, role } }), author)
    })
  }

  /** The newest sponsorship of that agent. */
  withdraw(call: Call, human: string, ref: string): Effect.Effect<HumanSponsorship, Refused> {
    const { bus } = this.parts
    return Effect.gen({ self: this }, function* () {
      const agent = yield* agentOf(bus, call, ref)
      const { sponsorship } = yield* bus.read(call, { actor: human, op: "human.sponsorship", input: { agent } })
      const author = yield* this.author(call, agent)
      const ended = { actor: String(sponsorship), op: "sponsorship.withdraw", input: { human } } as const
      return toHuman(yield* bus.read(call, ended), author)
    })
  }

  private author(call: Call, actor: string): Effect.Effect<Agent, Refused> {
    return this.parts.bus.read(call, { actor, op: "content.author", input: null })
  }
}
