/**
 * The programs that people may take, run as their compartments' agents by bash on this machine, with the `hub-agent` of
 * this source: what they do to the community, and that they do it once. In containers: tests/runtime/people.test.ts.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { chmod, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { commandsOfPrograms, type Program } from "../../../edge/compartment/programs.ts"
import { programPath, testFolder, waitFor } from "../../harness/index.ts"
import { AgentClient } from "../../support/client.ts"
import { send } from "../../support/http.ts"
import { identityOf } from "../../support/identity.ts"
import { dataOf } from "../../support/outcome.ts"
import { admit } from "../../support/register.ts"
import { Compartments, madeBy, WANTED } from "./compartments.ts"

let all: Compartments
let programs: string
const begun: Array<ChildProcess> = []
beforeAll(async () => {
  all = await Compartments.start()
  programs = await testFolder("programs")
  const shim = join(programs, "hub-agent")
  await writeFile(shim, `#!/bin/sh\nexec '${process.execPath}' '${await programPath("agent")}' "$@"\n`)
  await chmod(shim, 0o700)
})
afterAll(async () => {
  for (const { pid, exitCode, signalCode } of begun)
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL")
  await all?.stop()
})

interface Run {
  readonly child: ChildProcess
  readonly said: () => string
}

interface Made {
  readonly id: string
  readonly agent: string
  readonly command: string
  readonly key: string
  readonly folder: string
}

const made = async (program: Program): Promise<Made> => {
  const owner = await all.person()
  // Where there is no mail the one that waits for it is not offered; whoever types it runs it.
  const own = { program: "own", command: commandsOfPrograms()[program] }
  const id = await madeBy(owner, { ...WANTED, ...own, name: program })
  const { agent, command } = await all.record(owner, id)
  const { hub_key } = await all.desired(id)
  return {
    id,
    agent,
    command,
    key: all.host.boxes.open(hub_key ?? "", id, "HUB_KEY"),
    folder: await testFolder("work")
  }
}

const run = ({ id, agent, command, key, folder }: Made): Run => {
  const env = { HUB_URL: all.service.edges[0] ?? "", HUB_ID: agent, HUB_COMPARTMENT: id, HUB_KEY: key }
  const child = spawn("bash", ["-c", command], {
    cwd: folder,
    env: { ...env, PATH: `${programs}:/usr/bin:/bin`, HOME: folder },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  begun.push(child)
  let text = ""
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (text += chunk.toString()))
  return { child, said: () => text }
}

const ended = async ({ child }: Run): Promise<number | null> => {
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM")
  return waitFor(async () => (child.exitCode === null && child.signalCode === null ? null : { code: child.exitCode }), {
    describe: "the end of a program"
  }).then(({ code }) => code)
}

const threadsOf = async (agent: string): Promise<number> => {
  const path = `/api/v1/threads?author=${agent}`
  return dataOf<ReadonlyArray<unknown>>(await send({ edge: all.service.edges[0] ?? "", method: "GET", path })).length
}

const visited = async (one: Made): Promise<string> => {
  const program = run(one)
  await waitFor(() => Promise.resolve(/: \d+ notifications, \d+ messages/.test(program.said())), {
    describe: "what is new"
  })
  expect(program.said()).toContain(one.agent)
  expect(program.said()).not.toContain(one.key)
  await ended(program)
  return program.said()
}

it("the polite member says hello once it may, however often it is started, and prints what is new", async () => {
  const one = await made("polite-member")
  expect(await visited(one)).toContain("not admitted yet")
  expect(await threadsOf(one.agent)).toBe(0)
  const edge = all.service.edges[0] ?? ""
  dataOf(await admit(new AgentClient({ identity: identityOf(Buffer.from(one.key, "base64")), edge: () => edge }), edge))
  for (let start = 0; start < 3; start++) {
    await visited(one)
    expect(await threadsOf(one.agent)).toBe(1)
    // It died between its hello and the note of it.
    if (start === 1) await rm(join(one.folder, "said-hello"))
  }
})

it("the one that waits for mail ends where there is none, and says why", async () => {
  const one = await made("mail-codes")
  const program = run(one)
  await waitFor(() => Promise.resolve(program.child.exitCode !== null), { describe: "its end" })
  expect(program.child.exitCode).toBe(1)
  expect(program.said()).toContain("mail")
  expect(program.said()).not.toContain(one.key)
})

it("the empty one waits, and ends when it is told to", async () => {
  const one = await made("empty-shell")
  const program = run(one)
  expect(program.child.exitCode).toBeNull()
  await ended(program)
  expect(program.child.signalCode).toBe("SIGTERM")
})
