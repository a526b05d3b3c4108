/** The questions that a worker asks actors of deliveries and of agents. */
import { type Clock, Effect } from "effect"
import type { Ask } from "../../../schemas/bus/frames.ts"
import { type OperationName, OPERATIONS, type Operations } from "../../../schemas/bus/operations.ts"
import type { Refusal } from "../../../schemas/errors.ts"
import { wallMs } from "../../../schemas/runtime/clock.ts"
import type { Answer } from "../../../schemas/runtime/bus/asker.ts"
import { askSpan, endAnswered } from "../../../schemas/runtime/trace/ask.ts"
import type { Span } from "../../../schemas/runtime/trace/span.ts"

export type Send = (ask: Ask, span?: Span | null) => Promise<Answer>

interface Traced {
  readonly span?: Span | null
  readonly message: { readonly traceparent?: string | undefined }
}

export const ASK_DEADLINE_MS = 10_000

const text = new TextDecoder()

interface Within extends Partial<Traced> {
  /** Unix ms, if somebody waits who gives up then. */
  readonly deadline?: number
}

/** Asks an actor, with a deadline. Fails with the actor's refusal. */
export const asking =
  (clock: Clock.Clock, send: Send) =>
  <Op extends OperationName>(
    id: string,
    op: Op,
    actor: string,
    input: Operations[Op]["input"],
    traced?: Within
  ): Effect.Effect<Operations[Op]["output"], Refusal> => {
    const { kind } = OPERATIONS[op]
    const span = askSpan(traced?.span, kind, op, actor)
    // A delayed attempt has no span of its own, but its timer is part of the commit's trace.
    const traceparent = span?.traceparent ?? traced?.message?.traceparent
    const deadline = Math.min(wallMs(clock) + ASK_DEADLINE_MS, traced?.deadline ?? Number.POSITIVE_INFINITY)
    const ask = { id, kind, actor, op, input, deadline, traceparent }
    return Effect.flatMap(
      Effect.promise(() => send(ask, span)),
      ({ head, body }) => {
        if (span !== null) endAnswered(span, head)
        return head.refused === undefined
          ? Effect.succeed(JSON.parse(text.decode(body)) as Operations[Op]["output"])
          : Effect.fail(head.refused)
      }
    )
  }

export type Asking = ReturnType<typeof asking>
