/**
 * Summaries of mail for notifications. The tables have only a mail's number, so processes that have the keys are asked.
 */
import { Effect } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Refusal } from "../../schemas/errors.ts"
import { QueryRefused } from "../queries/refused.ts"
import type { MailsOf } from "../queries/serve.ts"

type AskMails = (mails: ReadonlyArray<number>) => Effect.Effect<Queries["mail_summaries"]["output"], Refusal>

export const mailsBy =
  (ask: AskMails): MailsOf =>
  async (mails) => {
    if (mails.length === 0) return new Map()
    const found = await Effect.runPromise(Effect.result(ask([...new Set(mails)])))
    if (found._tag === "Failure") throw new QueryRefused(found.failure)
    return new Map(found.success.map(({ id, told }) => [id, told]))
  }
