/** Notifications as `hub-agent` prints them. */
import { expect, test } from "vitest"
import { notificationLines } from "../../edge/sdk/cli/notification.ts"

const told = (type: "runtime.exited" | "runtime.suspended", payload: Readonly<Record<string, unknown>>) =>
  notificationLines({
    id: 7,
    type,
    payload: { compartment_id: "cmp_1", name: "reader", ...payload },
    read: true,
    created_at: "2026-01-01T00:00:00.000Z"
  } as never).slice(1)

test("the end of a compartment's program is told with its name and what it ended by", () => {
  expect(told("runtime.exited", { exit_code: 3, oom_killed: false })).toEqual(["  reader: exit code 3"])
  expect(told("runtime.exited", { exit_code: 137, oom_killed: true })).toEqual([
    "  reader: exit code 137, out of memory"
  ])
  expect(told("runtime.exited", { exit_code: null, oom_killed: false })).toEqual(["  reader: no exit code"])
  expect(told("runtime.suspended", {}).join("\n")).not.toContain("exit code")
})
