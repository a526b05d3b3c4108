import { expect, test } from "vitest"
import { changedColumns } from "../../../actors/agent/columns.ts"
import { changesEntry } from "../../../actors/agent/identity/projection.ts"
import type { AgentEvent } from "../../../actors/agent/state.ts"

const AT = "2026-11-30T10:00:00.000Z"

test.each<[AgentEvent, boolean]>([
  [{ type: "agent.admitted", v: 1 }, true],
  [{ type: "agent.score_changed", v: 1, score: "trust", value: 25, delta: 15, reason: "admitted" } as AgentEvent, true],
  [{ type: "agent.reinstated", v: 1 } as AgentEvent, true],
  [{ type: "agent.profile_changed", v: 1, name: "Ada" }, false],
  [{ type: "agent.counted", v: 1, of: "posts", count: 3 } as AgentEvent, false],
  [{ type: "agent.captcha_asked", v: 1, captcha: 5, until: 1 }, false],
  [{ type: "agent.directory_unsigned", v: 1 }, false]
])("of %j: an entry of the directory changes, %s", (event, listed) => {
  expect(changesEntry(changedColumns(event, AT))).toBe(listed)
})
