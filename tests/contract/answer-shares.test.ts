/** The number of owners that it takes to push out others' answers under Idempotency-Keys. */
import { describe, expect, test } from "vitest"
import { answerBytesOf, answersMaxBytes, isNewcomer, newcomersMaxBytes } from "../../schemas/idempotency/share.ts"
import { LIMITS } from "../../schemas/limits.ts"

const MIB = 1_048_576
/** Requests of 0.8 KB, a handful a day. */
const FEW_BYTES = 16_384

describe.each([1, 64, 4096, LIMITS.service.agents, 1_000_000])("an installation for %i agents", (agents) => {
  const limits = { ...LIMITS, service: { ...LIMITS.service, agents } }
  const size = answersMaxBytes(limits.service)

  test("has a stream of 64 MiB at least, and room for each", () => {
    expect(size).toBeGreaterThanOrEqual(Math.max(64 * MIB, agents * LIMITS.service.idempotency_bytes_per_agent))
  })

  test.each([
    ["established", 128],
    ["new_agent", 256],
    ["unverified", 2048]
  ] as const)("is filled by no fewer than its number of owners: %s, %i", (sort, owners) => {
    const bytes = answerBytesOf(sort, limits)
    expect(bytes * owners).toBeLessThanOrEqual(isNewcomer(sort) ? newcomersMaxBytes(limits.service) : size)
    expect(bytes).toBeLessThanOrEqual(2 * MIB)
    expect(bytes).toBeGreaterThanOrEqual(FEW_BYTES)
  })
})
