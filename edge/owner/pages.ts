/** The group of endpoints for the owner's space. Its handlers come from several nouns. */
import { Effect } from "effect"
import { OwnerPages } from "../../schemas/human/pages.ts"
import { OwningCompartments } from "../compartment/index.ts"
import {
  People,
  entryPages,
  letterPages,
  passkeyPages,
  settingsPages,
  OwnerSpace,
  type PasswordHashing
} from "../human/index.ts"
import { Sponsoring } from "../sponsorship/index.ts"
import { LaterOwners } from "./later.ts"
import { OwningMail } from "../mail/index.ts"
import { Owning } from "./owning.ts"
import { OwningVault } from "../vault/index.ts"
import { Solving, captchaPages } from "../captcha/index.ts"
import { pagesOf } from "../http/handlers.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { ownedAgentPages } from "./agent.ts"
import { belongingsPages } from "./belongings.ts"
import { homePages } from "./home.ts"
import { laterPages } from "./later-pages.ts"

export const ownerPages = (parts: EdgeParts & { readonly passwords: PasswordHashing }) => {
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
    ...ownedAgentPages(space, { owning, later, mail, vaults, compartments }),
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
