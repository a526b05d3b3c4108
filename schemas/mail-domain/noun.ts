import { domainOperations, holderOperations } from "./operations.ts"

export { MailDomainApi as api } from "./api.ts"

export const operations = { ...holderOperations, ...domainOperations }
