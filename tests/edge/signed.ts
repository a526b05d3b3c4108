/** Signed calls to an edge, and what they are refused with. */
import { createHash } from "node:crypto"
import { expect } from "vitest"
import { type Call, openWorld, type World } from "./edge.ts"

export let world: World

export const openAuthWorld = async (): Promise<void> => {
  world = await openWorld({ env: { HUB_HOSTS: "hub.example,hub.example:8443" } })
}

export const HOST = "hub.example"
export const sha = (text: string): string => createHash("sha256").update(text).digest("hex")

export const signedCall = (call: Call = {}): Call => ({
  signed: world.agent,
  ...call,
  signing: { host: HOST, ...call.signing }
})

export const me = (call: Call = {}) => world.edge.call("/api/v1/me", signedCall(call))

export const refusedWith = async (call: Call, status: number, code: string) => {
  const answer = await me(call)
  expect([answer.status, answer.json.error.code]).toEqual([status, code])
  return answer.json.error.details
}
