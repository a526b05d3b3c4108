import { mailDomainKind } from "./actor.ts"
import { mailDomainHolderKind } from "./holder/actor.ts"
import { domainMailboxesGo, domainsGo, domainNotifications } from "./reactions.ts"

export const kinds = [mailDomainKind, mailDomainHolderKind]

export const reactions = [domainNotifications, domainMailboxesGo, domainsGo]
