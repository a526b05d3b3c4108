/**
 * Writes each letter to a file, for trying out the service. A file has its name only after it is complete, and a letter
 * that is written again replaces its own file.
 */
import { randomBytes } from "node:crypto"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import type { Message, Transport } from "./transport.ts"

/** Only the user who runs the service may read letters, because they hold addresses and tokens. */
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
