/** The owner's space: its pages, and what handles each. */
import { Effect } from "effect"
import { OwnerPages } from "../../schemas/human/pages.ts"
import { OwningCompartments } from "../compartment/index.ts"
import { People, Sponsoring } from "../human/index.ts"
import { pagesOf } from "../http/handlers.ts"
import type { RouteParts } from "../routes/parts.ts"
import { LaterOwners, OwningMail, Owning, OwningVault } from "./index.ts"
import { Solving } from "../captcha/index.ts"
import { agentPages } from "./agent.ts"
import { belongingsPages } from "./belongings.ts"
import { captchaPages } from "../captcha/pages.ts"
import { entryPages } from "../human/entry.ts"
import { homePages } from "./home.ts"
import { laterPages } from "./later-pages.ts"
import { letterPages } from "../human/letters.ts"
import { passkeyPages } from "../human/passkey-pages.ts"
import { settingsPages } from "../human/settings.ts"
import { OwnerSpace } from "../human/space.ts"

export const ownerPages = (parts: RouteParts) => {
  const { bus } = parts
  const space = new OwnerSpace(parts)
  const people = new People(parts)
  const [owning, later, vaults] = [new Owning(parts), new LaterOwners(parts), new OwningVault(parts)]
  const mail = new OwningMail(parts)
  const compartments = new OwningCompartments(bus, parts.config.hub.limits)
  return pagesOf(OwnerPages, {
    ...entryPages(space, people),
    ...letterPages(space, people, bus),
    ...settingsPages(space, people, bus),
    ...passkeyPages(space, parts),
    ...homePages(space, { sponsoring: new Sponsoring(parts), bus, vaults, later, compartments }),
    ...agentPages(space, { owning, later, mail, vaults, compartments }),
    ...belongingsPages(space, { bus, mail, vaults, compartments }),
    ...laterPages(space, owning, later),
    ...captchaPages(space, new Solving(parts), bus),
    logOut: (call, { form }) =>
      space.asMember(call, (member) =>
        Effect.gen(function* () {
          yield* space.taken(call, member, "logout", form)
          const { human, token } = member.person
          yield* bus.ask(call, { actor: human, op: "human.close_session", input: { token } })
          space.forget(call)
          return space.goTo(call, "/owner/login", "logged_out")
        })
      )
  })
}
