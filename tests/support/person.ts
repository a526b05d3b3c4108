/** A person with an account who uses the interface. */
import { randomBytes } from "node:crypto"
import { type Answer, send } from "./http.ts"
import { dataOf } from "./outcome.ts"

export interface PersonOptions {
  /** Chooses the edge for the next exchange. */
  readonly edge: () => string
  readonly name?: string
  readonly email?: string
  readonly password?: string
}

/**
 * A different password each time. Its letters are not hex digits, so that it has nothing in common with the address.
 */
export const quietPassword = (): string => {
  const letters = [...randomBytes(6).toString("hex")].map((digit) => "ghijklmnopqrstuv"[Number.parseInt(digit, 16)])
  return `kept quietly ${letters.join("")}`
}

export class PersonClient {
  readonly name: string
  readonly email: string
  readonly password: string
  readonly #edge: () => string
  token = ""
  id = ""

  constructor({ edge, name, email, password }: PersonOptions) {
    const unique = randomBytes(6).toString("hex")
    this.#edge = edge
    this.name = name ?? "Grace Hopper"
    this.email = email ?? `person-${unique}@example.com`
    this.password = password ?? quietPassword()
  }

  /** Sends a request, with the person's token if there is one. */
  call(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return send({
      edge: this.#edge(),
      method,
      path: `/api/v1${path}`,
      headers: { ...(this.token === "" ? {} : { authorization: `Bearer ${this.token}` }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  }

  async signUp(headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { name, email, password } = this
    const answer = await this.call("POST", "/humans", { name, email, password }, headers)
    if (answer.status === 201) this.id = dataOf<{ id: string }>(answer).id
    return answer
  }

  async logIn(password = this.password, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const answer = await this.call("POST", "/humans/login", { email: this.email, password }, headers)
    if (answer.status === 200) this.token = dataOf<{ token: string }>(answer).token
    return answer
  }
}
