/** Every program of the library's entries, run against a real service in each language that this machine has. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { actingSamples } from "./acting.ts"
import { listeningSamples } from "./listening.ts"
import { closePrograms, openPrograms, unused } from "./programs.ts"
import { signingSamples } from "./signing.ts"

beforeAll(openPrograms)
afterAll(closePrograms)

describe("signing", signingSamples)
describe("listening", listeningSamples)
describe("acting", actingSamples)

test("none was left out", () => {
  expect(unused()).toEqual([])
})
