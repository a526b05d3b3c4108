/**
 * The scanners of Debian (clamd, Rspamd) say of a message what this service makes of it. They are installed where they are
 * missing; of viruses clamd knows one, by a database made here, and nothing is asked of the world.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Scan, scanBy } from "../../actors/mail/scan/scan.ts"
import { installPackages } from "../../ops/launcher/debian.ts"
import { findProgram } from "../../ops/launcher/docker.ts"
import { drawPort } from "../../ops/launcher/ports.ts"
import { message } from "../support/mail.ts"
import { EICAR, GTUBE } from "../support/scanners.ts"
import { waitFor } from "../harness/index.ts"

const PROGRAMS: ReadonlyArray<readonly [program: string, from: string]> = [
  ["clamd", "clamav-daemon"],
  ["rspamd", "rspamd"]
]
const BOUNDS = { scan_ms: 60_000, scans_at_once: 4, scans_waiting_max: 4 }
const TO = "ada@mail.hub.example"
const EVERYBODY = 0o777

const children: Array<ChildProcess> = []
let folder: string
let clamdPort: number
let rspamdPort: number
let scan: Scan

const installed = async (): Promise<void> => {
  const { env } = process
  const missing: Array<string> = []
  for (const [program, from] of PROGRAMS) if ((await findProgram(program, env)) === undefined) missing.push(from)
  if (missing.length === 0) return
  await installPackages(
    {
      packages: missing,
      what: "scanners of mail",
      purpose: "the campaign of mail's scanners",
      remark: "about 15 MB, once",
      hint: `install them (on Debian, as root: apt-get install ${missing.join(" ")})`
    },
    { env, progress: (line) => console.error(line) }
  )
}

const isRoot = process.getuid?.() === 0

const started = async (program: string, args: ReadonlyArray<string>): Promise<void> => {
  const path = await findProgram(program, process.env)
  children.push(spawn(path ?? program, [...args], { cwd: folder, stdio: "ignore" }))
}

/** A line of a database of hashes (.hdb): md5, size, name. */
const signature = `${createHash("md5").update(EICAR).digest("hex")}:${EICAR.length}:Eicar-Test\n`

const startClamd = async (): Promise<void> => {
  await mkdir(join(folder, "signatures"))
  await writeFile(join(folder, "signatures", "test.hdb"), signature)
  const lines = [
    "Foreground yes",
    `TCPSocket ${clamdPort}`,
    "TCPAddr 127.0.0.1",
    `DatabaseDirectory ${join(folder, "signatures")}`,
    ...(isRoot ? ["User root"] : [])
  ]
  await writeFile(join(folder, "clamd.conf"), `${lines.join("\n")}\n`)
  await started("clamd", ["-c", join(folder, "clamd.conf")])
}

const startRspamd = async (): Promise<void> => {
  const local = join(folder, "local.d")
  for (const name of ["local.d", "db", "run", "log"]) {
    await mkdir(join(folder, name))
    await chmod(join(folder, name), EVERYBODY)
  }
  const files = {
    "options.inc": `dns { nameserver = ["127.0.0.1:9"]; timeout = 0.1s; retransmits = 1; }`,
    "worker-normal.inc": `bind_socket = "127.0.0.1:${rspamdPort}"; count = 1;`,
    "worker-controller.inc": "enabled = false;",
    "worker-proxy.inc": "enabled = false;",
    "logging.inc": `type = "console"; level = "silent";`
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(local, name), `${text}\n`)
  const places = {
    LOCAL_CONFDIR: folder,
    DBDIR: join(folder, "db"),
    RUNDIR: join(folder, "run"),
    LOGDIR: join(folder, "log")
  }
  const named = Object.entries(places).flatMap(([name, path]) => ["--var", `${name}=${path}`])
  await started("rspamd", ["-f", ...(isRoot ? ["-i", "-u", "_rspamd", "-g", "_rspamd"] : []), ...named])
}

const scanned = (raw: string | Buffer) =>
  Effect.runPromise(
    Effect.result(
      scan({
        raw: Buffer.from(raw),
        origin: { ip: "192.0.2.1", helo: "mx.example.com", sender: "shop@example.com" },
        to: [TO],
        own: false
      })
    )
  )

beforeAll(async () => {
  await installed()
  folder = await mkdtemp(join(tmpdir(), "hub-scanners-"))
  await chmod(folder, EVERYBODY)
  clamdPort = await drawPort()
  rspamdPort = await drawPort()
  await startClamd()
  await startRspamd()
  scan = scanBy({ clamd: { host: "127.0.0.1", port: clamdPort }, rspamd: `http://127.0.0.1:${rspamdPort}` }, BOUNDS)
  await waitFor(
    async () => {
      const found = await scanned("Subject: x\r\n\r\nx\r\n")
      return Result.isSuccess(found) && found.success.spam !== "GRAY" ? true : null
    },
    { describe: "both scanners answer" }
  )
})
afterAll(async () => {
  await Promise.all(
    children.map(
      (child) =>
        new Promise<void>((resolve) => {
          child.once("exit", () => resolve())
          if (child.exitCode !== null || !child.kill()) resolve()
        })
    )
  )
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
})

test("a virus is found in an attachment, and none where there is none", async () => {
  const file = (content: string) =>
    [
      "From: Shop <shop@example.com>",
      `To: ${TO}`,
      "Subject: a file",
      "MIME-Version: 1.0",
      'Content-Type: multipart/mixed; boundary="b"',
      "",
      "--b",
      "Content-Type: application/octet-stream",
      'Content-Disposition: attachment; filename="bill.com"',
      "Content-Transfer-Encoding: base64",
      "",
      Buffer.from(content).toString("base64"),
      "--b--",
      ""
    ].join("\r\n")
  expect(await scanned(file(EICAR))).toMatchObject({ success: { virus: "FAIL" } })
  expect(await scanned(file("a bill"))).toMatchObject({ success: { virus: "PASS" } })
})

test("spam is spam", async () => {
  expect(await scanned(message({ to: TO, body: GTUBE }))).toMatchObject({ success: { spam: "FAIL" } })
})

test("a message as large as may come in is looked at whole", async () => {
  const raw = Buffer.concat([Buffer.from(message({ to: TO })), Buffer.alloc(10_000_000, "a line of text\r\n")])
  expect(await scanned(raw)).toMatchObject({ success: { virus: "PASS" } })
})
