/** The code that a snapshot depends on: a kind's fold, and nothing of its decisions. */
import { expect, test } from "vitest"
import { foldCode } from "../../../ops/contracts/folds.ts"

const filesIn = (code: string): ReadonlyArray<string> =>
  [...code.matchAll(/^\/\/ (\S+\.ts)$/gm)].map(([, file = ""]) => file)

test("the agent's fold is its state alone: other changes of its aspects leave snapshots as they are", async () => {
  const files = filesIn(await foldCode("agent"))
  expect(files).toEqual(expect.arrayContaining(["actors/agent/evolve.ts", "actors/agent/block/state.ts"]))
  const others = files.filter((file) => file.startsWith("actors/agent/") && !/\/(actor|evolve|states?)\.ts$/.test(file))
  expect([others, files.filter((file) => file.startsWith("schemas/bus/"))]).toEqual([[], []])
})
