import { textKind } from "./text.ts"

export const kinds = [textKind]
