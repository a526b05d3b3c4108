/**
 * The script of the page that seals (seal-view.ts): it runs in browsers, and goes there as one file with libsodium
 * (seal-script.bundle.js).
 *
 * Invariants
 *  - What was typed leaves the page inside a sealed box and no other way; beside it goes what is kept in clear.
 *  - A token that came behind the address's # is out of the address before anything else is done. It is kept in this
 *    script's memory alone, and sent to the origin that the page came from.
 *  - Whatever the service answers is text: it is written by `textContent`, and of the kinds only known ones count.
 *  - What was typed is wiped once it is sent, and when the page is left.
 */
import { HubError } from "../sdk/client/errors.ts"
import { transportOf } from "../sdk/client/connection.ts"
import { Transport } from "../sdk/client/transport.ts"
import { SourceClient } from "../sdk/client/vault-source.ts"
import { type EntryToSeal, requireTaken, sealEntry } from "../sdk/client/vault.ts"
import { IDS, inputId, type Kind, problemId, type SealField, type SealKind, SEAL_KINDS } from "./seal-fields.ts"

/** Of the document, what is used here. */
interface Node {
  value: string
  checked: boolean
  hidden: boolean
  disabled: boolean
  textContent: string
  readonly focus: () => void
  readonly reset: () => void
  readonly setAttribute: (name: string, value: string) => void
  readonly removeAttribute: (name: string) => void
  readonly querySelector: (selector: string) => Node
  readonly addEventListener: (type: string, listener: (event: { readonly preventDefault: () => void }) => void) => void
}
declare const document: { readonly getElementById: (id: string) => Node | null }
declare const location: { readonly origin: string; readonly pathname: string; readonly search: string; hash: string }
declare const history: { readonly replaceState: (state: null, unused: string, url: string) => void }
declare const addEventListener: Node["addEventListener"]

const PAGE = /\/vault\/seal\/?$/
const TOKEN = /^#(hxs_[A-Za-z0-9_-]+)$/

const at = (id: string): Node => {
  const node = document.getElementById(id)
  if (node === null) throw new Error(`There is no ${id} on this page`)
  return node
}

const [open, token, told, form, whose] = [at(IDS.open), at(IDS.token), at(IDS.told), at(IDS.form), at(IDS.whose)]

/** By code; others are told in the service's own words. */
const WORDS: Readonly<Record<string, string>> = {
  token_invalid: "This token is none, or it has ended. Ask whoever gave it to you for another.",
  invalid_argument: "This is no token: it begins with hxs_ and has 71 characters.",
  vault_not_active: "This vault takes nothing: it has been revoked, or its key is not made yet.",
  vault_full: "This vault is full.",
  connection_failed: "The service could not be reached. Nothing was written, as far as is known: try again.",
  timed_out: "The service did not answer in time. It may have been written all the same.",
  insecure_address: "This page came without encryption: open it by https."
}

const wordsOf = (error: unknown): string =>
  error instanceof HubError ? (WORDS[error.code] ?? error.message) : "Your browser could not seal this."

const inputsOf = ({ kind, fields, websites }: SealKind): ReadonlyArray<string> =>
  [...fields.map(({ name }) => name), ...(websites === null ? [] : ["origins", "label"])].map((name) =>
    inputId(kind, name)
  )

const problems = [IDS.token, ...SEAL_KINDS.flatMap(inputsOf)]

const clearProblems = (): void => {
  for (const id of problems) {
    at(id).removeAttribute("aria-invalid")
    Object.assign(at(problemId(id)), { hidden: true, textContent: "" })
  }
}

const tellProblem = (id: string, words: string): void => {
  at(id).setAttribute("aria-invalid", "true")
  Object.assign(at(problemId(id)), { hidden: false, textContent: words })
  at(id).focus()
}

const tell = (words: string): void => {
  told.textContent = words
}

/** One thing at a time; the button says by itself that it cannot be pressed meanwhile. */
const busy = async (of: Node, work: () => Promise<void>): Promise<void> => {
  const button = of.querySelector("button")
  if (button.disabled) return
  button.disabled = true
  clearProblems()
  try {
    await work()
  } finally {
    button.disabled = false
  }
}

const chosen = (): SealKind | undefined => SEAL_KINDS.find(({ kind }) => at(inputId(kind, "chosen")).checked)

const showChosen = (): void => {
  const one = chosen()
  for (const { kind } of SEAL_KINDS) at(inputId(kind, "fields")).hidden = kind !== one?.kind
}

const wipe = (): void => {
  const { kind } = chosen() ?? {}
  form.reset()
  if (kind !== undefined) at(inputId(kind, "chosen")).checked = true
}

