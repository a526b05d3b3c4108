/** A hundred thousand agents in a website's process: about sixty megabytes to read, and less to hold while reading. */
import { expect, it } from "vitest"
import { AGENTS, readByAWebsite } from "../support/large-directory.ts"

/** As a text and as objects, the whole document takes more. `npm run bench -- --only verify` measures the growth. */
const WHOLE_BYTES = 180e6

it("never holds the whole document, the buffers of the network included", async () => {
  const seen = await readByAWebsite()
  expect(seen.agents).toBe(AGENTS)
  expect(seen.peak, JSON.stringify(seen)).toBeLessThan(WHOLE_BYTES)
  expect(seen.last, JSON.stringify(seen)).toBeLessThan(WHOLE_BYTES)
})
