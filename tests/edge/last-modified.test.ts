/** Times of change in whole seconds: none is told that may still mean something else. */
import { expect, it } from "vitest"
import type { Call } from "../../edge/http/call.ts"
import { isUnchanged, lastModified, SETTLED_SECONDS } from "../../edge/http/last-modified.ts"

const AT = Date.UTC(2026, 0, 1, 10, 0, 0)

it.each([
  ["long ago", AT + 999, AT + 3_600_000, "Thu, 01 Jan 2026 10:00:00 GMT"],
  ["as long ago as must be", AT, AT + SETTLED_SECONDS * 1000, "Thu, 01 Jan 2026 10:00:00 GMT"],
  ["a moment ago", AT, AT + SETTLED_SECONDS * 1000 - 1, "Thu, 01 Jan 2026 09:59:59 GMT"],
  ["by a clock that is ahead", AT + 60_000, AT, "Thu, 01 Jan 2026 09:59:55 GMT"]
])("what changed %s", (_when, changed, now, told) => {
  expect(lastModified(changed, now)).toBe(told)
})

it.each<[tag: string | undefined, since: string | undefined, unchanged: boolean]>([
  [undefined, undefined, false],
  [undefined, lastModified(AT, AT + 10_000), true],
  [undefined, lastModified(AT + 1000, AT + 10_000), false],
  [undefined, lastModified(AT - 1000, AT + 10_000), false],
  ['"a"', undefined, true],
  ['W/"a", "b"', undefined, true],
  ["*", undefined, true],
  ['"b"', lastModified(AT, AT + 10_000), false]
])("a client that has %s and %s", (tag, since, unchanged) => {
  const headers: Readonly<Record<string, string | undefined>> = { "if-none-match": tag, "if-modified-since": since }
  const call = { header: (name: string) => headers[name] } as unknown as Call
  expect(isUnchanged(call, '"a"', lastModified(AT, AT + 10_000))).toBe(unchanged)
})
