/** Mail from other servers: an SMTP client, and messages as bytes. */
import { createTransport } from "nodemailer"

export interface Letter {
  readonly from?: string
  /** The recipients of the envelope. */
  readonly to: string | ReadonlyArray<string>
  readonly raw: string | Buffer
  /** The client's source address. */
  readonly localAddress?: string
}

/** Sends a message and returns the server's last reply. Rejects with a refusal. */
export const deliver = async (
  port: number,
  { from = "shop@example.com", to, raw, localAddress = "127.0.0.1" }: Letter
): Promise<string> => {
  const transport = createTransport({
    host: "127.0.0.1",
    port,
    localAddress,
    ignoreTLS: true,
    name: "client.example.com"
  })
  try {
    const { response } = await transport.sendMail({
      envelope: { from, to: typeof to === "string" ? to : [...to] },
      raw
    })
    return response
  } finally {
    transport.close()
  }
}

interface Plain {
  readonly from?: string
  readonly to: string
  readonly subject?: string
  readonly headers?: ReadonlyArray<string>
  readonly body?: string
}

let count = 0

export const message = ({
  from = "Shop <shop@example.com>",
  to,
  subject = "Hello",
  headers = [],
  body = "Hi."
}: Plain) =>
  [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Date: Tue, 24 Nov 2026 08:00:00 +0000`,
    `Message-ID: <m${++count}@example.com>`,
    ...headers,
    "MIME-Version: 1.0",
    "",
    body,
    ""
  ].join("\r\n")
