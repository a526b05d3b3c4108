/** Commands for websites: prove the agent's identity to one, and verify the hub's deliveries. */
import { harmless } from "../../../schemas/printed.ts"
import type { HubClient } from "../client.ts"
import { readBounded } from "../client/answer.ts"
import { verifyWebhook } from "../client.ts"
import type { Command, Invocation } from "./command.ts"
import { Fault } from "./fault.ts"
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
  run: async (invocation) => {
    const [url] = invocation.words("url")
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
  run: async (invocation) => {
    const [body] = invocation.words("body")
    const { home } = await invocation.home()
    const [secret, serverKey] = [await home.secret(), invocation.text("server-key")]
    if (secret === null && serverKey === undefined)
      throw new Fault("no_secret", `there is no webhook-secret in ${home.folder}, and no --server-key`)
    const headers = {
      "webhook-id": invocation.needed("id"),
      "webhook-timestamp": invocation.needed("timestamp"),
      "webhook-signature": invocation.needed("signature")
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
