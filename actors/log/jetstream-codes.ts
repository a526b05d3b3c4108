/** `err_code` of JetStream's refusals, as its server lists them (server/errors.json of nats-server). */
import { JetStreamApiError } from "@nats-io/jetstream"

export const STREAM_NOT_FOUND = 10059
export const CONSUMER_NOT_FOUND = 10014
/** No message has the sequence: it was deleted, or never there. */
export const SEQUENCE_NOT_FOUND = 10043
/** Any fault of deleting a message: only its text tells whether it was not there any more. */
export const MESSAGE_DELETE_FAILED = 10057
/** The expected last sequence, of the stream or of the subject, was another. */
export const WRONG_LAST_SEQUENCE = 10071
/** The same, inside an atomic batch. */
export const WRONG_LAST_SEQUENCE_IN_BATCH = 10164
/** No leader, or not the one that had the batch's beginning: nothing was written, and it may go better soon. */
export const INCOMPLETE_BATCH = 10176
/** The server's store, the account's or the disk is full: nothing was written, and it will not go better soon. */
export const NO_ROOM: ReadonlySet<number> = new Set([10002, 10023, 10047])
/** Any fault of the store: only its text tells whether it is for want of room. */
export const STORE_FAILED = 10077

export const isMissing = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND
