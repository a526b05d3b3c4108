/** `hub webhook pause|resume <agent>`: pauses and resumes the deliveries to one agent's webhook. */
import type { Command } from "./command.ts"
import { operatorIn } from "./connection.ts"
import { Fault } from "./fault.ts"
import { hubIdOfReference } from "./references.ts"

const WHY_MAX_CHARS = 500

const holding = (action: "pause" | "resume", said: (reference: string, changed: boolean) => string): Command => ({
  usage: [`webhook ${action} <agent> --why <text>`],
  run: async (service, { positionals: [reference = ""], values: { why = "" } }) => {
    if (why.trim() === "" || why.length > WHY_MAX_CHARS)
      throw new Fault(`say why, in 1 to ${WHY_MAX_CHARS} characters: --why <text>`)
    const agent = await hubIdOfReference(service, reference)
    const command = service.commandBy({ name: operatorIn(process.env), why })
    const { changed } = await command(`webhook.${action}`, agent, null)
    return said(reference, changed)
  }
})

export const webhookCommands = [
  holding("pause", (reference, changed) =>
    changed
      ? `deliveries to the webhook of ${reference} wait until hub webhook resume`
      : `the webhook of ${reference} was paused already`
  ),
  holding("resume", (reference, changed) =>
    changed
      ? `deliveries to the webhook of ${reference} go out again, the last of those that wait within the hour`
      : `the webhook of ${reference} was not paused`
  )
]
