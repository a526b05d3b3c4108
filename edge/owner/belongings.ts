/** Mail and vaults of all agents of a person, some agents a page. */
import { Effect } from "effect"
import { OWNER_PATH } from "../../schemas/human/pages.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import type { Bus } from "../bus/bus.ts"
import type { OwningMail } from "../mail/index.ts"
import type { OwningVault } from "../vault/index.ts"
import { type OwningCompartments, compartmentsPage } from "../compartment/index.ts"
import type { OwnerSpace, PageAnswer } from "../human/index.ts"
import type { Call } from "../http/call.ts"
import { clamped } from "../http/query.ts"
import type { Refused } from "../http/refused.ts"
import { PART_WAIT_MS } from "../kit/optional.ts"
import { type Belongings, mailPage, vaultPage } from "./belongings-view.ts"
import { type Carried, carriedOf } from "./carried.ts"

interface Paged {
  readonly query: { readonly page?: string }
}

const AGENTS_PER_PAGE = 10
const PAGES_MAX = 100

interface Parts {
  readonly bus: Bus
  readonly mail: OwningMail
  readonly vaults: OwningVault
  readonly compartments: OwningCompartments
}

export const belongingsPages = (space: OwnerSpace, { bus, mail, vaults, compartments }: Parts) => {
  /**
   * Asks each agent by `look`. An agent that does not answer in time has `undefined`. An agent that refuses `not_found`
   * is left out: its actor knows before the read model that the person no longer sponsors it.
   */
  const page = <A>(
    call: Call,
    human: string,
    { query }: Paged,
    look: (agent: Carried, deadline: number) => Effect.Effect<A, Refused>
  ): Effect.Effect<Belongings<A>, Refused> =>
    Effect.gen(function* () {
      const carried = carriedOf(yield* bus.query(call, "sponsored", { human }))
      const number = clamped(query.page, 1, PAGES_MAX, 1)
      const pages = Math.ceil(carried.length / AGENTS_PER_PAGE)
      const some = carried.slice((number - 1) * AGENTS_PER_PAGE, number * AGENTS_PER_PAGE)
      const deadline = wallMs(call.clock) + PART_WAIT_MS
      const found = yield* Effect.forEach(
        some,
        (agent) =>
          Effect.match(look(agent, deadline), {
            onFailure: ({ refusal }) => (refusal.code === "not_found" ? [] : [{ agent, has: undefined }]),
            onSuccess: (has) => [{ agent, has }]
          }),
        { concurrency: AGENTS_PER_PAGE }
      )
      return { found: found.flat(), page: number, pages }
    })

  return {
    mails: (call: Call, paged: Paged): PageAnswer =>
      space.asMember(call, (member) =>
        mail.isThere
          ? Effect.map(
              page(call, member.person.human, paged, ({ id }, deadline) =>
                mail.shownTo(call, member.person.human, id, deadline)
              ),
              (shown) => space.page(call, member, mailPage(space, shown))
            )
          : Effect.succeed(space.goTo(call, OWNER_PATH))
      ),
    vaults: (call: Call, paged: Paged): PageAnswer =>
      space.asMember(call, (member) =>
        Effect.map(
          page(call, member.person.human, paged, ({ id }, deadline) =>
            vaults.shown(call, member.person.human, id, deadline)
          ),
          (shown) => space.page(call, member, vaultPage(space, shown))
        )
      ),
    compartments: (call: Call): PageAnswer =>
      space.asMember(call, (member) =>
        Effect.gen(function* () {
          const { human } = member.person
          const carried = carriedOf(yield* bus.query(call, "sponsored", { human }))
          const ids = carried.map(({ id }) => id)
          const [placed, isOffered] = yield* Effect.all(
            [
              Effect.orElseSucceed(compartments.standing(call, human, ids), () => null),
              Effect.orElseSucceed(compartments.offered(call), () => false)
            ],
            { concurrency: 2 }
          )
          const names = new Map(carried.map(({ id, name }) => [id, name]))
          return space.page(call, member, compartmentsPage(space, { placed, names, isOffered }))
        })
      )
  }
}
