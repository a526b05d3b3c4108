/** Every actor kind of the service, noun by noun. */
import { partsOf } from "../../schemas/noun.ts"
import type { Kind } from "../kit/kind.ts"
import type { LetterParts } from "../letter/noun.ts"
import type { MailParts } from "../mail/noun.ts"
import type { RegistrationParts } from "../registration/noun.ts"
import * as nouns from "./nouns.ts"

export type NodeParts = LetterParts & MailParts & RegistrationParts

export type NodeKind = Kind<NodeParts>

export const KINDS: ReadonlyArray<NodeKind> = partsOf(nouns, "kinds").flat()
