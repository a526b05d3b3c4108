/**
 * Seals an entry. Secrets are typed at the terminal, or read from standard input.
 *
 * Invariants
 *  - No secret is an argument, because lists of processes and the shell's history show arguments. An argument that
 *    looks like a secret is refused, and not repeated in the error.
 *  - Sealed content is never printed, neither as text or JSON nor in an error.
 */
import { resolve } from "node:path"
import { createClient, type EntryToSeal, type SealedEntry, sealEntry } from "../client.ts"
import { requireTaken, type SealingVault } from "../client/vault.ts"
import * as check from "../client/vault-checks.ts"
import { present } from "./arguments.ts"
import type { Command, Invocation, Surroundings } from "./command.ts"
import { Fault, usage } from "./fault.ts"
import { readSecret } from "./files.ts"
import { readAll } from "./input.ts"
import { Prompt } from "./prompt.ts"
import { oneLine } from "./output.ts"

type Kind = EntryToSeal["kind"]
type Fields = Readonly<Record<string, unknown>>

interface AskedValue {
  readonly name: string
  readonly question: string
  readonly shown?: true
  readonly optional?: true
}

const name = (name: string, question: string): AskedValue => ({ name, question, shown: true, optional: true })

const ASKED: Readonly<Record<Kind, ReadonlyArray<AskedValue>>> = {
  login: [
    { name: "username", question: "User name", shown: true },
    { name: "password", question: "Password" },
    { name: "totp", question: "Secret of the authenticator app, or nothing", optional: true }
  ],
  card: [
    { name: "number", question: "Number of the card" },
    { name: "exp_month", question: "Month in which it expires, as 04" },
    { name: "exp_year", question: "Year in which it expires, as 2031" },
    { name: "cvc", question: "Security code" },
    name("name", "Name on the card, or nothing")
  ],
  profile: [
    { name: "email", question: "E-mail address", shown: true },
    name("given_name", "Given name, or nothing"),
    name("family_name", "Family name, or nothing"),
    name("phone", "Phone, or nothing")
  ],
  secret: [{ name: "value", question: "Secret" }]
}

/** Options with the names of sealed fields. They are known only to refuse them. */
const SEALED_OPTIONS =
  "username user password pass email totp passkey number exp-month exp-year expiry cvc cvv name value secret token".split(
    " "
  )

const NEVER =
  "what is sealed is never an argument, which others on this machine can read: leave it out and you are asked"
const HOW = `${NEVER}, or give it as JSON on standard input with --stdin`

const LIMITS_USAGE = "<currency>,<a payment>,<a day>,<fills a day>"
const LIMITS = /^([A-Z]{3}),([\d.]{1,24}),([\d.]{1,24}),(\d{1,6})$/

/** True for a token, a card number or the `otpauth:` address of an authenticator's secret. */
const looksSecret = (word: string): boolean => /^(?:hx[sv]_|otpauth:)/.test(word) || check.isCardNumber(word)

export const limitsOf = (invocation: Invocation): check.SealedLimits | undefined => {
  const text = invocation.text("limits")
  if (text === undefined) return undefined
  const [, currency, per_payment, per_day, fills] = LIMITS.exec(text) ?? []
  if (currency === undefined) throw usage(`--limits takes ${LIMITS_USAGE}, such as EUR,50,100,5`)
  return check.limits({ currency, per_payment, per_day, fills_per_day: Number(fills) })
}

export const originsOf = (invocation: Invocation, atLeast: 0 | 1): ReadonlyArray<string> | undefined => {
  const named = invocation.texts("origin")
  return named.length === 0 ? undefined : check.origins(named, atLeast)
}

const consentOf = (invocation: Invocation, currency: string | undefined): Fields | "owner" | undefined => {
  const text = invocation.text("consent")
  if (text === undefined || text === "owner") return text
  const [, above] = /^above=([\d.]{1,24})$/.exec(text) ?? []
  if (above === undefined || currency === undefined)
    throw usage("--consent takes owner, or for a card above=<sum>, in the currency of its limits")
  return { above, currency }
}

const kindOf = (invocation: Invocation): Kind => {
  const [word, ...more] = invocation.positionals
  if (word === undefined || !Object.hasOwn(ASKED, word) || more.length > 0)
    throw usage(`vault seal takes one of ${Object.keys(ASKED).join(", ")}, and no other word: ${HOW}`)
  return word as Kind
}

