import { hiddenContent } from "./reactions.ts"
import { textKind } from "./text.ts"

export const kinds = [textKind]

export const reactions = [hiddenContent]
