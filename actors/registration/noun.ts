import { challengeKind } from "./actor.ts"

export const kinds = [challengeKind]

export type { RegistrationParts } from "./actor.ts"
export { newAgent } from "./new-agent.ts"
export type { Bank } from "./questions/bank/bank.ts"
export { readBank } from "./questions/bank/own.ts"
export { bankProblem } from "./questions/bank/wanted.ts"
