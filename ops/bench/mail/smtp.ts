/** An SMTP client with low overhead. It uses one connection and sends one message after the other. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"

const END = "\r\n.\r\n"

export class SmtpLine {
  private readonly socket: Socket
  private text = ""
  private heard: () => void = () => undefined

  private constructor(port: number) {
    this.socket = connect(port, "127.0.0.1")
    this.socket.setNoDelay(true)
    this.socket.on("data", (data: Buffer) => {
      this.text += data.toString("latin1")
      this.heard()
    })
    this.socket.on("error", () => undefined)
    this.socket.on("close", () => this.heard())
  }

  static async open(port: number): Promise<SmtpLine> {
    const line = new SmtpLine(port)
    await line.answer("220")
    await line.say("EHLO client.example", "250")
    return line
  }

  /** Resolves to the time (`performance.now()`) at which the last byte was written. */
  async send(from: string, to: string, raw: Buffer): Promise<number> {
    await this.say(`MAIL FROM:<${from}>`, "250")
    await this.say(`RCPT TO:<${to}>`, "250")
    await this.say("DATA", "354")
    this.socket.write(raw)
    this.socket.write(END)
    const at = performance.now()
    await this.answer("250")
    return at
  }

  async close(): Promise<void> {
    this.socket.end("QUIT\r\n")
    if (!this.socket.closed) await once(this.socket, "close")
  }

  private say(text: string, code: string): Promise<void> {
    this.socket.write(`${text}\r\n`)
    return this.answer(code)
  }

  private async answer(code: string): Promise<void> {
    for (;;) {
      const [whole] = /^(?:\d{3}-[^\n]*\n)*\d{3} [^\n]*\n/.exec(this.text) ?? []
      if (whole !== undefined) {
        this.text = this.text.slice(whole.length)
        if (!whole.startsWith(code)) throw new Error(`not taken: ${whole.trim()}`)
        return
      }
      if (this.socket.destroyed) throw new Error("the line broke")
      await new Promise<void>((resolve) => (this.heard = resolve))
    }
  }
}
