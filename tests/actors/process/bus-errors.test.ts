/** Errors of the server on a connection, as lines of the log. */
import { PermissionViolationError } from "@nats-io/transport-node"
import { expect, test } from "vitest"
import { busErrorLine } from "../../../actors/process/bus-errors.ts"

const violation = (text: string): Error => {
  const error = PermissionViolationError.parse(text)
  if (error === null) throw new Error("no violation of a permission")
  return error
}

test("an answer that comes too late is one short line, and every other denial a fault", () => {
  const late = violation('Permissions Violation for Publish to "_INBOX.operator.abc.7"')
  expect(busErrorLine(late)).toEqual(["warn", { message: "an answer came too late, and the server did not take it" }])
  const others = [
    violation('Permissions Violation for Publish to "hub.vaultkey.x"'),
    violation('Permissions Violation for Subscription to "_INBOX.operator.>"'),
    new Error("stale connection")
  ]
  for (const error of others) expect(busErrorLine(error)).toEqual(["error", { error }])
})
