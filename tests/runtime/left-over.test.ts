/** A run that is killed leaves a network and a folder. The next one ends them. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { tagOf } from "../../actors/runtime/network/tag.ts"
import { leftTestFolders } from "../../ops/launcher/test-folder.ts"
import { ensurePrograms } from "../../ops/runtime/programs.ts"
import { endLeftOver } from "../harness/left-over.ts"
import { sh } from "./namespaces.ts"

test("what a killed run has left ends with the next one, and nothing of a run that lives", async () => {
  await ensurePrograms({ env: process.env, progress: () => undefined })
  const child = fork(join(import.meta.dirname, "left-child.ts"), [], { execArgv: ["--no-warnings"] })
  const [run] = (await once(child, "message")) as [string]
  const tag = tagOf(join(run, "network-left"))
  const devices = async (): Promise<ReadonlyArray<string>> =>
    (await sh("ip", "-brief", "link")).split("\n").filter((line) => line.includes(`hb${tag}`))
  expect(await leftTestFolders()).not.toContain(run)
  await endLeftOver()
  expect([existsSync(run), (await devices()).length > 0]).toEqual([true, true])

  const gone = once(child, "exit")
  child.kill("SIGKILL")
  await gone
  expect(await leftTestFolders()).toContain(run)
  await endLeftOver()
  expect([existsSync(run), await devices(), await sh("nft", "list", "tables")]).toEqual([
    false,
    [],
    expect.not.stringContaining(tag)
  ])
})
