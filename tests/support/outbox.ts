/** Letters that a system has sent, as files. */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { waitFor } from "../harness/index.ts"
import type { TestService } from "./service.ts"

/** Lines that go on are one, and encoded signs are themselves. */
const plain = (message: string): string =>
  message
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** To an address, in no order. */
export const lettersTo = async ({ system }: TestService, email: string): Promise<ReadonlyArray<string>> => {
  const folder = join(system.folder, "outbox")
  const names = await readdir(folder).catch(() => [])
  const letters = await Promise.all(
    names.filter((name) => name.endsWith(".eml")).map((name) => readFile(join(folder, name), "utf8"))
  )
  return letters.map(plain).filter((letter) => letter.includes(email))
}

/** Tokens of links below a path, of all letters to an address, once there are so many. */
export const tokensTo = (
  service: TestService,
  email: string,
  path: "/owner/verify" | "/owner/forgot",
  count = 1
): Promise<ReadonlyArray<string>> =>
  waitFor(async () => {
    const letters = await lettersTo(service, email)
    const tokens = letters.flatMap((letter) => {
      const at = letter.indexOf(`${path}?token=`)
      return at === -1 ? [] : [/^[\w-]+/.exec(letter.slice(at + path.length + "?token=".length))?.[0] ?? ""]
    })
    return tokens.length >= count ? tokens : null
  })
