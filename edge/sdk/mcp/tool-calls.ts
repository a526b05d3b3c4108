/**
 * Handles one call of a tool: checks its input by the schema, makes a signed request, and returns the answer as data.
 */
import { mkdir, realpath } from "node:fs/promises"
import { isAbsolute, join, relative, resolve, sep } from "node:path"
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import type { Surroundings } from "../cli/command.ts"
import { numberOf, present } from "../cli/arguments.ts"
import { Fault } from "../cli/fault.ts"
import { download, upload } from "../cli/file.ts"
import type { Home } from "../cli/home.ts"
import { bytesOf } from "../cli/input.ts"
import { oneLine, secretGiven, sourceTokenGiven } from "../cli/output.ts"
import type { HubClient } from "../client.ts"
import { operationOf, spread } from "../client/operations.ts"
import { type Answers, failed } from "./answers.ts"
import type { Offered } from "./offer.ts"

/** Calls at one time. Further ones are refused, and the caller may repeat them. */
export const CALLS_MAX = 16
/** The most bytes of one answer, before it is split into parts. */
export const ANSWER_MAX_BYTES = 4_194_304
const NAME_MAX_CHARS = 100

type Fields = Readonly<Record<string, unknown>>

export interface ToolCallsOptions {
  readonly home: Home
  readonly client: HubClient
  readonly around: Surroundings
  readonly answers: Answers
  /** The folder that all files must be in; `undefined` if files are not allowed. */
  readonly files: string | undefined
}

const invalid = (message: string, field: string | null): Fault =>
  new Fault("invalid_arguments", message, 2, field === null ? {} : { field })

/** The validator's messages call every input `data`, which is removed. */
const worded = (message: string): string =>
  message.replaceAll("data must have required", "must have required").replaceAll("data/", "")

const judgeOf = ({ name, schema }: Offered): ((fields: Fields) => void) => {
  const validate = new AjvJsonSchemaValidator().getValidator<Fields>(schema)
  const known = Object.keys(schema.properties)
  return (fields) => {
    const unknown = Object.keys(fields).find((field) => !known.includes(field))
    if (unknown !== undefined) {
      const field = oneLine(unknown).slice(0, NAME_MAX_CHARS)
      throw invalid(`${field} is no field of ${name}: it takes ${known.join(", ") || "none"}`, field)
    }
    const { valid, errorMessage } = validate(fields)
    if (valid) return
    const message = worded(errorMessage ?? "the arguments do not fit")
    throw invalid(message, message.split(/\W/).find((word) => known.includes(word)) ?? null)
  }
}

/** Makes a stranger's file name safe for every file system. */
const safeName = (filename: string): string => filename.replaceAll(/[^A-Za-z0-9._-]/g, "_").slice(0, NAME_MAX_CHARS)

/** True if a path is below a folder. Both must be free of symbolic links. */
const liesBelow = (folder: string, path: string): boolean => {
  const below = relative(folder, path)
  return below !== "" && below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}

export class ToolCalls {
  readonly #options: ToolCallsOptions
  readonly #judges = new Map<string, (fields: Fields) => void>()
  #open = 0

  constructor(options: ToolCallsOptions) {
    this.#options = options
  }

  async call(offered: Offered, given: Fields, signal: AbortSignal): Promise<CallToolResult> {
    if (this.#open >= CALLS_MAX)
      return failed(new Fault("too_many_calls", `no more than ${CALLS_MAX} calls are made at one time`))
    this.#open++
    try {
      this.#judge(offered, given)
      return await this.#made(offered, given, signal)
    } catch (error) {
      return failed(error)
    } finally {
      this.#open--
    }
  }

  #judge(offered: Offered, given: Fields): void {
    const judge = this.#judges.get(offered.name) ?? judgeOf(offered)
    this.#judges.set(offered.name, judge)
    judge(given)
  }

  async #made({ name, kind }: Offered, given: Fields, signal: AbortSignal): Promise<CallToolResult> {
    const { idempotency_key: key, file, ...fields } = given
    const options = { signal, ...(typeof key === "string" ? { idempotencyKey: key } : {}) }
    const { answers, client, home } = this.#options
    if (kind === "upload") return answers.of(await this.#upload(fields, String(file), options), undefined, true)
    if (kind === "download") return answers.of(await this.#download(fields, options), undefined, true)
    const operation = operationOf(name)
    const { target, ...body } = spread(operation, fields)
    const { data, meta } = await client.request(operation.method, target, {
      ...options,
      ...body,
      maxAnswerBytes: ANSWER_MAX_BYTES
    })
    const secret = secretGiven(operation.method, target, data)
    if (secret !== undefined) await home.keepSecret(secret)
    const source = sourceTokenGiven(operation.method, target, data)
    if (source !== undefined) await home.keepSourceToken(source.id, source.token)
    // A post's data is any JSON, so an agent's number in it does not name the author.
    return answers.of(data, meta, name !== "getData")
  }

  async #folder(): Promise<string> {
    const { files } = this.#options
    if (files === undefined) throw new Fault("no_folder", "no folder for files is named")
    await mkdir(files, { recursive: true })
    return realpath(files)
  }

  async #upload({ id, filename }: Fields, file: string, options: object): Promise<unknown> {
    const folder = await this.#folder()
    const path = await realpath(resolve(folder, file)).catch(() => {
      throw invalid(`file: there is no such file below the folder for files`, "file")
    })
    if (!liesBelow(folder, path)) throw invalid("file: must be below the folder for files", "file")
    // Keys must not be published, even if the folder for files contains them.
    if (liesBelow(await realpath(this.#options.home.folder), path))
      throw invalid("file: lies in the folder of your key", "file")
    const bytes = await bytesOf(path, this.#options.around)
    const named = present({ filename: typeof filename === "string" ? filename : undefined })
    return upload(this.#options.client, numberOf(String(id), "post"), { path, bytes, ...named }, options)
  }

  async #download({ id }: Fields, options: object): Promise<unknown> {
    const [folder, post] = [await this.#folder(), numberOf(String(id), "post")]
    return download(
      this.#options.client,
      post,
      (filename) => join(folder, `post-${post}-${safeName(filename)}`),
      options
    )
  }
}
