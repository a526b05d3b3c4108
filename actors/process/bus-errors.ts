/** Errors that the server reports on a connection, as lines of the log. */
import { PermissionViolationError } from "@nats-io/transport-node"
import type { Fields } from "../../schemas/runtime/log/log.ts"

/** Inboxes begin with this. A user may publish to one only as an answer, and only for a while (roles.conf). */
const INBOX = "_INBOX."

const isLateAnswer = (error: unknown): boolean =>
  error instanceof PermissionViolationError && error.operation === "publish" && error.subject.startsWith(INBOX)

/**
 * An answer after its time is no fault: the process was frozen, and its asker has gone. If there are many, the server may
 * give this user no permission to answer. Any other permission that the server denies is a fault of the deployment.
 */
export const busErrorLine = (error: Error): readonly [level: "warn" | "error", fields: Fields] =>
  isLateAnswer(error)
    ? ["warn", { message: "an answer came too late, and the server did not take it" }]
    : ["error", { error }]
