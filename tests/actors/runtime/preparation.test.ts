/** A host that is being prepared is so only while the process lives that prepares it. */
import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { holdHost } from "../../../actors/runtime/holding.ts"
import { preparation } from "../../../actors/runtime/preparation.ts"
import { waitFor } from "../../harness/index.ts"

test("a preparation that was killed is not under way", async () => {
  const folder = await mkdtemp(join(process.env["HUB_TEST_FOLDER"] ?? tmpdir(), "preparation-"))
  const says = (stage: string, problem: string | null): Promise<void> =>
    writeFile(join(folder, "prepare.json"), JSON.stringify({ stage, problem }))
  expect(await preparation(folder)).toBeNull()
  const letGo = await holdHost(folder, "preparation")
  await says("image", null)
  expect(await preparation(folder)).toEqual({ reason: "it is being prepared: image", underWay: true })
  letGo()
  const killed = { reason: "its preparation ended early: image", underWay: false }
  await waitFor(async () => (await preparation(folder))?.underWay === false, { describe: "nobody who prepares" })
  expect(await preparation(folder)).toEqual(killed)
  await says("image", "no room")
  expect(await preparation(folder)).toEqual({ reason: "no room", underWay: false })
  await says("ready", null)
  expect(await preparation(folder)).toBeNull()
})
