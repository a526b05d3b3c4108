/** `Json` holds an answer as JSON text, so that an answer that is sent again and again is serialized once. */
const utf8 = new TextEncoder()

export class Json<out Of> {
  /** Exists only for the compiler: the type of the value in the JSON. */
  declare readonly of: Of
  readonly bytes: Uint8Array

  constructor(value: Of) {
    this.bytes = utf8.encode(JSON.stringify(value))
  }
}

export const jsonBytes = (value: unknown): Uint8Array =>
  value instanceof Json ? value.bytes : utf8.encode(JSON.stringify(value ?? null))
