/** Commands for websites: prove to one who is calling, and verify the hub's own deliveries. */
import { harmless } from "../../../schemas/printed.ts"
import type { HubClient } from "../client.ts"
import { readBounded } from "../client/answer.ts"
import { verifyWebhook } from "../client.ts"
import type { Command, Invocation } from "./command.ts"
import { Fault, usage } from "./fault.ts"
import { textArgument } from "./input.ts"

const PAGE_MAX_BYTES = 4_194_304

const fetched = async (invocation: Invocation, client: HubClient, url: string): Promise<void> => {
  const [method, body] = [invocation.text("method"), invocation.text("body")]
  const response = await client.fetch(url, {
    proveTo: invocation.texts("prove-to"),
    ...(method === undefined ? {} : { method }),
    ...(body === undefined ? {} : { body: await textArgument(body, invocation.around) })
  })
  const text = await readBounded(response, PAGE_MAX_BYTES)
  const headers = Object.fromEntries(response.headers)
  invocation.around.warn(`${response.status} ${response.url}`)
  const value = { status: response.status, url: response.url, headers, body: text }
  invocation.around.write(invocation.flag("json") ? `${invocation.json(value)}\n` : harmless(text))
  if (!response.ok) throw new Fault(`http_${response.status}`, `the website answers with status ${response.status}`)
}

export const proveCommand: Command = {
  usage: [
    "prove <url> [--method <method>] [--path <target>]",
    "prove <url> --fetch [--method <method>] [--body <text|@file|->] [--prove-to <host>]..."
  ],
  summary:
    "the headers that prove one request to a website, as `curl -H @-` takes them; with --fetch the request itself",
  words: true,
  options: {
    method: { type: "string" },
    path: { type: "string" },
    fetch: { type: "boolean" },
    body: { type: "string" },
    "prove-to": { type: "string", multiple: true }
  },
  run: async (invocation) => {
    const [url, ...more] = invocation.positionals
    if (url === undefined || more.length > 0) throw usage("prove takes the address of one request")
    const { client } = await invocation.agent()
    if (invocation.flag("fetch")) return fetched(invocation, client, url)
    const [method, path] = [invocation.text("method"), invocation.text("path")]
    const headers = await client.proof({
      url,
      ...(method === undefined ? {} : { method }),
      ...(path === undefined ? {} : { path })
    })
    invocation.print(
      Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      headers
    )
  }
}

export const verifyWebhookCommand: Command = {
  usage: [
    "verify-webhook --id <webhook-id> --timestamp <webhook-timestamp> --signature <webhook-signature> " +
      "[--server-key <base64>] <body|@file|->"
  ],
  summary: "whether a delivery is the hub's: by the kept secret, or by the hub's own key",
  words: true,
  options: {
    id: { type: "string" },
    timestamp: { type: "string" },
    signature: { type: "string" },
    "server-key": { type: "string" }
  },
  run: async (invocation) => {
    const [body, ...more] = invocation.positionals
    if (body === undefined || more.length > 0) throw usage("verify-webhook takes the body of one delivery")
    const { home } = await invocation.home()
    const [secret, serverKey] = [await home.secret(), invocation.text("server-key")]
    if (secret === null && serverKey === undefined)
      throw new Fault("no_secret", `there is no webhook-secret in ${home.folder}, and no --server-key`)
    const headers = {
      "webhook-id": invocation.text("id"),
      "webhook-timestamp": invocation.text("timestamp"),
      "webhook-signature": invocation.text("signature")
    }
    const event = await verifyWebhook({
      headers,
      body: await textArgument(body, invocation.around),
      ...(secret === null ? {} : { secret }),
      ...(serverKey === undefined ? {} : { serverPublicKey: serverKey })
    })
    invocation.print([`genuine: ${event.type} of ${event.timestamp}`], event)
  }
}
