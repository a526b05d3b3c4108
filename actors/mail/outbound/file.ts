/** Writes mail to files, one for each recipient, for trying the service out. */
import { Effect } from "effect"
import { fileTransport } from "../../kit/mailing/file-transport.ts"
import type { Transport } from "./transport.ts"

export const filesTransport = (folder: string): Transport => {
  const files = fileTransport(folder)
  return {
    name: "file",
    signs: true,
    // A repeated message replaces the same file.
    repeatable: true,
    send: ({ id, from, to, bytes }, hurry) =>
      Effect.map(files.send({ id: `mail-${id}`, from, to, messageId: id, bytes }, hurry), (outcome) =>
        outcome.type === "sent"
          ? { type: "sent", provider_id: null, delivered: false }
          : { type: "passing", reason: outcome.reason }
      )
  }
}
