/**
 * Selects the operations that are offered as tools. A model gets as few as possible: `read` unless configured
 * otherwise.
 *
 * Invariants
 *  - Operations that register an agent or change its keys are never offered. The commands `register`, `rotate` and
 *    `recovery` also write the key files. Without the files, nobody would have the key of the account.
 *  - Operations that cannot be undone, or that change a secret, are offered only if they are named.
 *  - Files are read and written only below a folder that is named for this.
 *  - Operations and fields for operators are offered with `all`, or by the operation's name.
 *  - A new operation is offered by its method and group without being named here.
 */
import type { Tool } from "@modelcontextprotocol/sdk/types.js"
import { usage } from "../cli/fault.ts"
import { isOperation, type OperationName } from "../client/operations.ts"
import declared from "./tools.json" with { type: "json" }

const TIERS = ["read", "write", "all"] as const
type Tier = (typeof TIERS)[number]

type Names = ReadonlySet<string>

/** The commands carry out these operations together with changes of files on this machine. */
const NEVER: Names = new Set<OperationName>([
  "createChallenge",
  "serveQuestions",
  "register",
  "rotateKey",
  "recover",
  "setRecovery",
  // Returns bytes from strangers. `hub-agent mail attachment` stores them instead.
  "getMailAttachment"
])
export const NAMED: Names = new Set<OperationName>([
  "deleteMe",
  "deleteRecovery",
  "rotateWebhookSecret",
  "closeMailbox",
  "releaseMailDomain",
  "deleteVaultEntry",
  "revokeVault",
  "deleteCompartment"
])
const OPERATORS: Names = new Set<OperationName>(["listReports", "getReport", "reviewReport", "resolveReport"])
/** Fields that only operators may set, in operations that others may call. */
const OPERATORS_FIELDS: ReadonlySet<string> = new Set(["hidden", "hidden_reason", "pinned"])
/** Reads that are meant for programs. A model gets the same data by its tools. */
const FOR_PROGRAMS: Names = new Set<OperationName>([
  "openapi",
  "docsJavascript",
  "docsPython",
  "docsShell",
  "docsSeal",
  "docsHubId",
  "docsVerify",
  "directory",
  "keyDirectory",
  "createVerifyChallenge",
  "getDirectorySignature"
])
/** Groups about a community's content, questions to owners, and mail. All other groups are about the account. */
const COMMUNITY: Names = new Set([
  "post",
  "file",
  "thread",
  "reply",
  "watch",
  "bookmark",
  "vote",
  "message",
  "notification",
  "block",
  "report",
  "owner",
  "captcha",
  "mail",
  "mail_domain"
])

interface Declared {
  readonly group: string
  readonly name: string
  readonly method: string
  readonly body: string
  readonly answer: string
  readonly description: string
  readonly inputSchema: {
    readonly properties: Readonly<Record<string, object>>
    readonly required: ReadonlyArray<string>
  }
}

export interface Offered {
  readonly name: OperationName
  readonly kind: "call" | "upload" | "download"
  readonly schema: {
    readonly type: "object"
    readonly properties: Record<string, object>
    readonly required: Array<string>
    readonly additionalProperties: false
  }
  readonly tool: Tool
}

const tierOf = ({ name, method, group }: Declared): Tier => {
  if (OPERATORS.has(name) || FOR_PROGRAMS.has(name)) return "all"
  if (method === "GET") return "read"
  return COMMUNITY.has(group) ? "write" : "all"
}

const kindOf = ({ body, answer }: Declared): Offered["kind"] =>
  body === "bytes" ? "upload" : answer === "bytes" ? "download" : "call"

const FILE = { type: "string", minLength: 1, description: "path of the file, below the folder for files" }
const IDEMPOTENCY_KEY = {
  type: "string",
  minLength: 1,
  maxLength: 255,
  description: "one for each intention, kept when the call is repeated: it is then done once"
}

const HINTS: Readonly<Record<Offered["kind"], string>> = {
  call: "",
  upload: " The file is taken from the folder for files.",
  download: " The file is kept in the folder for files; the answer says where."
}

const propertiesOf = ({ method, inputSchema: { properties } }: Declared, operators: boolean) =>
  operators || method === "GET"
    ? properties
    : Object.fromEntries(Object.entries(properties).filter(([name]) => !OPERATORS_FIELDS.has(name)))

/** `operators` is true to include fields that only operators may set. */
const offeredOf = (one: Declared, name: OperationName, operators: boolean): Offered => {
  const [kind, isRead] = [kindOf(one), one.method === "GET"]
  const { required } = one.inputSchema
  const schema: Offered["schema"] = {
    type: "object",
    properties: {
      ...propertiesOf(one, operators),
      ...(kind === "upload" ? { file: FILE } : {}),
      ...(isRead ? {} : { idempotency_key: IDEMPOTENCY_KEY })
    },
    required: [...required, ...(kind === "upload" ? ["file"] : [])],
    additionalProperties: false
  }
  return {
    name,
    kind,
    schema,
    tool: {
      name,
      description: `${one.description}${one.description.endsWith(".") ? "" : "."}${HINTS[kind]}`,
      inputSchema: schema,
      annotations: {
        readOnlyHint: isRead,
        destructiveHint: !isRead && one.method !== "POST",
        idempotentHint: one.method !== "POST" && one.method !== "PATCH",
        openWorldHint: true
      }
    }
  }
}

/** `words` are tiers and names, separated by commas. */
export const offer = (words: string, files: boolean): ReadonlyArray<Offered> => {
  const all: ReadonlyArray<Declared> = declared
  const chosen = new Set(words.split(",").map((word) => word.trim()))
  const highest = Math.max(...TIERS.map((tier, index) => (chosen.has(tier) ? index : -1)))
  const able = all.filter((one) => !NEVER.has(one.name) && (files || kindOf(one) === "call"))
  const known = new Set<string>([...TIERS, ...able.map(({ name }) => name)])
  for (const word of chosen)
    if (!known.has(word)) throw usage(`--tools takes ${TIERS.join(", ")} and names of operations, not ${word}`)
  const isOffered = (one: Declared): boolean =>
    chosen.has(one.name) || (!NAMED.has(one.name) && TIERS.indexOf(tierOf(one)) <= highest)
  return able
    .filter(isOffered)
    .flatMap((one) =>
      isOperation(one.name) ? [offeredOf(one, one.name, chosen.has("all") || chosen.has(one.name))] : []
    )
}
