/** Commands for the recovery key, which restores access to an account whose key is lost. */
import { resolve } from "node:path"
import {
  type AgentKey,
  generateKey,
  type HubClient,
  isHubError,
  type ProvenKey,
  type RecoverOptions,
  type Recovery
} from "../client.ts"
import type { Command, Invocation } from "./command.ts"
import { Fault, usage } from "./fault.ts"
import { type Home, readKeyFile, writeKeyFile } from "./home.ts"

const linesOf = ({ recovery_public_key, delay_seconds, pending }: Recovery): ReadonlyArray<string> => [
  recovery_public_key === null
    ? "recovery is off"
    : `recovery key: ${recovery_public_key}, with a delay of ${delay_seconds} seconds`,
  ...(pending === null
    ? []
    : [
        `under way since ${pending.requested_at}: ${pending.new_public_key} takes over at ${pending.effective_at}; ` +
          "hub-agent recovery cancel stops it"
      ])
]

/**
 * The recovery key to set: a public key that was made elsewhere, or the key of a file, which is made if it does not
 * exist.
 */
const keyToSet = async (
  invocation: Invocation,
  home: Home,
  client: HubClient
): Promise<{ readonly key: AgentKey | ProvenKey; readonly advice: ReadonlyArray<string> }> => {
  const publicKey = invocation.text("public-key")
  if (publicKey !== undefined) {
    const proof = invocation.text("proof")
    if (proof !== undefined) return { key: { publicKey, proof }, advice: [] }
    const text = JSON.stringify(await client.recovery.toSign(publicKey))
    throw usage(`a public key needs --proof: the base64 of its signature of ${text}, read as a JSON string`)
  }
  const named = invocation.text("out")
  const path = named === undefined ? home.path("recovery.key") : resolve(invocation.around.cwd, named)
  const advice = [`its seed is in ${path}: keep it somewhere else than the key that it shall replace`]
  const kept = await readKeyFile(path)
  if (kept !== null) return { key: kept, advice }
  const key = await generateKey()
  await writeKeyFile(path, key)
  return { key, advice }
}

const set = async (invocation: Invocation): Promise<void> => {
  const { home, client } = await invocation.agent()
  const { key, advice } = await keyToSet(invocation, home, client)
  const recovery = await client.recovery.set(key)
  invocation.print([...linesOf(recovery), ...advice], recovery)
}

const plain =
  (what: "get" | "delete" | "cancel") =>
  async (invocation: Invocation): Promise<void> => {
    const { client } = await invocation.agent()
    const recovery = await client.recovery[what]()
    invocation.print(linesOf(recovery), recovery)
  }

/**
 * The agent's next key, in a folder that has no other key. The key of an earlier request for this agent is used again.
 */
const keyToCome = async (home: Home, hub: string, agent: string): Promise<AgentKey> => {
  const kept = await home.keptKey("key")
  if (kept !== null) {
    if ((await home.known()).recovering === agent) return kept
    throw new Fault("file_exists", `${home.path("key")} is there already: recover into a new folder, with --home`)
  }
  const key = await generateKey()
  await home.keep("key", key)
  await home.remember({ hub, recovering: agent })
  return key
}

interface DueRecovery {
  readonly new_public_key: string
  readonly effective_at: string
}

type Ask = (newKey: AgentKey) => Promise<DueRecovery>

/** Requests a recovery. If there is a request for this key already, it is used. */
const asking =
  (client: HubClient, recovery: Omit<RecoverOptions, "newKey">): Ask =>
  async (newKey) => {
    try {
      return await client.recover({ ...recovery, newKey })
    } catch (error) {
      if (!isHubError(error, "recovery_pending") || error.details["new_public_key"] !== newKey.publicKey) throw error
      return { new_public_key: newKey.publicKey, effective_at: String(error.details["effective_at"]) }
    }
  }

/**
 * Repeats a request with a new key if the hub requires one: it accepts a key for one request only, even if the recovery
 * was cancelled.
 */
const withFreshKey = async (
  home: Home,
  client: HubClient,
  kept: AgentKey,
  ask: Ask,
  make: () => Promise<AgentKey>
): Promise<DueRecovery> => {
  try {
    return await ask(kept)
  } catch (error) {
    if (!isHubError(error, "key_unavailable")) throw error
    if ((await client.currentKey([kept])) === kept)
      throw new Fault("recovered", `the key in ${home.folder} is the agent's already`)
    await home.setAside(kept)
    return ask(await make())
  }
}

const run = async (invocation: Invocation): Promise<void> => {
  const [agent, file] = [invocation.needed("agent"), invocation.needed("recovery-key")]
  const current = invocation.text("current-key")
  const { home, hub, client } = await invocation.stranger()
  const path = resolve(invocation.around.cwd, file)
  const recoveryKey = await readKeyFile(path)
  if (recoveryKey === null) throw new Fault("no_key", `there is no recovery key in ${path}`)
  const make = () => keyToCome(home, hub, agent)
  const ask = asking(client, { agent, recoveryKey, ...(current === undefined ? {} : { currentPublicKey: current }) })
  const due = await withFreshKey(home, client, await make(), ask, make)
  invocation.print(
    [`${agent} takes the key in ${home.folder} from ${due.effective_at} on, unless its current key cancels that`],
    due
  )
}

export const recoveryCommands: ReadonlyArray<Command> = [
  {
    usage: ["recovery set [--public-key <base64> --proof <base64> | --out <file>]"],
    summary: "a second key that can take the account over, after a delay",
    run: set
  },
  { usage: ["recovery show"], summary: "which key that is, and what is under way", run: plain("get") },
  { usage: ["recovery off"], summary: "have no such key", run: plain("delete") },
  { usage: ["recovery cancel"], summary: "stop a recovery that is under way", run: plain("cancel") },
  {
    usage: ["recovery run --agent <ref> --recovery-key <file> [--current-key <base64>]"],
    summary: "ask for an account whose key is lost",
    run
  }
]
