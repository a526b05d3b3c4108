/**
 * Commands for the agent's vault: its entries, who may write to it, and its journal. No command can read sealed
 * content.
 */
import { resolve } from "node:path"
import type {
  CardLimits,
  Consent,
  Vault,
  VaultEntry,
  VaultLogLine,
  VaultSource
} from "../../../schemas/vault/records.ts"
import { type Choices, chosen, numberIn, numberOf, present, WRITE_USAGE, writeOf } from "./arguments.ts"
import type { Command } from "./command.ts"
import { Fault, usage } from "./fault.ts"
import { create, requireFree } from "./files.ts"
import { askedUntil, secondsOf, untilOf } from "./held.ts"
import { calling } from "./operation.ts"
import { oneLine } from "./output.ts"
import { Prompt } from "./prompt.ts"
import { listed, when } from "./show.ts"
import { limitsOf, originsOf, sealCommand } from "./vault-seal.ts"

const KEY_WAIT_SECONDS = 30
const KEY_WAIT_MAX_SECONDS = 600
const WORD = "revoke"

const KINDS: Choices<VaultEntry["kind"]> = { login: true, card: true, profile: true, secret: true }

const limitsText = (limits: CardLimits | null): string =>
  limits === null
    ? ""
    : `${limits.per_payment} a payment, ${limits.per_day} a day (${limits.currency}), ${limits.fills_per_day} fills a day`

const consentText = (consent: Consent): string =>
  consent === "owner"
    ? "your owners are asked before each use"
    : `your owners are asked above ${consent.above} ${consent.currency}`

const vaultLines = ({ uid, status, public_key, entries, sources, revoked_at }: Vault): ReadonlyArray<string> => [
  `vault:   ${uid}`,
  `status:  ${status}${revoked_at === null ? "" : ` since ${when(revoked_at)}`}`,
  `key:     ${public_key ?? "none"}`,
  `entries: ${entries}`,
  `sources: ${sources}`
]

const entryLines = (entry: VaultEntry): ReadonlyArray<string> => [
  `${entry.kind} ${entry.id}${entry.label === null ? "" : `: ${oneLine(entry.label)}`}`,
  `websites: ${entry.origins.join(", ") || (entry.kind === "card" ? "any shop" : "none named")}`,
  ...(entry.limits === null ? [] : [`limits:   ${limitsText(entry.limits)}`]),
  ...(entry.consent === null ? [] : [`consent:  ${consentText(entry.consent)}`]),
  `written:  ${when(entry.created_at)} by ${entry.source}${entry.unconfirmed ? ", not confirmed by its website" : ""}`,
  `used:     ${entry.uses} times${entry.last_used_at === null ? "" : `, last ${when(entry.last_used_at)}`}`
]

const createCommand: Command = {
  usage: [`vault create [--wait <seconds>] ${WRITE_USAGE}`],
  summary: `make your vault; its key is waited for, ${KEY_WAIT_SECONDS} seconds where nothing is said`,
  run: async (invocation) => {
    const seconds = secondsOf(invocation, KEY_WAIT_MAX_SECONDS, KEY_WAIT_SECONDS)
    const { client } = await invocation.agent()
    const { data: made } = await client.operations.createVault({}, writeOf(invocation))
    const ready = await askedUntil(untilOf(seconds), async () => {
      const { data: vault } = await client.operations.getVault()
      return { found: vault.status === "active" ? vault : null, isIdle: true }
    })
    invocation.print(vaultLines(ready ?? made), ready ?? made)
  }
}

const show: Command = {
  usage: ["vault show [<entry>]"],
  summary: "your vault, or one entry of it",
  run: async (invocation) => {
    const [word] = invocation.positionals
    if (word === undefined) {
      const { client } = await invocation.agent()
      const { data } = await client.operations.getVault()
      return invocation.print(vaultLines(data), data)
    }
    const id = numberOf(word, "entry")
    const { client } = await invocation.agent()
    const { data } = await client.operations.getVaultEntry({ id })
    invocation.print(entryLines(data), data)
  }
}

const list = calling("listVaultEntries", {
  usage: "vault list",
  summary: "what is in your vault, newest first",
  lines: (data, meta) => {
    const rows = data.map(({ id, kind, label, origins, limits, uses }) => [
      id,
      kind,
      uses,
      label ?? "",
      limitsText(limits),
      origins.join(" ")
    ])
    return listed(["ID", "KIND", "USES", "LABEL", "LIMITS", "WEBSITES"], rows, meta)
  }
})

