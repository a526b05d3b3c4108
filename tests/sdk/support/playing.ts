/** A client and the hub that is played to it; the players of a test end with it. */
import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto"
import { onTestFinished } from "vitest"
import {
  type AgentKey,
  type ClientOptions,
  createClient,
  generateKey,
  type HubClient
} from "../../../edge/sdk/client.ts"
import { requestStringV2 } from "../../../schemas/signing/request.ts"
import { type Asked, type Play, type Player, startPlayer } from "./player.ts"

export const QUICK = { pauseMs: 5, pauseMaxMs: 20, totalMs: 5_000 }
export const key: AgentKey = await generateKey()

export async function playing(
  play: Play,
  options: Partial<ClientOptions> = {},
  path = ""
): Promise<{ readonly hub: HubClient; readonly player: Player }> {
  const player = await startPlayer(play)
  onTestFinished(() => player.stop())
  return { player, hub: createClient({ hub: `${player.url}${path}`, key, retry: QUICK, ...options }) }
}

export const publicKeyOf = ({ publicKey }: AgentKey): KeyObject =>
  createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(publicKey, "base64").toString("base64url") },
    format: "jwk"
  })

export const headerOf = (asked: Asked | undefined, name: string): string => String(asked?.headers[name] ?? "")

/** As the service does it: by what arrived, and its own name. */
export const holds = (asked: Asked, host: string, path = asked.target): boolean => {
  const text = requestStringV2({
    method: asked.method,
    host,
    path,
    timestamp: headerOf(asked, "x-hub-timestamp"),
    nonce: headerOf(asked, "x-hub-nonce"),
    bodySha256: createHash("sha256").update(asked.body).digest("hex")
  })
  return verify(null, Buffer.from(text), publicKeyOf(key), Buffer.from(headerOf(asked, "x-hub-signature"), "base64"))
}

export const distinct = (player: Player, header: string): number =>
  new Set(player.asked.map((asked) => headerOf(asked, header))).size
