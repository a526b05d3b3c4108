/** Websites of the tests on this machine: https, with a certificate for each name, each on its own origin. */
import { createHash, createPublicKey } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createServer } from "node:https"
import type { IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { authority } from "./certificates.ts"

const PAGES = join(projectRoot, "tests/fill/pages")
const TYPE = { "content-type": "text/html; charset=utf-8" } as const

interface Sent {
  readonly host: string
  readonly path: string
  /** The fields of a form, or of a script's request. */
  readonly fields: Readonly<Record<string, string>>
}

export interface Websites {
  readonly port: number
  /** The hash by which a browser accepts the certificate without knowing the authority. */
  readonly spki: string
  /** The requests of forms and scripts, the oldest first. */
  readonly sent: Array<Sent>
  readonly stop: () => Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Array<Buffer> = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString("utf8")
}

/** A page below `/sandboxed/` is served in a sandbox. Its address belongs to the website, but its origin is opaque. */
const SANDBOX = { "content-security-policy": "sandbox allow-scripts allow-forms" } as const

/** `/<page>` is a file of `tests/fill/pages`. All POST requests are recorded. */
export const openWebsites = async (names: ReadonlyArray<string>): Promise<Websites> => {
  const { cert, key } = authority("Websites of the tests").issue({ names })
  const sent: Array<Sent> = []
  const server = createServer({ cert, key }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "https://any.example")
    const answer = async (): Promise<void> => {
      if (request.method === "POST") {
        const fields = Object.fromEntries(new URLSearchParams(await bodyOf(request)))
        sent.push({ host: request.headers.host ?? "", path: pathname, fields })
        const next = searchParams.get("then")
        if (next === null) response.writeHead(200, TYPE).end("<!doctype html><title>Done</title><p>Thank you.</p>")
        else response.writeHead(303, { location: next }).end()
        return
      }
      const [, sandbox, page] = /^\/(sandboxed\/)?([a-z0-9-]+)$/.exec(pathname) ?? []
      const html = page === undefined ? null : await readFile(join(PAGES, `${page}.html`), "utf8").catch(() => null)
      const headers = sandbox === undefined ? TYPE : { ...TYPE, ...SANDBOX }
      response.writeHead(html === null ? 404 : 200, headers).end(html ?? "<!doctype html><title>None</title>")
    }
    void answer()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const spki = createPublicKey(cert).export({ type: "spki", format: "der" })
  return {
    port: (server.address() as AddressInfo).port,
    spki: createHash("sha256").update(spki).digest("base64"),
    sent,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((stopped) => server.close(stopped))
    }
  }
}