const logRow = (line: VaultLogLine): ReadonlyArray<string | number> => [
  line.id,
  when(line.at),
  line.event,
  line.actor,
  line.entry_id ?? "",
  [line.status, line.code].filter((one) => one !== null).join(" "),
  line.amount === null ? "" : `${line.amount} ${line.currency ?? ""}`,
  line.origin ?? ""
]

const log = calling("listVaultLog", {
  usage: "vault log",
  summary: "every fill, refusal and change, newest first",
  lines: (data, meta) =>
    listed(["ID", "AT", "EVENT", "BY", "ENTRY", "STATUS", "AMOUNT", "WEBSITE"], data.map(logRow), meta)
})

const narrow = calling("changeVaultEntry", {
  usage: ["vault narrow <entry> [--origin <https://…>]... [--limits <currency>,<a payment>,<a day>,<fills a day>]", ""],
  summary: "fewer websites, or lower limits: never the other way",
  fields: (invocation) => {
    const id = numberIn(invocation, "entry")
    const wanted = present({ origins: originsOf(invocation, 1), limits: limitsOf(invocation) })
    if (Object.keys(wanted).length === 0) throw usage("vault narrow takes --origin, --limits or both")
    return { id, ...wanted }
  },
  lines: entryLines
})

const remove = calling("deleteVaultEntry", {
  usage: "vault delete <entry>",
  summary: "delete an entry: what is sealed of it is erased",
  lines: (_data, _meta, invocation) => [`entry ${invocation.positionals[0]} is deleted`]
})

const source: Command = {
  usage: [
    `vault source --label <label> --kind login|card|profile|secret... [--output <file>] ${WRITE_USAGE}`,
    `vault source --end <source> ${WRITE_USAGE}`
  ],
  summary:
    "let somebody write entries of these kinds, and read none: the token for it goes to a file, yours alone to read\n" +
    "--end: its token stops working; what it wrote stays",
  run: async (invocation) => {
    const [label, end, output] = [invocation.text("label"), invocation.text("end"), invocation.text("output")]
    const kinds = invocation.texts("kind").map((word) => chosen("--kind", word, KINDS))
    if (end !== undefined) {
      if (label !== undefined || output !== undefined || kinds.length > 0) throw usage("--end stands alone")
      const id = numberOf(end, "source")
      const { client } = await invocation.agent()
      const { data } = await client.operations.deleteVaultSource({ id }, writeOf(invocation))
      return invocation.print([`source ${id} is ended`], data)
    }
    if (label === undefined) throw new Error("the usage of this command does without --label")
    const path = output === undefined ? undefined : resolve(invocation.around.cwd, output)
    if (path !== undefined) await requireFree(path)
    const { home, client } = await invocation.agent()
    const { data: made } = await client.operations.createVaultSource({ label, kinds }, writeOf(invocation))
    // The token is stored before anything else, because it is shown only once.
    if (path !== undefined) await create(path, `${made.token}\n`)
    const file = path ?? (await home.keepSourceToken(made.id, made.token))
    const shown = invocation.flag("show-secret") ? [made.token] : []
    invocation.print([`source ${made.id} writes ${made.kinds.join(", ")}; its token is in ${file}`, ...shown], {
      ...made,
      file
    })
  }
}

const sourceRow = ({ id, kinds, created_at, label }: VaultSource): ReadonlyArray<string | number> => [
  id,
  kinds.join(" "),
  when(created_at),
  label
]

const sources = calling("listVaultSources", {
  usage: "vault sources",
  summary: "who may write into your vault, newest first",
  lines: (data, meta) => listed(["ID", "KINDS", "SINCE", "LABEL"], data.map(sourceRow), meta)
})

const revoke: Command = {
  usage: [`vault revoke ${WRITE_USAGE}`],
  summary: `end your vault for good: key, tokens and entries are erased; asks for the word ${WORD}`,
  run: async (invocation) => {
    const { client } = await invocation.agent()
    const question = `This erases the vault's key, its tokens and all its entries, for good. Type ${WORD} to go on:`
    const word = await new Prompt(invocation.around).line(question)
    if (word.trim() !== WORD) throw new Fault("not_confirmed", `the word was not ${WORD}: nothing is revoked`)
    const { data } = await client.operations.revokeVault({ confirm: WORD }, writeOf(invocation))
    invocation.print([`revoked at ${when(data.revoked_at)}`], data)
  }
}

export const vaultCommands = [createCommand, show, sealCommand, list, log, narrow, remove, source, sources, revoke]
