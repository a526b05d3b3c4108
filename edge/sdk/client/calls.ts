/** The types of a call. The fields that an operation needs are required, and others are not allowed. */
import type { Answer } from "./answer.ts"
import type { Operations } from "./api.ts"

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

export interface CommonOptions {
  /** `false` sends without a signature. By default everything is signed if there is a key. */
  readonly signed?: boolean
  /** The content type of a body of bytes. JSON needs none. */
  readonly contentType?: string
  /** For signed writes. If it is absent, the client makes a new one. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly maxAnswerBytes?: number
}

export type PathsOf<M extends Method> = {
  [Path in keyof Operations]: M extends keyof Operations[Path] ? Path : never
}[keyof Operations]

interface Described {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly data: unknown
  readonly meta: unknown
}

type At<M extends Method, Path extends keyof Operations> = M extends keyof Operations[Path]
  ? Extract<Operations[Path][M], Described>
  : never

/** A field in an address may be a number as well as a text. */
type Spelled<Fields> = {
  readonly [Name in keyof Fields]: string extends Fields[Name] ? Fields[Name] | number : Fields[Name]
}

type Part<Name extends string, Fields> = [Fields] extends [undefined] ? unknown : { readonly [One in Name]: Fields }
type Optional<Name extends string, Fields> = [Fields] extends [undefined]
  ? unknown
  : { readonly [One in Name]?: Fields }

type OptionsOf<One extends Described> = CommonOptions &
  Part<"params", Spelled<One["params"]>> &
  Optional<"query", Spelled<One["query"]>> &
  Part<"body", One["body"]>

type Flat<One extends Described> = ([One["params"]] extends [undefined] ? unknown : Spelled<One["params"]>) &
  ([One["query"]] extends [undefined] ? unknown : Spelled<One["query"]>) &
  ([One["body"]] extends [undefined]
    ? unknown
    : One["body"] extends Uint8Array
      ? { readonly bytes: Uint8Array }
      : One["body"])

type NoFields = Readonly<Record<string, never>>

export type FieldsTo<M extends Method, Path extends keyof Operations> =
  unknown extends Flat<At<M, Path>> ? NoFields : Flat<At<M, Path>>

/** Options may be omitted if none of them is required. */
type Arguments<Options> = CommonOptions extends Options ? [options?: Options] : [options: Options]

export type CallArguments<M extends Method, Path extends keyof Operations> = Arguments<OptionsOf<At<M, Path>>>

export type AnswerTo<M extends Method, Path extends keyof Operations> = Answer<At<M, Path>["data"], At<M, Path>["meta"]>

export type DataOf<M extends Method, Path extends keyof Operations> = At<M, Path>["data"]

export type ListPath = {
  [Path in PathsOf<"GET">]: [At<"GET", Path>["meta"]] extends [{ readonly pages: number }] ? Path : never
}[PathsOf<"GET">]

export type ItemOf<Path extends ListPath> = At<"GET", Path>["data"] extends ReadonlyArray<infer Item> ? Item : never

type Unpaged<Fields> = Fields extends object ? Omit<Fields, "page" | "per_page"> : undefined

export type PagesArguments<Path extends ListPath> = Arguments<
  Omit<CommonOptions, "idempotencyKey"> &
    PagesOptions &
    Part<"params", Spelled<At<"GET", Path>["params"]>> &
    Optional<"query", Spelled<Unpaged<At<"GET", Path>["query"]>>>
>

interface PagesOptions {
  /** The most items that are returned, even if there are more. */
  readonly max?: number
  readonly perPage?: number
}
