/** Vaults of agents, entries that are sealed for them, and the calls of a fill service. */
import { randomUUID } from "node:crypto"
import sodium from "libsodium-wrappers"
import { Effect } from "effect"
import { eventsOf } from "../../actors/engine/events.ts"
import { viewsOver } from "../../actors/engine/services.ts"
import { VaultEvent } from "../../actors/vault/state.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import type { Vault, VaultEntry, VaultLogLine } from "../../schemas/vault/records.ts"
import { sealEntry } from "../../edge/sdk/vault/seal.ts"
import { waitFor } from "../harness/index.ts"
import { type Answer, send } from "./http.ts"
import { dataOf } from "./outcome.ts"
import { logOf, type TestService } from "./service.ts"
import { anAgent, type Carried } from "./sponsorship.ts"

export const VAULT = "/api/v1/vault"

export interface WithVault extends Carried {
  readonly vault: Vault & { readonly public_key: string }
}

export const withVault = async ({ edges }: Pick<TestService, "edges">): Promise<WithVault> =>
  openVault(await anAgent(edges))

export const openVault = async (agent: Carried): Promise<WithVault> => {
  await agent.client.call("POST", VAULT, { body: {} })
  const vault = await waitFor(
    async () => {
      const found = dataOf<Vault>(await agent.client.call("GET", VAULT))
      return found.status === "active" && found.public_key !== null ? { ...found, public_key: found.public_key } : null
    },
    { describe: "the vault's key is made" }
  )
  return { ...agent, vault }
}

export interface Wanted {
  readonly kind?: VaultEntry["kind"]
  readonly origins?: ReadonlyArray<string>
  readonly limits?: object
  readonly label?: string
  readonly fields?: Readonly<Record<string, unknown>>
}

export const LIMITS_OF_CARD = { currency: "EUR", per_payment: "50.00", per_day: "80", fills_per_day: 3 }

/** The body of a request that writes an entry. */
export const sealedEntry = async ({ vault }: Pick<WithVault, "vault">, wanted: Wanted = {}) => {
  const { kind = "login", origins = kind === "profile" ? [] : ["https://shop.example"], limits, label, fields } = wanted
  const uid = randomUUID()
  const secret = fields ?? { username: "ada", password: "correct horse" }
  const ciphertext = await sealEntry({
    vault: vault.uid,
    public_key: vault.public_key,
    uid,
    kind,
    origins,
    fields: kind === "card" ? { limits: limits ?? LIMITS_OF_CARD, ...secret } : secret
  })
  const clear = kind === "card" ? { limits: limits ?? LIMITS_OF_CARD } : {}
  return {
    uid,
    kind,
    ...(kind === "profile" ? {} : { origins, ...(label === undefined ? {} : { label }) }),
    ...clear,
    ciphertext
  }
}

/** Adds this number of entries and sources. Returns the last source with its token. */
export const filled = async (of: WithVault, count: number) => {
  let source = { id: 0, token: "" }
  for (let n = 0; n < count; n++) {
    await of.client.call("POST", `${VAULT}/entries`, { body: await sealedEntry(of) })
    source = dataOf(await of.client.call("POST", `${VAULT}/sources`, { body: { label: "Bank", kinds: ["login"] } }))
  }
  return source
}

/** Sends requests with a token of the vault. */
export const asHolder =
  ({ edges }: Pick<TestService, "edges">, token: string) =>
  (method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    send({
      edge: edges[Math.floor(Math.random() * edges.length)] ?? "",
      method,
      path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })

/** Issues a token like `hub vault token`. */
export const issueToken = (
  { view }: Pick<TestService, "view">,
  agent: string,
  place = "operator",
  request: string = randomUUID()
): Promise<string> =>
  Effect.runPromise(
    viewsOver(machineClock, view.nats).query({ commandId: "", deadline: Date.now() + 30_000 }, "keeper_issue", {
      agent,
      place,
      request
    })
  ).then(({ token }) => token)

/** A one-time key, and a function that opens boxes that are sealed to it. */
export const oneTimeKey = async () => {
  await sodium.ready
  const { publicKey, privateKey } = sodium.crypto_box_keypair()
  return {
    ephemeral_public_key: Buffer.from(publicKey).toString("base64"),
    open: (sealed: string): Uint8Array =>
      sodium.crypto_box_seal_open(Buffer.from(sealed, "base64"), publicKey, privateKey)
  }
}

/** Repeats a request without an answer under the same key, at any edge, like a good client. */
export const persistently =
  (ask: ReturnType<typeof asHolder>) =>
  (method: string, path: string, body: object, key: string): Promise<Answer> =>
    waitFor(
      async () => {
        const answer = await ask(method, path, body, { "idempotency-key": key })
        if (answer.status !== 503 && answer.code !== "idempotency_in_flight") return answer
        throw new Error(answer.text)
      },
      { describe: `an answer to ${method} ${path}` }
    )

/** The events of one type in the vault's log. */
export const eventsOfVault = async <Type extends VaultEvent["type"]>(
  view: TestService["view"],
  agent: string,
  type: Type
): Promise<ReadonlyArray<Extract<VaultEvent, { readonly type: Type }>>> =>
  (await logOf(view, "vault", agent)).flatMap(({ commit }) =>
    eventsOf(VaultEvent, commit).filter(
      (event): event is Extract<VaultEvent, { readonly type: Type }> => event.type === type
    )
  )

/** All lines of the vault's journal. */
export const journalOf = async ({ client }: Pick<Carried, "client">): Promise<ReadonlyArray<VaultLogLine>> => {
  const lines: Array<VaultLogLine> = []
  for (let page = 1; ; page++) {
    const answer = await client.retrying("GET", `${VAULT}/log?per_page=100&page=${page}`)
    lines.push(...dataOf<ReadonlyArray<VaultLogLine>>(answer))
    if (page >= (answer.json.meta?.pages ?? 0)) return lines
  }
}
