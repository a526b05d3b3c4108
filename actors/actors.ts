/** Every actor kind of the service, noun by noun. */
import { partsOf } from "../schemas/noun.ts"
import type { Kind } from "./kind.ts"
import * as nouns from "./nouns.ts"

export const KINDS: ReadonlyArray<Kind> = partsOf(nouns, "kinds").flat()
