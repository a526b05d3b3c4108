/** Answers that are ready JSON already (a profile that is asked for again and again) pass as they are. */
const utf8 = new TextEncoder()

export class Json<out Of> {
  /** For the compiler alone: what the JSON is of. */
  declare readonly of: Of
  readonly bytes: Uint8Array

  constructor(value: Of) {
    this.bytes = utf8.encode(JSON.stringify(value))
  }
}

export const jsonBytes = (value: unknown): Uint8Array =>
  value instanceof Json ? value.bytes : utf8.encode(JSON.stringify(value ?? null))
