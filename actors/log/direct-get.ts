/**
 * JetStream's direct gets, of a subject's newest message or of a batch: one message for each stored one, then an
 * end-of-batch status. Any replica may answer, also one that is behind.
 */
import type { Msg, NatsConnection } from "@nats-io/transport-node"
import { requestsOf } from "./requests.ts"

const TIMEOUT_MS = 3000
const END_OF_BATCH = 204
const NOTHING_FOUND = 404

/** From a sequence on, or from a time of the server on (ISO). */
type DirectGetFrom = { readonly seq: number } | { readonly start_time: string }

export type DirectGetRequest = DirectGetFrom & {
  /** A subject that may contain wildcards. */
  readonly next_by_subj: string
  readonly batch: number
}

/** True if the batch has ended. Throws if the request was refused. */
const ends = ({ headers }: Msg): boolean => {
  const status = headers?.code ?? 0
  if (status === 0) return false
  if (status === END_OF_BATCH || status === NOTHING_FOUND) return true
  throw new Error(`direct get answered ${status} ${headers?.description ?? ""}`)
}

const SILENCE = "direct get did not answer in time, or its connection was lost"

/**
 * The newest message of a subject that the answering replica has; `null` if there is none. Rejects if no answer comes
 * within the timeout (ms).
 */
export const directLast = async (
  nats: NatsConnection,
  stream: string,
  subject: string,
  timeout: number
): Promise<Msg | null> => {
  const wanted = JSON.stringify({ last_by_subj: subject })
  const message = await requestsOf(nats).request(`$JS.API.DIRECT.GET.${stream}`, wanted, timeout)
  if (message === null) throw new Error(SILENCE)
  return ends(message) ? null : message
}

/**
 * Resolves when the batch has ended. Rejects if it does not end within the timeout (ms), or if the connection is lost.
 */
export const directGet = (
  nats: NatsConnection,
  stream: string,
  request: DirectGetRequest,
  receive: (message: Msg) => void,
  timeout = TIMEOUT_MS
): Promise<void> =>
  new Promise((resolve, reject) => {
    const requests = requestsOf(nats)
    const subject = `$JS.API.DIRECT.GET.${stream}`
    const number = requests.send(subject, JSON.stringify(request), timeout, (message) => {
      if (message === null) return reject(new Error(SILENCE))
      try {
        if (!ends(message)) return receive(message)
        resolve()
      } catch (problem) {
        reject(problem)
      }
      requests.forget(number)
    })
  })
