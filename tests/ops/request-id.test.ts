/** Ids of requests say when the request came. */
import { expect, test } from "vitest"
import { newRequestId, timeOfRequest } from "../../schemas/request-id.ts"

test.each([0, 1, 1_795_851_519_777, 2 ** 48 - 1])("the time %d stands in a UUID of version 7", (at) => {
  const id = newRequestId(at)
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(timeOfRequest(id)).toBe(at)
})

test("two of one moment differ, and later ones sort behind earlier ones", () => {
  const ids = Array.from({ length: 1000 }, () => newRequestId(1_795_851_519_777))
  expect(new Set(ids).size).toBe(1000)
  expect(newRequestId(1_795_851_519_778) > (ids.toSorted().at(-1) ?? "")).toBe(true)
})

test.each(["operator-grace-0123456789abcdef01234567", "3f0a7e0c-8d0f-4f4e-9b1a-2c9d1a1f8d11", ""])(
  "%s says no time",
  (id) => {
    expect(timeOfRequest(id)).toBeNull()
  }
)
