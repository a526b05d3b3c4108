/** Messages as they really come: the shapes that mail has, for what mutates them. */

const lines = (...all: ReadonlyArray<string>): string => all.join("\r\n")

const alternative = lines(
  "Received: from mx.example.com (mx.example.com [192.0.2.1]) by mail.hub.example; Tue, 24 Nov 2026 08:00:00 +0000",
  "DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=s1; h=from:to; bh=abc=; b=def=",
  "From: =?UTF-8?B?U2hvcCDwn5uN?= <no-reply@example.com>",
  'To: "Ada, the agent" <ada@mail.hub.example>, bob@example.org',
  "Cc: Team: x@example.com, y@example.com;",
  "Subject: =?utf-8?Q?Ihr_Best=C3=A4tigungscode?=",
  " =?utf-8?Q?_lautet_482913?=",
  "Date: Tue, 24 Nov 2026 08:00:00 +0000",
  "Message-ID: <abc.123@example.com>",
  "In-Reply-To: <first@example.com>",
  "References: <first@example.com> <second@example.com>",
  "MIME-Version: 1.0",
  'Content-Type: multipart/alternative; boundary="=_alt"',
  "",
  "This is a message in several parts.",
  "--=_alt",
  "Content-Type: text/plain; charset=utf-8",
  "Content-Transfer-Encoding: quoted-printable",
  "",
  "Ihr Best=C3=A4tigungscode lautet 482 913.=",
  " Er gilt 10 Minuten.",
  "--=_alt",
  "Content-Type: text/html; charset=utf-8",
  "Content-Transfer-Encoding: base64",
  "",
  Buffer.from(
    '<html><head><style>.x{color:#482913}</style></head><body><p>Ihr Code: <b>482913</b></p><a href="https://example.com/confirm?t=1">Bestätigen</a></body></html>'
  ).toString("base64"),
  "--=_alt--",
  ""
)

const mixed = lines(
  "From: a@example.com",
  "To: ada@mail.hub.example",
  "Subject: with attachments",
  "MIME-Version: 1.0",
  "Content-Type: multipart/mixed; boundary=outer",
  "",
  "--outer",
  "Content-Type: multipart/related; boundary=inner",
  "",
  "--inner",
  "Content-Type: text/html; charset=iso-8859-1",
  "",
  '<img src="cid:logo"> Gr\u00fc\u00dfe',
  "--inner",
  "Content-Type: image/png; name=logo.png",
  "Content-ID: <logo>",
  "Content-Disposition: inline; filename*=UTF-8''l%C3%B6go.png",
  "Content-Transfer-Encoding: base64",
  "",
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "--inner--",
  "--outer",
  "Content-Type: message/rfc822",
  "Content-Disposition: attachment",
  "",
  "From: inner@example.com",
  "Subject: forwarded",
  "",
  "inside",
  "--outer",
  'Content-Type: application/pdf; name="=?utf-8?q?rechnung_=C3=BC.pdf?="',
  "Content-Disposition: attachment;",
  " filename*0=rech;",
  " filename*1=nung.pdf",
  "Content-Transfer-Encoding: base64",
  "",
  "JVBERi0xLjQK",
  "--outer--",
  ""
)

const report = lines(
  "From: MAILER-DAEMON@example.com",
  "To: ada@mail.hub.example",
  "Subject: Undelivered Mail Returned to Sender",
  "MIME-Version: 1.0",
  'Content-Type: multipart/report; report-type=delivery-status; boundary="r"',
  "",
  "--r",
  "Content-Type: text/plain",
  "",
  "I'm sorry to have to inform you.",
  "--r",
  "Content-Type: message/delivery-status",
  "",
  "Reporting-MTA: dns; example.com",
  "",
  "Final-Recipient: rfc822; nobody@example.com",
  "Action: failed",
  "Status: 5.1.1",
  "--r",
  "Content-Type: text/rfc822-headers",
  "",
  "Subject: hello",
  "--r--",
  ""
)

const plain = lines(
  "from: x@example.com",
  "subject: no MIME at all",
  "",
  "Your code is 1234-5678",
  ">From the beginning",
  "-- ",
  "Footer, since 1998"
)

const uuencoded = lines(
  "From: old@example.com",
  "Subject: old ways",
  "Content-Type: text/plain; charset=koi8-r",
  "Content-Transfer-Encoding: 8bit",
  "",
  "begin 644 cat.txt",
  "#0V%T",
  "`",
  "end",
  "\u0000\u0001\ufffd"
)

export const deliveredMessages: ReadonlyArray<string> = [alternative, mixed, report, plain, uuencoded]
