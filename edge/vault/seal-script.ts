/**
 * The script of the page that seals (pages.ts). It runs in browsers, bundled with libsodium as seal-script.bundle.js.
 *
 * Invariants
 *  - Typed secrets leave the page only inside a sealed box. Fields that are stored in clear are sent beside it.
 *  - A token after the # of the address is removed from the address before it is used. It is kept in memory only, and
 *    sent only to the origin of the page.
 *  - Answers of the service are text: they are written by `textContent`, and unknown kinds are ignored.
 *  - Typed secrets are wiped once they are sent, and when the page is left.
 */
import { HubError } from "../sdk/client/errors.ts"
import { transportOf } from "../sdk/client/connection.ts"
import { Transport } from "../sdk/client/transport.ts"
import { SourceClient } from "../sdk/client/vault-source.ts"
import { type EntryToSeal, requireTaken, sealEntry } from "../sdk/client/vault.ts"
import { IDS, inputId, type Kind, problemId, type SealField, type SealKind, SEAL_KINDS } from "./seal-fields.ts"

/** The members of a node that are used here. */
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

/** Messages by error code. For other errors the service's own message is shown. */
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

/** Runs one action at a time. The button is disabled while it runs. */
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

/** Names the agent by its number, because a name or a handle may look like another agent's. */
const whoseOf = ({ hx_id, handle, name }: OpenedSource["vault"]["agent"]): string =>
  `You write into the vault of agent ${hx_id} (${handle === null ? name : `${name}, ${handle}`}), and of no other. ` +
  `The maker of this link or token chose that agent. Its operator can use the entry that you seal, and can read it with a ` +
  `fill service of their own. Go on only if you know that ${hx_id} is the right agent.`

interface OpenedSource {
  readonly source: SourceClient
  readonly vault: Awaited<ReturnType<SourceClient["vault"]>>
}
let opened: OpenedSource | null = null

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

/** Returns the origin of an address, because people write addresses without https://, or with a path. */
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

/** Reads the form without checks, because `sealEntry` reports missing and wrong fields. */
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

/** Shows a problem beside its field, or above the form if it has none. */
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

/** Removes the token from the address before it is used. */
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
