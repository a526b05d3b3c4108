import { connect } from "@nats-io/transport-node"
import { jetstream, jetstreamManager } from "@nats-io/jetstream"
import { existsSync, readFileSync } from "node:fs"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { isRunning } from "../../ops/launcher/proc.ts"
import { startServers, waitFor } from "./index.ts"
import type { Servers } from "./index.ts"

async function query(url: string, text: string): Promise<ReadonlyArray<Record<string, unknown>>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

describe("servers for tests", () => {
  let servers: Servers

  beforeAll(async () => {
    servers = await startServers({ postgresSettings: { work_mem: "5MB" } })
  })
  afterAll(async () => {
    await servers.stop()
  })

  test("nats-server keeps a stream over a SIGKILL, on the same port", async () => {
    const before = servers.nats.url
    const first = await connect({ servers: before })
    await (await jetstreamManager(first, { timeout: 60_000 })).streams.add({ name: "kept", subjects: ["kept.>"] })
    await jetstream(first).publish("kept.one", "1")
    await first.close()
    await servers.nats.kill()
    expect(servers.nats.pid).toBeNull()
    await servers.nats.restart()
    expect(servers.nats.url).toBe(before)
    const second = await connect({ servers: servers.nats.url })
    const info = await (await jetstreamManager(second, { timeout: 60_000 })).streams.info("kept")
    await second.close()
    expect(info.state.messages).toBe(1)
  })

  test("Postgres keeps a row over a SIGKILL and takes settings", async () => {
    await query(servers.postgres.url, "create table kept as select 42 as answer")
    await servers.postgres.kill()
    await servers.postgres.restart()
    expect(await query(servers.postgres.url, "select answer from kept")).toEqual([{ answer: 42 }])
    expect(await query(servers.postgres.url, "show work_mem")).toEqual([{ work_mem: "5MB" }])
  })

  test("a frozen nats-server answers again after it thaws", async () => {
    const connection = await connect({ servers: servers.nats.url })
    servers.nats.freeze()
    // The signal is sent, but it takes a moment until every thread has stopped.
    await waitFor(() => /\) [Tt] /.test(readFileSync(`/proc/${servers.nats.pid}/stat`, "utf8")), {
      describe: "a frozen process"
    })
    const answer = connection.flush().then(() => "answered")
    expect(await Promise.race([answer, silenceAfter(150)])).toBe("silent")
    servers.nats.thaw()
    expect(await answer).toBe("answered")
    await connection.close()
  })
})

test("stop ends both servers and removes their folder", async () => {
  const servers = await startServers()
  const pids = [servers.nats.pid, servers.postgres.pid]
  await servers.stop()
  expect(pids.every((pid) => pid !== null && !isRunning(pid))).toBe(true)
  expect(existsSync(servers.folder)).toBe(false)
})

function silenceAfter(ms: number): Promise<string> {
  return new Promise((resolve) => AbortSignal.timeout(ms).addEventListener("abort", () => resolve("silent")))
}
