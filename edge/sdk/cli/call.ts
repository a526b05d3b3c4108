/** Calls any operation of the interface, by method and path. */
import { harmless } from "../../../schemas/printed.ts"
import { type HubClient, isHubError } from "../client.ts"
import { present } from "./arguments.ts"
import type { Command, Invocation } from "./command.ts"
import { usage } from "./fault.ts"
import { jsonArgument } from "./input.ts"
import { secretGiven, sourceTokenGiven } from "./output.ts"

type CallMethod = Parameters<HubClient["request"]>[0]

const METHODS: ReadonlyArray<CallMethod> = ["GET", "POST", "PUT", "PATCH", "DELETE"]

const methodOf = (word: string): CallMethod => {
  const method = METHODS.find((one) => one === word.toUpperCase())
  if (method === undefined) throw usage(`call takes one of ${METHODS.join(", ")}, not another word`)
  return method
}

/** A path may be given with or without the interface's prefix. */
const targetOf = (path: string): string => {
  const target = path.replace(/^\/api\/v1(?=\/|\?|$)/, "")
  if (target !== "" && !/^[/?]/.test(target)) throw usage("the path starts with /, below /api/v1: /me")
  return target.startsWith("/") ? target : `/${target}`
}

/** Most reads need no key, so they are signed only if there is one. */
const clientFor = (invocation: Invocation, method: CallMethod) => {
  if (invocation.flag("unsigned")) return invocation.stranger()
  return method === "GET" ? invocation.reader() : invocation.agent()
}

/**
 * Names of fields in the body that the hub does not know. They are reported, because they are probably typing errors.
 */
const ignoredIn = (meta: unknown): ReadonlyArray<string> => {
  const named = typeof meta === "object" && meta !== null && "ignored" in meta ? meta.ignored : []
  return Array.isArray(named) ? named.filter((one) => typeof one === "string") : []
}

export const callCommand: Command = {
  usage: ["call <method> <path> [<json>|@<file>|-] [--unsigned] [--idempotency-key <key>]"],
  isUnquoted: true,
  summary: "any operation below /api/v1 as it stands, signed where there is a key; prints what comes back",
  run: async (invocation) => {
    const [word = "", path = "", body] = invocation.positionals
    const method = methodOf(word)
    const idempotencyKey = invocation.text("idempotency-key")
    if (method === "GET" && (body !== undefined || idempotencyKey !== undefined))
      throw usage("a GET has no body and no --idempotency-key")
    const target = targetOf(path)
    const given = body === undefined ? {} : { body: await jsonArgument(body, invocation.around) }
    const { home, client } = await clientFor(invocation, method)
    const answer = await client
      .request(method, target, { ...given, ...present({ idempotencyKey }) })
      .catch(async (error: unknown) => {
        // If an unsigned request needs a signature, the error says that the key is missing.
        if (!invocation.flag("unsigned") && client.key === null && isHubError(error) && error.status === 401)
          await home.needKey()
        throw error
      })
    const secret = secretGiven(method, target, answer.data)
    if (secret !== undefined) invocation.around.warn(`the webhook's secret is in ${await home.keepSecret(secret)}`)
    const source = sourceTokenGiven(method, target, answer.data)
    if (source !== undefined)
      invocation.around.warn(`the source's token is in ${await home.keepSourceToken(source.id, source.token)}`)
    const { data, meta, status, replayed } = answer
    const ignored = ignoredIn(meta)
    if (ignored.length > 0) invocation.around.warn(`not known there, and ignored: ${ignored.join(", ")}`)
    const words = typeof data === "string" ? harmless(data) : invocation.json(data, 2)
    invocation.around.write(
      invocation.flag("json") ? `${invocation.json({ status, data, meta, replayed })}\n` : `${words}\n`
    )
  }
}
