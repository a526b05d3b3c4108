/** `hub-agent mcp` as a host runs it, spoken to by the protocol's own client. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { programPath } from "../../harness/index.ts"

type Result = Awaited<ReturnType<Client["callTool"]>>

interface Answered {
  readonly isError: boolean
  readonly text: string
  readonly structured: Readonly<Record<string, unknown>>
}

export interface Host {
  readonly client: Client
  readonly call: (name: string, fields?: Record<string, unknown>, signal?: AbortSignal) => Promise<Answered>
  /** What it wrote to standard error so far. */
  readonly errors: () => string
  readonly stop: () => Promise<void>
}

const answered = (result: Result): Answered => {
  const [first, ...more] = Array.isArray(result.content) ? result.content : []
  if (first?.type !== "text" || more.length > 0) throw new Error("the answer is not one text")
  return {
    isError: result.isError === true,
    text: String(first.text),
    structured: (result.structuredContent ?? {}) as Record<string, unknown>
  }
}

export const startHost = async (
  hub: string,
  home: string,
  args: ReadonlyArray<string> = [],
  program?: string
): Promise<Host> => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ["--no-warnings", program ?? (await programPath("agent")), "mcp", ...args],
    env: { HUB_URL: hub, HUB_AGENT_HOME: home },
    stderr: "pipe"
  })
  let errors = ""
  transport.stderr?.on("data", (chunk: Buffer) => {
    errors += chunk.toString("utf8")
  })
  const client = new Client({ name: "test", version: "1.0.0" })
  await client.connect(transport)
  return {
    client,
    call: async (name, fields = {}, signal) =>
      answered(await client.callTool({ name, arguments: fields }, undefined, signal === undefined ? {} : { signal })),
    errors: () => errors,
    stop: () => client.close()
  }
}
