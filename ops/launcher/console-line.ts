/**
 * The line of `npm start` with the address of the operators' console and a one-time link.
 *
 * The link signs in whoever opens it, so it is written only to a terminal. If standard error is a file or a pipe, or no
 * link can be had, the line names the command that prints one.
 */
import { connect } from "@nats-io/transport-node"
import { askLink } from "../cli/ask-link.ts"
import { operatorIn } from "../cli/connection.ts"
import { busServers } from "../../schemas/bus/servers.ts"

const COMMAND = "npm run hub -- console link"

const linkFrom = async (natsUrl: string, env: NodeJS.ProcessEnv): Promise<string> => {
  const servers = busServers(natsUrl, "operator")
  if (servers === null) throw new Error("HUB_NATS_URL is not an address")
  const nats = await connect(servers)
  try {
    return await askLink(nats, operatorIn(env))
  } finally {
    await nats.close()
  }
}

export const consoleLine = async (
  url: string,
  natsUrl: string,
  env: NodeJS.ProcessEnv,
  isTerminal = process.stderr.isTTY === true
): Promise<string> => {
  const link = isTerminal ? await linkFrom(natsUrl, env).catch(() => null) : null
  return link === null
    ? `console: ${url} (a one-time link: ${COMMAND})`
    : `console, once within ten minutes: ${link} (another link: ${COMMAND})`
}
