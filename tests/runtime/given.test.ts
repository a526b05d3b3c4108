/** The first process of a container gets its program's command and environment through a FIFO, twice at most. */
import { execFileSync } from "node:child_process"
import { constants } from "node:fs"
import { access, open } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { deliver, encodeGiven } from "../../actors/runtime/host/given.ts"
import { testFolder } from "../harness/index.ts"

const GIVEN = encodeGiven({ command: "sleep 600", env: new Map([["NAME", "value"]]) })

test("who holds the FIFO open, as if it were a first process that asks again and again, is refused", async () => {
  const path = join(await testFolder("given"), "env")
  execFileSync("mkfifo", [path])
  const held = await open(path, constants.O_RDWR | constants.O_NONBLOCK)
  let asked = 0
  const before = async (): Promise<void> => void asked++
  try {
    await expect(deliver(path, GIVEN, { before, gone: async () => false })).rejects.toThrow(/again and again/)
    const { buffer, bytesRead } = await held.read(Buffer.alloc(4 * GIVEN.length))
    expect(buffer.subarray(0, bytesRead)).toEqual(Buffer.concat([GIVEN, GIVEN]))
  } finally {
    await held.close()
  }
  expect(asked).toBe(2)
  await expect(access(path)).rejects.toThrow("ENOENT")
})
