/** The volume of a compartment, as far as it needs no file system of its own. */
import { symlink } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { usedOf } from "../../../actors/runtime/host/volume.ts"
import { testFolder } from "../../harness/index.ts"

test("a mount is recognized behind a symbolic link, and nothing else is taken for one", async () => {
  const folder = await testFolder("volume")
  const image = join(folder, "data.img")
  // The kernel's own file system is mounted on every machine that lists its mounts.
  await symlink("/", join(folder, "link"))
  expect(await usedOf({ image, mount: join(folder, "link", "proc") })).toEqual({ used_mb: expect.any(Number) })
  expect(await usedOf({ image, mount: join(folder, "proc") })).toBeNull()
  expect(await usedOf({ image, mount: join(folder, "missing", "proc") })).toBeNull()
})
