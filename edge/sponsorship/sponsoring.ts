/** Sponsorships declared and withdrawn by a person, for the interface and the pages (contract 6, 20). */
import { Effect } from "effect"
import type { SponsorshipFacts } from "../../schemas/sponsorship/operations.ts"
import { type HumanSponsorship, ownerRights, type SponsorRole } from "../../schemas/sponsorship/records.ts"
import { authorOf } from "../bus/agent.ts"
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

  /** `agent` is a handle, a hub id or an agent number. */
  declare(
    call: Call,
    human: string,
    { agent: ref, role }: { readonly agent: string; readonly role: SponsorRole }
  ): Effect.Effect<HumanSponsorship, Refused> {
    const { bus } = this.parts
    return Effect.gen({ self: this }, function* () {
      const author = yield* authorOf(bus, call, ref)
      const input = { agent: author.id, role }
      return toHuman(yield* bus.read(call, { actor: human, op: "human.declare", input }), author)
    })
  }

  /** Withdraws the person's newest sponsorship of that agent. */
  withdraw(call: Call, human: string, ref: string): Effect.Effect<HumanSponsorship, Refused> {
    const { bus } = this.parts
    return Effect.gen({ self: this }, function* () {
      const author = yield* authorOf(bus, call, ref)
      const asked = { actor: human, op: "human.sponsorship", input: { agent: author.id } } as const
      const { sponsorship } = yield* bus.read(call, asked)
      const ended = { actor: String(sponsorship), op: "sponsorship.withdraw", input: { human } } as const
      return toHuman(yield* bus.read(call, ended), author)
    })
  }
}
