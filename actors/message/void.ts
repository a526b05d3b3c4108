import { subjects } from "../../schemas/subjects.ts"
import type { AppendResult, EventLog } from "../log/commit.ts"
import type { MessageEvent } from "./state.ts"

const VOIDED: MessageEvent = { type: "message.voided", v: 1 }

/** Gives a number up, unless a message has it. A conflict means that the log already has a commit for the number. */
export const voidNumber = (log: Pick<EventLog, "append">, id: string, at: number): Promise<AppendResult> => {
  const commit = { v: 1, id: `gap-${id}`, op: "message.void", at, events: [VOIDED] } as const
  return log.append([{ subject: subjects.event("message", id), expected: 0, commit }])
}
