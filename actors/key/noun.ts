import { keyKind } from "./actor.ts"

export const kinds = [keyKind]

export { keyFold, type KeyEvent } from "./actor.ts"
