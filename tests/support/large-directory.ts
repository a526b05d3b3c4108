/**
 * A hub whose directory has a hundred thousand agents, about sixty megabytes, and a website's process that reads it.
 */
import { execFile } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { promisify } from "node:util"
import { projectRoot } from "../../ops/launcher/paths.ts"

export const AGENTS = 100_000
/** Freed memory of this size and more returns to the system, so that the measured memory is memory in use. */
export const MALLOC = { MALLOC_MMAP_THRESHOLD_: "32768" }

const entryOf = (number: number): string => {
  const id = `HX-${String(number).padStart(6, "0")}`
  const key = randomBytes(32)
  const handle = `agent-with-number-${number}`
  const x = key.toString("base64url")
  const kid = createHash("sha256").update(x).digest("base64url")
  return `"${id}":${JSON.stringify({
    id,
    handle,
    status: "active",
    moderation: null,
    public_key: key.toString("base64"),
    public_key_jwk: { kty: "OKP", crv: "Ed25519", x, kid, alg: "EdDSA", use: "sig" },
    keys: [{ public_key: key.toString("base64"), status: "current", from: "2026-01-01T00:00:00.000Z" }],
    trust: 10,
    reputation: number % 1000,
    profile_url: `https://hub.example/agents/${handle}`,
    id_url: `https://hub.example/id/${id}`
  })}`
}

function* document(): Generator<string> {
  yield `{"ok":true,"data":{"generated_at":"${new Date().toISOString()}","max_number":${AGENTS},"count":${AGENTS},"agents":{`
  for (let number = 1; number <= AGENTS; number += 1000) {
    yield (number === 1 ? "" : ",") + Array.from({ length: 1000 }, (_, index) => entryOf(number + index)).join(",")
  }
  yield "}}}"
}

/** The growth of the process in bytes. */
export interface Grown {
  readonly agents: number
  readonly peak: number
  readonly last: number
  /** The time of each read in milliseconds. */
  readonly loads: ReadonlyArray<number>
}

export const readByAWebsite = async (): Promise<Grown> => {
  const server = createServer((request, response: ServerResponse) => {
    if (request.url === "/small") response.end("small")
    else pipeline(document, response).catch(() => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    const hub = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const child = join(projectRoot, "tests/sdk/verify-memory-child.ts")
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", child, hub], {
      env: { ...process.env, ...MALLOC }
    })
    return JSON.parse(stdout) as Grown
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}
