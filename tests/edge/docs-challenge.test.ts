/** `challenge` of the clients in one file: it tells how far it is, keeps its challenge, goes on with it, and does without one that expired. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, statSync } from "node:fs"
import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { folder, freshKey, openPages, run, world } from "./docs-programs.ts"
import { PYTHON_KEYS } from "./served-docs.ts"

/** More than any machine does. */
const ENDLESS = 12
const MINUTE_MS = 60_000

interface Kept {
  readonly id: string
  readonly pow: { readonly prefix: string; readonly difficulty: number }
  readonly pow_expires_at: string
  readonly pow_nonce?: string
}

let created = 0
/** Challenges as the service makes them, one after the other; the last one again and again. */
const challenges = (...given: ReadonlyArray<{ readonly difficulty: number; readonly ms: number }>): void => {
  created = 0
  // An ask that is answered late is repeated under its id.
  const made = new Map<string, { readonly data: object }>()
  world.node.on("challenge.create", ({ id: ask }) => {
    const before = made.get(ask)
    if (before !== undefined) return before
    const { difficulty, ms } = given[Math.min(created, given.length - 1)] ?? { difficulty: 1, ms: MINUTE_MS }
    const id = String(++created).repeat(32)
    const pow_expires_at = new Date(Date.now() + ms).toISOString()
    const answer = { data: { id, pow: { prefix: `p${created}`, difficulty }, pow_expires_at } }
    made.set(ask, answer)
    return answer
  })
}

const file = (): string => join(folder, "hub-challenge.json")
const kept = async (): Promise<Kept> => JSON.parse(await readFile(file(), "utf8")) as Kept

/** Each language's program, and a script that prints what `progress_on` says on a terminal and elsewhere in twenty seconds. */
const LANGUAGES = [
  {
    name: "hub.mjs",
    called: "node hub.mjs",
    command: [process.execPath, "hub.mjs"],
    progress: [process.execPath, "progress.mjs"],
    script: `import { progressOn } from "./hub.mjs"
const said = (isTTY) => {
  let now = 1_000_000
  Date.now = () => now
  let text = ""
  const tell = progressOn({ isTTY, write: (more) => (text += more) }, 7, now + 900_000)
  for (let second = 1; second <= 20; second++) {
    now += 1000
    tell(second * 1_000_000)
  }
  return text
}
console.log(JSON.stringify([said(true), said(false)]))`
  },
  {
    name: "hub.py",
    called: "python3 hub.py",
    command: ["python3", "commands.py"],
    progress: ["python3", "progress.py"],
    script: `import io, json, time, hub
def said(terminal):
    now = [1000.0]
    time.time = lambda: now[0]
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    tell = hub.progress_on(stream, 7, now[0] + 900)
    for second in range(1, 21):
        now[0] += 1
        tell(second * 1000000)
    return stream.getvalue()
print(json.dumps([said(True), said(False)]))`
  }
] as const

const PYTHON_COMMANDS = `${PYTHON_KEYS}import sys
told = hub.main(*sys.argv[1:])
print(told if isinstance(told, str) else json.dumps(told))`

beforeAll(async () => {
  await openPages()
  await writeFile(join(folder, "commands.py"), PYTHON_COMMANDS)
})
beforeEach(async () => {
  await freshKey("hub-seed.txt")
  await rm(file(), { force: true })
})
afterAll(() => world.stop())

describe.each(LANGUAGES)("$name", ({ called, command, progress, ...language }) => {
  const [program, source] = command
  const challenge = () => run(program, [source, "challenge"])

  test("an interrupted search goes on with the challenge that is kept for the key's owner alone", async () => {
    challenges({ difficulty: ENDLESS, ms: 10 * MINUTE_MS })
    const first = spawn(program, [source, "challenge"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
    let told = ""
    first.stderr.on("data", (chunk) => (told += String(chunk)))
    const closed = once(first, "close")
    const isUnderWay = () => existsSync(file()) && told.includes("probably expire first")
    await Promise.race([
      waitFor(isUnderWay, { describe: "the search" }),
      closed.then(() => expect(told, "it ended by itself").toContain("probably expire first"))
    ])
    first.kill()
    await closed
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(told).toMatch(/^difficulty 12: 281,474,976,710,656 attempts on average, \d+ s until the challenge expires\n/)
    expect(told).toMatch(
      /\nat [\d,]+ attempts a second the work takes [\d,]+ s on average: the challenge will probably expire first\n/
    )

    // The same challenge, made easy: what it is found by is not the point.
    const one = await kept()
    await writeFile(file(), JSON.stringify({ ...one, pow: { ...one.pow, difficulty: 1 } }))
    const { stdout, stderr } = await challenge()
    expect([stdout, created]).toEqual([`ready: ${called} questions\n`, 1])
    expect(stderr).toContain(`going on with challenge ${one.id}\n`)
    const { pow_nonce } = await kept()
    expect(pow_nonce).toMatch(/^\d+$/)
    // Once more there is nothing left to do.
    expect((await challenge()).stderr).not.toContain("attempts")
    expect([created, (await kept()).pow_nonce]).toEqual([1, pow_nonce])
  })

  test("one that expires under way is dropped for a fresh one, and so is one that had expired before", async () => {
    challenges({ difficulty: ENDLESS, ms: 1500 }, { difficulty: 1, ms: -1000 }, { difficulty: 1, ms: MINUTE_MS })
    const { stderr } = await challenge()
    const expired = [...stderr.matchAll(/the challenge has expired: taking a fresh one\n/g)].length
    expect({ created, expired }, stderr).toEqual({ created: 3, expired: 2 })
    const one = await kept()
    await writeFile(file(), JSON.stringify({ ...one, pow_expires_at: new Date(Date.now() - 1000).toISOString() }))
    challenges({ difficulty: 1, ms: MINUTE_MS })
    expect((await challenge()).stderr).toMatch(/^the challenge has expired: taking a fresh one\ndifficulty 1: /)
    expect(created).toBe(1)
  })

  test("three that expire end the search, with what to do", async () => {
    challenges({ difficulty: ENDLESS, ms: 10 })
    await expect(challenge()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("three challenges expired before their work was done: come back in an hour")
    })
    expect(created).toBe(3)
  })

  test("another key's challenge is not gone on with, nor one whose questions were served", async () => {
    challenges({ difficulty: 1, ms: MINUTE_MS })
    await challenge()
    await freshKey("hub-seed.txt")
    await expect(run(program, [source, "questions"])).rejects.toMatchObject({
      stderr: expect.stringContaining(`there is no challenge whose work is done: ${called} challenge`)
    })
    await challenge()
    expect(created).toBe(2)
    await run(program, [source, "questions"])
    await challenge()
    expect(created).toBe(3)
  })

  test("progress is a line each second on a terminal, and one in ten seconds elsewhere", async () => {
    const [program = "", script = ""] = progress
    await writeFile(join(folder, script), language.script)
    const [terminal = "", elsewhere = ""] = JSON.parse((await run(program, [script])).stdout) as ReadonlyArray<string>
    const lines = terminal.split("\r\x1b[K").slice(1)
    expect(lines).toHaveLength(20)
    expect(lines.at(-1)).toBe("20,000,000 attempts, 1,000,000 a second, 7 % of the 268,435,456 expected, 880 s left")
    expect(elsewhere.split("\n")).toEqual([
      "10,000,000 attempts, 1,000,000 a second, 4 % of the 268,435,456 expected, 890 s left",
      "20,000,000 attempts, 1,000,000 a second, 7 % of the 268,435,456 expected, 880 s left",
      ""
    ])
  })
})
