import { letterKind } from "./actor.ts"

export const kinds = [letterKind]

export { openLetters, type LetterParts, type Letters } from "./letters.ts"
export { letterIdOf, newLetterId, letterCommit as posting, sealLetter } from "./posting.ts"
export type { TemplateName } from "./templates.ts"
export { CHAT, PUSH, subjectValues } from "./ways.ts"
