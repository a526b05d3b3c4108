/**
 * A small image of what lives in compartments: Debian's own packages, and the two users. It is made once a run of tests,
 * as an archive in the run's folder; every engine of a test imports it.
 */
import { existsSync } from "node:fs"
import { readdir, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { DockerTools } from "../../ops/launcher/docker.ts"
import { call } from "../deploy/engine.ts"
import { testFolder, waitFor } from "../harness/index.ts"
import { mkdir } from "node:fs/promises"

export const IMAGE = "hub-test:1"

/** A copy of `id` that runs as its owner, which is root. */
export const SETUID_ID = "/usr/local/bin/setuid-id"

const SUITE = "trixie"
const PACKAGES = "python3,procps"
/** The programs of Debian's release are older than the suite: its newest script knows how. */
const SCRIPT = "/usr/share/debootstrap/scripts/sid"
const LEAN = ["var/cache/apt/archives", "var/lib/apt/lists", "usr/share/doc", "usr/share/man", "usr/share/locale"]

async function makeRoot(tools: DockerTools, root: string): Promise<void> {
  const sites = (await call("apt-get", ["indextargets", "--format", "$(SITE)", "Created-By: Packages"], {})).split("\n")
  const mirror = sites.find((site) => /\/debian\/?$/.test(site))
  const from = mirror === undefined ? [] : [mirror, SCRIPT]
  await call(tools.debootstrap, ["--variant=minbase", `--include=${PACKAGES}`, SUITE, root, ...from], {})
  const user = (id: string, home: string, shell: string, name: string) =>
    call("chroot", [root, "/usr/sbin/useradd", "-u", id, "-d", home, "-s", shell, "-M", name], {})
  await user("1000", "/data", "/bin/bash", "agent")
  await user("1001", "/nonexistent", "/usr/sbin/nologin", "fill")
  // Tells which user it would act as: it is there for who wants to see that it does not become another.
  await call("chroot", [root, "/bin/cp", "/usr/bin/id", SETUID_ID], {})
  await call("chroot", [root, "/bin/chmod", "4755", SETUID_ID], {})
  for (const part of LEAN)
    for (const name of await readdir(join(root, part))) await rm(join(root, part, name), { recursive: true })
}

async function makeArchive(tools: DockerTools, archive: string): Promise<void> {
  const folder = await testFolder("rootfs")
  try {
    await makeRoot(tools, join(folder, "root"))
    await call("tar", ["-C", join(folder, "root"), "-cf", join(folder, "image.tar"), "."], {})
    await rename(join(folder, "image.tar"), archive)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Whoever makes the folder makes the archive; the others wait for it. */
export async function imageArchive(tools: DockerTools): Promise<string> {
  const run = process.env["HUB_TEST_FOLDER"] ?? (await testFolder("image"))
  const archive = join(run, "compartment-image", "image.tar")
  const mine = await mkdir(dirname(archive)).then(
    () => true,
    () => false
  )
  if (!mine) {
    await waitFor(() => existsSync(archive) || !existsSync(dirname(archive)), { describe: "the image of another test" })
    return existsSync(archive) ? archive : imageArchive(tools)
  }
  try {
    await makeArchive(tools, archive)
    return archive
  } catch (cause) {
    await rm(dirname(archive), { recursive: true, force: true })
    throw cause
  }
}
