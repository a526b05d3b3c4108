/** Finding Chromium and installing it, with programs in apt's and Chromium's place. */
import { chmod, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { findChromium, findHeadlessChromium } from "../../ops/launcher/chromium.ts"
import type { DebianOptions } from "../../ops/launcher/debian.ts"
import { testFolder, waitFor } from "../harness/index.ts"

const DOWNLOAD = "-q install -y --no-install-recommends --download-only chromium"
const UPDATE = "-q update"
const UNPACK = "-q install -y --no-install-recommends chromium"
const LOCKED = "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1 (apt-get)"

let folder: string
let told: Array<string>

beforeEach(async () => {
  folder = await testFolder("chromium")
  told = []
  await writeFile(join(folder, "os-release"), 'PRETTY_NAME="Debian GNU/Linux"\nID=debian\n')
})

async function program(name: string, lines: ReadonlyArray<string>): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, `#!/bin/sh\n${lines.join("\n")}\n`)
  await chmod(file, 0o755)
  return file
}

const chromium = (name = "chromium"): Promise<string> =>
  program(name, ['echo "Chromium 150.0.7871.100 built on Debian"'])

/** An apt-get that notes how it is called, does what the test says, and in the end installs. */
async function apt(...behaviour: ReadonlyArray<string>): Promise<void> {
  const kept = await chromium("kept-program")
  await program("apt-get", [
    "PATH=/usr/bin:/bin",
    `cd ${folder}`,
    'echo "$*" >> calls',
    "count=$(wc -l < calls)",
    ...behaviour,
    `[ "$*" = "${UNPACK}" ] && cp ${kept} chromium`,
    "exit 0"
  ])
}

const calls = async (): Promise<ReadonlyArray<string>> =>
  (await readFile(join(folder, "calls"), "utf8").catch(() => "")).split("\n").filter((line) => line !== "")

const find = (more: Partial<DebianOptions> = {}): Promise<string> =>
  findChromium({
    env: { PATH: folder },
    progress: (line) => told.push(line),
    mayInstall: true,
    osRelease: join(folder, "os-release"),
    lockPauseMs: 1,
    ...more
  })

describe("Chromium is looked for", () => {
  it.each(["chromium", "chromium-browser", "google-chrome"])("as %s on PATH", async (name) => {
    expect(await find({ env: { PATH: `${join(folder, "none")}:${folder}` } }).catch(String)).toMatch(/LaunchFault/)
    expect(await chromium(name)).toBe(await find())
  })

  it("where HUB_CHROMIUM says, before anything else", async () => {
    await chromium()
    const named = await chromium("mine")
    expect(await find({ env: { PATH: folder, HUB_CHROMIUM: named } })).toBe(named)
  })

  it("and a name that is no Chromium is refused", async () => {
    await chromium()
    const other = await program("other", ["echo hello"])
    for (const named of [other, join(folder, "nothing"), folder]) {
      await expect(find({ env: { PATH: folder, HUB_CHROMIUM: named } })).rejects.toThrow(
        `HUB_CHROMIUM names ${named}, which does not run as Chromium`
      )
    }
  })

  it("past programs of its name that only say where to get it", async () => {
    await program("chromium", ['echo "requires the chromium snap to be installed" >&2', "exit 1"])
    const real = await chromium("google-chrome")
    expect(await find()).toBe(real)
  })
})

describe("tests of pages", () => {
  const headless = (more: Partial<DebianOptions> = {}): Promise<string> =>
    findHeadlessChromium({
      env: { PATH: folder },
      progress: (line) => told.push(line),
      mayInstall: true,
      osRelease: join(folder, "os-release"),
      ...more
    })

  it("take the shell without windows", async () => {
    await chromium()
    const shell = await chromium("chromium-headless-shell")
    expect(await headless()).toBe(shell)
    expect(await find()).toBe(join(folder, "chromium"))
  })

  it("take what HUB_CHROMIUM names", async () => {
    await chromium("chromium-headless-shell")
    const named = await chromium("mine")
    expect(await headless({ env: { PATH: folder, HUB_CHROMIUM: named } })).toBe(named)
  })

  it("take a whole one where the shell cannot be installed", async () => {
    await apt("exit 100")
    const whole = await chromium()
    expect(await headless({ mayInstall: false })).toBe(whole)
    expect(await headless()).toBe(whole)
    expect((await calls())[0]).toBe(`${DOWNLOAD}-headless-shell`)
  })
})

describe("where there is none", () => {
  it("it is installed: downloaded, then unpacked", async () => {
    await apt()
    expect(await find()).toBe(join(folder, "chromium"))
    expect(await calls()).toEqual([DOWNLOAD, UNPACK])
    expect(told).toEqual([expect.stringMatching(/^installing the Debian package chromium/)])
  })

  it("the lists are fetched when it does not go without", async () => {
    await apt('if [ "$count" = 1 ]; then echo "E: Unable to locate package chromium" >&2; exit 100; fi')
    await find()
    expect(await calls()).toEqual([DOWNLOAD, UPDATE, DOWNLOAD, UNPACK])
  })

  it("another apt is waited for, at every step", async () => {
    await apt(`if [ $((count % 2)) = 1 ]; then echo "${LOCKED}" >&2; exit 100; fi`)
    await find()
    expect(await calls()).toEqual([DOWNLOAD, DOWNLOAD, UNPACK, UNPACK])
    expect(told.slice(1)).toEqual(Array(2).fill("waiting for another program that installs packages"))
  })

  it("another apt is not waited for for ever", async () => {
    await apt(`echo "${LOCKED}" >&2`, "exit 100")
    await expect(find({ lockWaitMs: 0 })).rejects.toThrow(
      /^Chromium could not be installed \(Could not get lock .*\); install Chromium .* or set HUB_CHROMIUM/
    )
  })

  it("what apt says against it is told in one line", async () => {
    await apt('echo "Reading package lists..."', 'echo "E: No space left\nE: And more" >&2', "exit 100")
    const fault = await find().catch(String)
    expect(fault).toBe(
      "LaunchFault: Chromium could not be installed (No space left); install Chromium " +
        "(on Debian, as root: apt-get install chromium) or set HUB_CHROMIUM to its program"
    )
    expect(await calls()).toEqual([DOWNLOAD, UPDATE])
  })

  it("whoever may not install is told what to do", async () => {
    await apt()
    await expect(find({ mayInstall: false })).rejects.toThrow("only root can install")
    expect(await calls()).toEqual([])
  })

  it.each(["ID=ubuntu\nID_LIKE=debian\n", ""])(
    "nothing is installed on a system that is not Debian: %j",
    async (release) => {
      await apt()
      await writeFile(join(folder, "os-release"), release)
      await expect(find()).rejects.toThrow(/^the tests of the pages need Chromium; install Chromium/)
      expect(await calls()).toEqual([])
    }
  )

  it("a download ends when it is no longer wanted", async () => {
    await apt("exec sleep 60")
    const control = new AbortController()
    const found = find({ signal: control.signal }).catch(String)
    await waitFor(async () => (await calls()).length === 1, { describe: "apt's first call" })
    control.abort()
    expect(await found).toContain("(interrupted)")
    expect(await calls()).toEqual([DOWNLOAD])
  })
})
