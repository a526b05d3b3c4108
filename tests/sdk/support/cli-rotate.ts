/** `hub-agent rotate`, also where it is killed in the midst of it. */
import { spawn } from "node:child_process"
import { cp, readdir, stat, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { generateKey } from "../../../edge/sdk/client.ts"
import { programPath } from "../../harness/index.ts"
import { lossyWay } from "./lossy.ts"
import { A_DAY_MS, edge, newHome, runIn, seedIn, publicKeyIn, agent, me } from "./cli-agents.ts"

export const rotateTests = (): void => {
  test("puts a new key in the place of the old one", async () => {
    const { home, run, me: before } = await agent()
    const { status, out } = await run(["rotate"])
    expect([status, out]).toEqual([0, `the key is now ${await publicKeyIn(home)}\nretired: ${before.public_key}\n`])
    expect(await readdir(home)).toEqual(["agent.json", "key"])
    expect((await stat(join(home, "key"))).mode & 0o777).toBe(0o600)
    expect(await me(run)).toMatchObject({ id: before.id, public_key: await publicKeyIn(home) })
  })

  test("is completed later where it was killed after the service had done it", async () => {
    const { home, run, me: before } = await agent()
    const way = await lossyWay(edge)
    // The folder is for the edge; a copy of it is for the way on which answers are held back.
    const held = newHome()
    await cp(home, held, { recursive: true })
    await writeFile(join(held, "agent.json"), "{}", { mode: 0o600 })
    way.hold("POST", /\/me\/key$/)
    const rotating = spawn(
      process.execPath,
      [
        "--no-warnings",
        await programPath("agent"),
        "rotate",
        "--home",
        held,
        "--hub",
        way.url,
        "--host",
        new URL(edge).host
      ],
      { stdio: "ignore" }
    )
    const gone = new Promise((resolve) => rotating.once("close", resolve))
    await way.held()
    rotating.kill("SIGKILL")
    await gone
    await way.stop()
    expect((await readdir(held)).toSorted()).toEqual(["agent.json", "key", "key.next"])
    expect(await publicKeyIn(held)).toBe(before.public_key)
    const next = await publicKeyIn(held, "key.next")
    const { status, out, errors } = await runIn(held)(["whoami", "--json"])
    expect([status, errors]).toEqual([0, expect.stringContaining("had been done")])
    expect(JSON.parse(out)).toMatchObject({ id: before.id, public_key: next })
    expect(await publicKeyIn(held)).toBe(next)
    expect(await readdir(held)).not.toContain("key.next")
    expect((await run(["whoami"])).errors).toContain("key_retired")
  })

  test("uses the key of one that was killed before the service had done it", async () => {
    const { home, run, me: before } = await agent()
    const next = await generateKey()
    await writeFile(join(home, "key.next"), `${next.exportSeed()}\n`, { mode: 0o600 })
    expect(await me(run)).toMatchObject({ public_key: before.public_key })
    expect(await publicKeyIn(home, "key.next")).toBe(next.publicKey)
    expect((await run(["rotate"])).out).toContain(`the key is now ${next.publicKey}`)
    expect(await publicKeyIn(home)).toBe(next.publicKey)
    expect(await me(run)).toMatchObject({ id: before.id, public_key: next.publicKey })
  })

  test("drops the key of one that cannot be done any more", async () => {
    const { home, run, me: before } = await agent()
    await writeFile(join(home, "key.next"), `${(await generateKey()).exportSeed()}\n`, { mode: 0o600 })
    const old = new Date(Date.now() - A_DAY_MS)
    await utimes(join(home, "key.next"), old, old)
    const { errors } = await run(["whoami"])
    expect(errors).toContain("had not been done")
    expect(await readdir(home)).not.toContain("key.next")
    expect(await publicKeyIn(home)).toBe(before.public_key)
  })

  test("touches no file where neither key holds, or nobody answers", async () => {
    const home = newHome()
    const run = runIn(home)
    await run(["init"])
    await writeFile(join(home, "key.next"), `${(await generateKey()).exportSeed()}\n`, { mode: 0o600 })
    const old = new Date(Date.now() - A_DAY_MS)
    await utimes(join(home, "key.next"), old, old)
    const before = [await seedIn(home), await seedIn(home, "key.next")]
    expect((await run(["whoami"])).errors).toMatch(/^hub-agent: no_key_holds: /)
    expect([await seedIn(home), await seedIn(home, "key.next")]).toEqual(before)
  })

  test("by two at once ends with one key, which both have", async () => {
    const { home, run, me: before } = await agent()
    const both = await Promise.all([run(["rotate"]), run(["rotate"])])
    expect(both.some(({ status }) => status === 0)).toBe(true)
    const after = await me(run)
    expect(after.id).toBe(before.id)
    expect(after.public_key).toBe(await publicKeyIn(home))
    expect(after.public_key).not.toBe(before.public_key)
  })
}
