/** Letters that a system has sent, read from its folder. */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { waitFor } from "../harness/index.ts"
import type { TestService } from "./service.ts"

/** Decodes quoted-printable: joins continued lines and decodes characters. */
const plain = (message: string): string =>
  message
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** The letters to an address, in any order. */
export const lettersTo = async ({ system }: TestService, email: string): Promise<ReadonlyArray<string>> => {
  const folder = join(system.folder, "outbox")
  const names = await readdir(folder).catch(() => [])
  const letters = await Promise.all(
    names.filter((name) => name.endsWith(".eml")).map((name) => readFile(join(folder, name), "utf8"))
  )
  return letters.map(plain).filter((letter) => letter.includes(email))
}

/** Waits for this number of letters to an address, and returns the tokens of their links below a path. */
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