const refuseSecrets = (invocation: Invocation): void => {
  const named = SEALED_OPTIONS.find((option) => invocation.text(option) !== undefined)
  if (named !== undefined) throw usage(`--${named} is no option: ${HOW}`)
  const words = ["label", "limits", "consent", "source-token-file"].map((option) => invocation.text(option) ?? "")
  if ([...words, ...invocation.texts("origin"), ...invocation.positionals].some(looksSecret))
    throw usage(`one of the arguments looks like a secret: ${HOW}; a source's token stands in a file`)
}

const fromInput = async (around: Surroundings): Promise<Fields> => {
  const text = await readAll(around.stdin, "standard input")
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    // The parser's message would quote the secret.
    throw usage("standard input is no JSON")
  }
  if (typeof found !== "object" || found === null || Array.isArray(found))
    throw usage("standard input must be one JSON object, of the fields that are sealed")
  return found as Fields
}

const fromTerminal = async (kind: Kind, around: Surroundings): Promise<Fields> => {
  if (!around.stdin.isTTY) throw usage("standard input is no terminal: give the fields as JSON with --stdin")
  const prompt = new Prompt(around)
  const found: Record<string, string> = {}
  for (const { name, question, shown, optional } of ASKED[kind]) {
    const answer = await (shown === true ? prompt.line(question) : prompt.secret(question))
    if (answer !== "" || optional !== true) found[name] = answer
  }
  return found
}

interface Place {
  readonly vault: SealingVault
  readonly write: (entry: SealedEntry) => Promise<{ readonly id: number; readonly uid: string }>
}

const ofSource = async (invocation: Invocation, file: string): Promise<Place> => {
  const { hub } = await invocation.home()
  const token = await readSecret(resolve(invocation.around.cwd, file))
  if (token === null) throw new Fault("file_unreadable", "--source-token-file names no file that is there")
  const source = createClient({ ...invocation.connection(hub), sourceToken: token.trim() })
  return { vault: await source.vault(), write: (entry) => source.writeEntry(entry) }
}

const ofAgent = async (invocation: Invocation): Promise<Place> => {
  const { client } = await invocation.agent()
  const { data: vault } = await client.get("/vault")
  return { vault, write: async (entry) => (await client.operations.writeVaultEntry(entry)).data }
}

export const sealCommand: Command = {
  usage: [
    "vault seal login|card|profile|secret [--origin <https://…>]... [--label <label>]",
    ` [--limits ${LIMITS_USAGE}] [--consent owner|above=<sum>] [--stdin] [--source-token-file <file>]`
  ],
  unshown: [`vault seal [<word>...] ${SEALED_OPTIONS.map((option) => `[--${option} <text>]`).join(" ")}`],
  summary:
    "seal an entry on this machine and write it: you are asked for what is secret, or --stdin reads it as a JSON object\n" +
    "--source-token-file: into the vault of another agent, by the token that it made for you",
  run: async (invocation) => {
    refuseSecrets(invocation)
    const kind = kindOf(invocation)
    const [limits, file] = [limitsOf(invocation), invocation.text("source-token-file")]
    const beside = present({
      origins: originsOf(invocation, kind === "card" ? 0 : 1),
      label: invocation.text("label"),
      limits,
      consent: consentOf(invocation, limits?.currency)
    })
    if (kind === "profile" && Object.keys(beside).length > 0)
      throw usage("a profile is sealed as a whole: leave --origin, --label, --limits and --consent out")
    const { vault, write } = await (file === undefined ? ofAgent(invocation) : ofSource(invocation, file))
    requireTaken(vault, kind)
    const fields = await (invocation.flag("stdin")
      ? fromInput(invocation.around)
      : fromTerminal(kind, invocation.around))
    const sealed = await sealEntry(vault, { ...fields, ...beside, kind } as EntryToSeal)
    const written = await write(sealed)
    const about = [sealed.label, ...(sealed.origins ?? [])].filter((one) => one !== undefined).map(oneLine)
    invocation.print([`${kind} ${written.id} is sealed${about.length === 0 ? "" : `: ${about.join(", ")}`}`], written)
  }
}
