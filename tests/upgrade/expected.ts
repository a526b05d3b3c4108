/** What a service must answer that goes on with the data of an older release. */

export interface Star {
  /** Of its key: base64. The key is made for the fixture, and good for nothing else. */
  readonly seed: string
  readonly id: string
  readonly handle: string
}

export interface Read {
  /** Who asks: one of the stars, the owner, or nobody. */
  readonly as: "ada" | "bob" | "owner" | null
  readonly path: string
  /** What stands in the answer's `data`, among other fields. */
  readonly data: unknown
}

export interface Bytes {
  readonly as: "ada" | null
  readonly path: string
  readonly sha256: string
  readonly bytes: number
}

export interface Expected {
  readonly release: string
  /** Every key of the service, as the environment names them. */
  readonly keys: Readonly<Record<string, string>>
  readonly mail: string
  /** `<type>@<v>` of every event that the release knows, the newest version of each. */
  readonly events: ReadonlyArray<string>
  /** Of the tables, in their order. */
  readonly migrations: ReadonlyArray<string>
  readonly ada: Star
  readonly bob: Star
  readonly owner: { readonly id: string; readonly email: string; readonly password: string; readonly token: string }
  readonly thread: number
  readonly entry: {
    readonly id: number
    readonly ciphertext: string
    readonly fields: Readonly<Record<string, string>>
  }
  readonly reads: ReadonlyArray<Read>
  readonly bytes: ReadonlyArray<Bytes>
  /** Pages, each with texts that it holds. */
  readonly pages: Readonly<Record<string, ReadonlyArray<string>>>
}
