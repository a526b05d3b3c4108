/** The operations of a person's account. */
import type { chattingOperations as chatting } from "../../schemas/chat/operations.ts"
import type { humanOperations } from "../../schemas/human/operations.ts"
import type { pushOperations as pushing } from "../../schemas/push/operations.ts"
import type { reachingOperations as reaching } from "../../schemas/owner/operations.ts"
import type { relayOperations as relaying } from "../../schemas/relay/operations.ts"
import type { sponsoringOperations as sponsoring } from "../../schemas/sponsorship/operations.ts"
import type { Operating } from "../kit/kind.ts"
import type { LetterParts } from "../letter/noun.ts"
import { accountOperations } from "./account.ts"
import { consoleOperations } from "./console.ts"
import { chatOperations } from "./chat/operations.ts"
import { openingOf } from "./opening.ts"
import { passkeyOperations } from "./passkeys.ts"
import { passwordOperations } from "./passwords.ts"
import { pushOperations } from "./push/operations.ts"
import { relayOperations } from "./relay/operations.ts"
import { sessionOperations } from "./sessions.ts"
import { sponsoringOperations } from "./sponsoring.ts"
import type { HumanActor } from "./state.ts"
import { twoStepOperations } from "./two-step.ts"

type Accounts = Omit<typeof humanOperations, "human.spend_bytes">
type Declared = Accounts & typeof sponsoring & typeof reaching & typeof relaying & typeof chatting & typeof pushing

export const operationsWith = (parts: LetterParts): Operating<Declared, HumanActor> => {
  const opening = openingOf(parts)
  return {
    ...accountOperations(parts, opening),
    ...sessionOperations(parts, opening),
    ...consoleOperations(parts, opening),
    ...passwordOperations(parts, opening),
    ...twoStepOperations(parts, opening),
    ...passkeyOperations(parts, opening),
    ...sponsoringOperations(parts, opening),
    ...relayOperations(parts, opening),
    ...chatOperations(parts, opening),
    ...pushOperations(parts, opening)
  }
}
