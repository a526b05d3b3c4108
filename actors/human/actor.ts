/** The actor of a person's account: id = `hum_…`. schemas/human/operations.ts declares its operations. */
import { chattingOperations as chatting } from "../../schemas/chat/operations.ts"
import { humanOperations as accounts } from "../../schemas/human/operations.ts"
import { requestOperations as requests } from "../../schemas/idempotency/operations.ts"
import { pushOperations as pushing } from "../../schemas/push/operations.ts"
import { reachingOperations as reaching } from "../../schemas/owner/operations.ts"
import { relayOperations as relaying } from "../../schemas/relay/operations.ts"
import { sponsoringOperations as sponsoring } from "../../schemas/sponsorship/operations.ts"
import { type Fold, kind } from "../kit/kind.ts"
import type { LetterParts } from "../letter/noun.ts"
import { newDayBytes, logBytesMeter } from "../limit/noun.ts"
import { bytesOperations, METERED } from "./bytes.ts"
import { evolveHuman } from "./evolve.ts"
import { operationsWith } from "./operations.ts"
import { DIGEST_TIMER } from "./relay/decide.ts"
import { seenSince } from "./since-restore.ts"
import { personsRequests } from "./requests.ts"
import { type HumanActor, HumanEvent, type HumanMemory, HumanState } from "./state.ts"

const humanFold: Fold<HumanActor> = {
  kind: "human",
  state: HumanState,
  initial: null,
  events: HumanEvent,
  evolve: evolveHuman
}

export const humanKind = kind(
  humanFold,
  { ...accounts, ...requests, ...sponsoring, ...reaching, ...relaying, ...chatting, ...pushing },
  (parts: LetterParts) => {
    const meter = logBytesMeter(parts.clock, parts.nats, parts.config.limits)
    return {
      onTimer: { [DIGEST_TIMER]: "human.digest" },
      memory: (): HumanMemory => ({
        underWay: new Map(),
        logBytes: newDayBytes(),
        answerBytes: newDayBytes()
      }),
      meter,
      metered: METERED,
      seenSince: seenSince(parts.config.limits.limits.owner),
      operations: { ...operationsWith(parts), ...personsRequests(parts), ...bytesOperations(meter) }
    }
  }
)
