import { mailDomainKind } from "./actor.ts"
import { mailDomainHolderKind } from "./holder/actor.ts"
import { domainMailboxesGo, domainsGo, toldOfDomains } from "./reactions.ts"

export const kinds = [mailDomainKind, mailDomainHolderKind]

export const reactions = [toldOfDomains, domainMailboxesGo, domainsGo]