/** The number is what nobody else can have: a name and a handle may read like anybody's. */
const whoseOf = ({ hx_id, handle, name }: Opened["vault"]["agent"]): string =>
  `You write into the vault of agent ${hx_id} (${handle === null ? name : `${name}, ${handle}`}), and of no other. ` +
  `The maker of this link or token chose that agent. Its operator can use the entry that you seal, and can read it with a ` +
  `fill service of their own. Go on only if you know that ${hx_id} is the right agent.`

interface Opened {
  readonly source: SourceClient
  readonly vault: Awaited<ReturnType<SourceClient["vault"]>>
}
let opened: Opened | null = null

const openVault = (): Promise<void> =>
  busy(open, async () => {
    try {
      const hub = location.origin + location.pathname.replace(PAGE, "")
      const source = new SourceClient(new Transport(transportOf({ hub })), token.value.trim())
      const vault = await source.vault()
      const kinds = SEAL_KINDS.filter(({ kind }) => vault.kinds.includes(kind))
      const [first] = kinds
      if (first !== undefined) requireTaken(vault, first.kind)
      opened = { source, vault }
      token.value = ""
      for (const { kind } of SEAL_KINDS) {
        const choice = at(inputId(kind, "chosen"))
        Object.assign(choice, { disabled: !kinds.some((one) => one.kind === kind), checked: kind === first?.kind })
      }
      whose.textContent = whoseOf(vault.agent)
      open.hidden = true
      form.hidden = false
      showChosen()
      tell("")
      if (first !== undefined) at(inputId(first.kind, "chosen")).focus()
    } catch (error) {
      tellProblem(IDS.token, wordsOf(error))
    }
  })

/** As people write addresses: without https://, or with a path behind. */
const originOf = (line: string): string => {
  const address = line.includes("://") ? line : `https://${line}`
  return URL.canParse(address) ? new URL(address).origin : line
}

type Fields = Readonly<Record<string, unknown>>

const typed = (kind: Kind, { name, isOptional, within }: SealField): unknown => {
  const { value } = at(inputId(kind, name))
  if (isOptional === true && value === "") return undefined
  return within === "limits" && name === "fills_per_day" ? (/^\d+$/.test(value) ? Number(value) : null) : value
}

/** What is missing or wrong in it, sealing says. */
const entryOf = ({ kind, fields, websites }: SealKind): Fields => {
  const of = (within: SealField["within"]) =>
    Object.fromEntries(
      fields.filter((one) => one.within === within).map((one) => [one.name, typed(kind, one)] as const)
    )
  const lines = websites === null ? [] : at(inputId(kind, "origins")).value.split("\n")
  const origins = lines.map((line) => line.trim()).filter((line) => line !== "")
  const label = websites === null ? "" : at(inputId(kind, "label")).value
  return {
    kind,
    ...of(undefined),
    ...(kind === "card" ? { limits: of("limits") } : {}),
    ...(kind === "profile" ? { address: of("address") } : {}),
    ...(websites === null ? {} : { origins: origins.map(originOf) }),
    ...(label === "" ? {} : { label }),
    ...(websites !== null && at(inputId(kind, "consent")).checked ? { consent: "owner" } : {})
  }
}

/** Beside the field that it is about, where it is about one. */
const tellRefusal = (kind: Kind, error: unknown): void => {
  const field = error instanceof HubError ? error.details["field"] : undefined
  const name = typeof field === "string" ? field.replace(/^(?:limits|address)\./, "").replace(/\.\d+$/, "") : ""
  const id = inputId(kind, name)
  if (!(error instanceof HubError) || !problems.includes(id)) {
    tell(wordsOf(error))
    told.focus()
    return
  }
  const { code, message } = error
  tellProblem(id, code === "invalid_argument" ? `This${message.slice(String(field).length)}.` : message)
}

const send = (): Promise<void> =>
  busy(form, async () => {
    const one = chosen()
    if (one === undefined || opened === null) return
    tell("")
    try {
      const sealed = await sealEntry(opened.vault, entryOf(one) as unknown as EntryToSeal)
      const { id } = await opened.source.writeEntry(sealed)
      wipe()
      tell(`Sealed and sent: it is entry ${id} of the vault. Your input is wiped from this page.`)
      told.focus()
    } catch (error) {
      tellRefusal(one.kind, error)
    }
  })

/** The address forgets the token before it is used. */
const takeToken = (): void => {
  const { hash } = location
  if (hash !== "") history.replaceState(null, "", location.pathname + location.search)
  const [, found] = TOKEN.exec(hash) ?? []
  if (found === undefined || opened !== null) return
  token.value = found
  void openVault()
}

open.addEventListener("submit", (event) => {
  event.preventDefault()
  void openVault()
})
form.addEventListener("submit", (event) => {
  event.preventDefault()
  void send()
})
for (const { kind } of SEAL_KINDS) at(inputId(kind, "chosen")).addEventListener("change", showChosen)
addEventListener("hashchange", takeToken)
addEventListener("pagehide", () => {
  wipe()
  token.value = ""
})
open.hidden = false
takeToken()
