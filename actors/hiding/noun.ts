import { hiddenContent } from "./reactions.ts"

export const reactions = [hiddenContent]
