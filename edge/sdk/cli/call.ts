/** Any operation of the interface, by method and path. */
import { harmless } from "../../../schemas/printed.ts"
import type { HubClient } from "../client.ts"
import type { Command } from "./command.ts"
import { usage } from "./fault.ts"
import { jsonArgument } from "./input.ts"
import { secretIn } from "./output.ts"

type CallMethod = Parameters<HubClient["request"]>[0]

/** A path may be given with or without the interface's prefix. */
const targetOf = (path: string): string => {
  const target = path.replace(/^\/api\/v1(?=\/|\?|$)/, "")
  if (target !== "" && !/^[/?]/.test(target)) throw usage("the path starts with /, below /api/v1: /me")
  return target.startsWith("/") ? target : `/${target}`
}

export const callCommand = (method: CallMethod): Command => ({
  usage: [
    method === "GET"
      ? "get <path> [--unsigned]"
      : `${method.toLowerCase()} <path> [<json>|@<file>|-] [--unsigned] [--idempotency-key <key>]`
  ],
  summary: `${method} below /api/v1, signed; prints what comes back`,
  words: true,
  options: { unsigned: { type: "boolean" }, ...(method === "GET" ? {} : { "idempotency-key": { type: "string" } }) },
  run: async (invocation) => {
    const [path, body, ...more] = invocation.positionals
    if (path === undefined || more.length > 0 || (method === "GET" && body !== undefined))
      throw usage(`usage: hub-agent ${callCommand(method).usage[0]}`)
    const target = targetOf(path)
    const given = body === undefined ? {} : { body: await jsonArgument(body, invocation.around) }
    const idempotencyKey = invocation.text("idempotency-key")
    const { home, client } = await (invocation.flag("unsigned") ? invocation.stranger() : invocation.agent())
    const answer = await client.request(method, target, {
      ...given,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey })
    })
    const secret = secretIn(answer.data)
    if (secret !== undefined) invocation.around.warn(`the webhook's secret is in ${await home.keepSecret(secret)}`)
    const { data, meta, status, replayed } = answer
    const words = typeof data === "string" ? harmless(data) : invocation.json(data, 2)
    invocation.around.write(
      invocation.flag("json") ? `${invocation.json({ status, data, meta, replayed })}\n` : `${words}\n`
    )
  }
})
