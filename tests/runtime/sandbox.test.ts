/** gVisor is offered where it runs something; a `runsc` that is only installed would keep every compartment from starting. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { settingsOf } from "../../ops/runtime/own-engine.ts"
import { testFolder } from "../harness/index.ts"

const tried = async (script: string) => {
  const folder = await testFolder("sandbox")
  await writeFile(join(folder, "runsc"), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const told: Array<string> = []
  const settings = await settingsOf({ PATH: `${folder}:/usr/bin:/bin` }, (line) => told.push(line))
  return { settings, told, path: join(folder, "runsc") }
}

test("one that runs a program is offered, with the way to the host's FIFOs", async () => {
  const { settings, told, path } = await tried('[ "$1" = do ] && shift && exec "$@"')
  expect(settings).toEqual({ runtimes: { runsc: { path, runtimeArgs: ["--host-fifo=open"] } } })
  expect(told).toEqual([])
})

test("one that runs nothing is not, and its last words are told", async () => {
  const { settings, told } = await tried('echo first >&2; echo "cannot run with network enabled" >&2; exit 128')
  expect(settings).toEqual({})
  expect(told).toEqual([
    "runsc is installed, but runs nothing on this machine (cannot run with network enabled): compartments get runc"
  ])
})

test("nor is one that is not there", async () => {
  expect(await settingsOf({ PATH: "/nonexistent" }, () => undefined)).toEqual({})
})
