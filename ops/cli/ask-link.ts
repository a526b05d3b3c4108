/** Asks the operators' console for a one-time link, over the bus. */
import type { NatsConnection } from "@nats-io/transport-node"
import { subjects } from "../../schemas/subjects.ts"
import { Fault } from "./fault.ts"

const ANSWER_MS = 3000

/** `operator` is the operator's name, in the form that command ids contain. */
export const askLink = async (nats: NatsConnection, operator: string): Promise<string> => {
  const answer = await nats.request(subjects.consoleLink, operator, { timeout: ANSWER_MS }).catch(() => null)
  const link = answer?.string() ?? ""
  if (link === "") throw new Fault("no console answers that gives links: it must run with HUB_CONSOLE_LINKS=true")
  return link
}
