/** `err_code` of JetStream's refusals, as its server lists them (server/errors.json of nats-server). */
import { JetStreamApiError } from "@nats-io/jetstream"

export const STREAM_NOT_FOUND = 10059
export const CONSUMER_NOT_FOUND = 10014
/** No message has this sequence: it was deleted, or never existed. */
export const SEQUENCE_NOT_FOUND = 10043
/** Any fault of deleting a message. Only its text tells whether the message was gone already. */
export const MESSAGE_DELETE_FAILED = 10057
/** The expected last sequence of the stream or the subject was wrong. */
export const WRONG_LAST_SEQUENCE = 10071
/** The same error inside an atomic batch. */
export const WRONG_LAST_SEQUENCE_IN_BATCH = 10164
/**
 * The stream has no leader, or another one than when the batch began. Nothing was written, and a later try may succeed.
 */
export const INCOMPLETE_BATCH = 10176
/**
 * The server's store, the account's limit, or the disk is full. Nothing was written, and an early retry would fail too.
 */
export const NO_ROOM: ReadonlySet<number> = new Set([10002, 10023, 10047])
/** Any fault of the store. Only its text tells whether the disk is full. */
export const STORE_FAILED = 10077

export const isMissing = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND
