/**
 * Letters as files, one each, for a service that is tried out: whole once they are there under their name. Written
 * again, a letter takes its own place.
 */
import { randomBytes } from "node:crypto"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import type { Message, Transport } from "./transport.ts"

/** Letters hold addresses and tokens: they are for whoever runs the service alone. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

export const fileTransport = (folder: string): Transport => ({
  name: "file",
  send: (message) =>
    Effect.match(
      Effect.tryPromise(() => written(folder, message)),
      {
        onSuccess: () => ({ type: "sent" as const, message_id: message.messageId }),
        onFailure: () => ({ type: "passing" as const, reason: "the outbox cannot be written to" })
      }
    )
})

const written = async (folder: string, { id, bytes }: Message): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
  const aside = join(folder, `.${id}.${randomBytes(6).toString("hex")}`)
  try {
    const file = await open(aside, "wx", FILE_MODE)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(aside, join(folder, `${id}.eml`))
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
}
