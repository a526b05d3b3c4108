/**
 * JetStream's batched direct get: one request, one message for each stored one, then an end-of-batch status. Any
 * replica may answer, so one that is behind says less than there is, never something wrong.
 */
import type { Msg, NatsConnection } from "@nats-io/transport-node"
import { newInbox } from "./inbox.ts"
import { onRenewal } from "./renewal.ts"

const TIMEOUT_MS = 3000

export interface DirectGetRequest {
  /** The first sequence that counts. */
  readonly seq: number
  /** May hold wildcards. */
  readonly next_by_subj: string
  /** How many messages at most. */
  readonly batch: number
}

/** Resolves when the batch has ended; rejects when it does not end in time (ms) or its connection is lost. */
export const directGet = (
  nats: NatsConnection,
  stream: string,
  request: DirectGetRequest,
  receive: (message: Msg) => void,
  timeout = TIMEOUT_MS
): Promise<void> =>
  new Promise((resolve, reject) => {
    const inbox = newInbox(nats)
    const subscription = nats.subscribe(inbox, {
      callback: (error, message) => {
        const status = message.headers?.code ?? 0
        if (error === null && status === 0) {
          try {
            receive(message)
          } catch (problem) {
            finish(() => reject(problem))
          }
        } else if (error === null && (status === 204 || status === 404)) finish(resolve)
        else
          finish(() =>
            reject(error ?? new Error(`direct get answered ${status} ${message.headers?.description ?? ""}`))
          )
      }
    })
    const fail = (problem: string) => () => finish(() => reject(new Error(problem)))
    const timer = setTimeout(fail("direct get did not answer in time"), timeout)
    const forget = onRenewal(nats, fail("the connection was lost before direct get answered"))
    const finish = (done: () => void) => {
      clearTimeout(timer)
      forget()
      subscription.unsubscribe()
      done()
    }
    nats.publish(`$JS.API.DIRECT.GET.${stream}`, JSON.stringify(request), { reply: inbox })
  })
