/** Ready-made programs that people may choose instead of their own command. */
import { readFileSync } from "node:fs"

export const PROGRAMS = ["polite-member", "mail-codes", "empty-shell"] as const
export type Program = (typeof PROGRAMS)[number]

export const isProgram = (name: string | undefined): name is Program => PROGRAMS.some((one) => one === name)

/** The programs that can work in this service: one of them needs mail. */
export const programsFor = ({ mail }: { readonly mail: boolean }): ReadonlyArray<Program> =>
  PROGRAMS.filter((one) => mail || one !== "mail-codes")

const FOLDER = new URL("programs/", import.meta.url)

const textOf = (name: Program): string => readFileSync(new URL(`${name}.sh`, FOLDER), "utf8").trimEnd()

export const commandsOfPrograms = (): Readonly<Record<Program, string>> => ({
  "polite-member": textOf("polite-member"),
  "mail-codes": textOf("mail-codes"),
  "empty-shell": textOf("empty-shell")
})
