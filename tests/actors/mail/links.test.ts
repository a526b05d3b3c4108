/** Links of a message: which there are, and what they are for. */
import { describe, expect, it } from "vitest"
import { findIn } from "../../../actors/mail/codes/find.ts"
import { summaryOf } from "../../../actors/mail/inbound/sealed.ts"
import { unread } from "../../../actors/mail/parse/read.ts"
import type { MailLink } from "../../../schemas/mail/records.ts"

const ofHtml = (html: string): ReadonlyArray<MailLink> => findIn({ from: "", subject: "", text: "", html }).links
const ofText = (text: string): ReadonlyArray<MailLink> => findIn({ from: "", subject: "", text, html: null }).links
const kindOf = (html: string): string | undefined => ofHtml(html)[0]?.kind

describe("a link", () => {
  it("comes once, in the order of the message, with what it says", () =>
    expect(
      ofHtml(
        '<a href="https://A.example/x?a=1&amp;b=2"><img alt="Logo"></a><a href="https://b.example/">  Our <b>shop</b></a><a href="https://a.example/x?a=1&amp;b=2">Confirm</a>'
      )
    ).toEqual([
      { url: "https://a.example/x?a=1&b=2", host: "a.example", kind: "confirmation", text: "Confirm" },
      { url: "https://b.example/", host: "b.example", kind: "other", text: "Our shop" }
    ]))

  it("is read from plain text without what belongs to the sentence", () =>
    expect(
      ofText(
        "See (https://a.example/x), <https://b.example/y>. Or https://c.example/z_(1)! https://例え.jp/パス https://d.example/aをクリック"
      ).map(({ url }) => url)
    ).toEqual([
      "https://a.example/x",
      "https://b.example/y",
      "https://c.example/z_(1)",
      "https://xn--r8jz45g.jp/",
      "https://d.example/a"
    ]))

  it("is one, where a line of the text cuts off what the HTML has whole", () => {
    const whole = "https://a.example/verify/account?token=abcdef&next=1"
    const links = (text: string) =>
      findIn({ from: "", subject: "", text, html: `<a href="${whole.replace("&", "&amp;")}">Confirm</a>` }).links
    const urls = (text: string) => links(text).map(({ url }) => url)
    expect(urls("Open https://a.example/verify/account?token=\nabcdef&next=1 now")).toEqual([whole])
    expect(urls("Open\nhttps://a.example/verify/\naccount?token=\nabcdef&next=1")).toEqual([whole])
    expect(urls("Our site: https://a.example/\nverified by us")).toEqual([whole, "https://a.example/"])
    expect(urls("Our site: https://a.example/\nGood bye")).toEqual([whole, "https://a.example/"])
  })

  it("has the host as it is asked for, whatever stands before it", () => {
    expect(ofHtml('<a href="https://bücher.example/">B</a>')[0]?.host).toBe("xn--bcher-kva.example")
    const [link] = ofHtml('<a href="https://bank.example:pw@evil.example/login">Log in</a>')
    expect(link).toMatchObject({ host: "evil.example", kind: "other" })
  })

  it("is of the web, and not too long", () => {
    const hrefs = [
      "javascript:alert(1)",
      "data:text/html,x",
      "mailto:a@b.example",
      "tel:+1555",
      "/x",
      "#top",
      "ftp://a.example/",
      `https://a.example/${"x".repeat(2048)}`
    ]
    expect(ofHtml(hrefs.map((href) => `<a href="${href}">x</a>`).join(" "))).toEqual([])
  })

  it("that is not shown is none", () =>
    expect(ofHtml('<a href="https://a.example/trap" style="display:none">Log in</a>')).toEqual([]))
})

describe("the links of a list entry", () => {
  const link = (name: string, length: number): MailLink => {
    const url = `https://a.example/${name}/`
    return { url: url.padEnd(length, "x"), host: "a.example", kind: "other", text: "" }
  }
  const verdict = "NONE"
  const verdicts = { spf: verdict, dkim: verdict, dmarc: verdict, spam: verdict, virus: verdict, reasons: [] } as const
  const listed = (links: ReadonlyArray<MailLink>): ReadonlyArray<MailLink> => {
    const mail = { ...unread(new Uint8Array(0), { body_max_bytes: 1 }), links }
    const to = "ada@d.example"
    return summaryOf(mail, 1, { mailbox: 1, address: to, to, tags: [] }, { verdicts, own: false }).links
  }

  it("are those that fit, also after one that does not", () => {
    const [long, tooLong, short, last] = [link("1", 7000), link("2", 2000), link("3", 600), link("4", 400)]
    expect(listed([long, tooLong, short, last])).toEqual([long, short, last])
    expect(listed([long, tooLong, short, last, link("5", 40)])).toEqual([long, short, last])
  })
})

describe("what a link is for", () => {
  it.each([
    ["Confirm your email", "confirmation"],
    ["E-Mail-Adresse bestätigen", "confirmation"],
    ["Vérifier mon adresse", "confirmation"],
    ["Activar mi cuenta", "confirmation"],
    ["Reset your password", "password_reset"],
    ["Neues Passwort vergeben", "password_reset"],
    ["Nueva contraseña", "password_reset"],
    ["重置密码", "password_reset"],
    ["パスワードを再設定する", "password_reset"],
    ["Log in", "login"],
    ["Se connecter", "login"],
    ["Войти", "login"],
    ["Zaloguj się", "login"],
    ["Unsubscribe", "unsubscribe"],
    ["Abbestellen", "unsubscribe"],
    ["Se désabonner", "unsubscribe"],
    ["配信停止", "unsubscribe"],
    ["Confirm unsubscription", "unsubscribe"],
    ["Confirm removal", "unsubscribe"],
    ["Confirm: no more mail", "unsubscribe"],
    ["Confirm account deletion", "unsubscribe"],
    ["Abmeldung bestätigen", "unsubscribe"],
    ["Löschung bestätigen", "unsubscribe"],
    ["Confirmer ma désinscription", "unsubscribe"],
    ["Confirmer la suppression", "unsubscribe"],
    ["Confirmar la baja", "unsubscribe"],
    ["Confirmar eliminación", "unsubscribe"],
    ["Conferma la rimozione", "unsubscribe"],
    ["Confirmar remoção", "unsubscribe"],
    ["Bevestig verwijdering", "unsubscribe"],
    ["Potwierdź usunięcie", "unsubscribe"],
    ["Подтвердить удаление", "unsubscribe"],
    ["Silme işlemini onayla", "unsubscribe"],
    ["登録解除を確認する", "unsubscribe"],
    ["确认删除", "unsubscribe"],
    ["탈퇴 확인하기", "unsubscribe"],
    ["Bekräfta borttagning", "unsubscribe"],
    ["Remove device", "other"],
    ["View order confirmation", "other"],
    ["Privacy policy", "other"]
  ])("%s: %s", (text, kind) => expect(kindOf(`<a href="https://a.example/x1">${text}</a>`)).toBe(kind))

  it("is told by the sentence where it says nothing itself", () => {
    expect(kindOf('<p>Hi. To confirm your address, <a href="https://a.example/1">click here</a>.</p>')).toBe(
      "confirmation"
    )
    expect(kindOf('<p>Passwort vergessen? <a href="https://a.example/1">Hier klicken</a></p>')).toBe("password_reset")
    expect(ofText("To sign in, open this link:\n\nhttps://a.example/1")[0]?.kind).toBe("login")
    expect(kindOf('<p>Did you ask to confirm? <a href="https://a.example/1">Read our story</a></p>')).toBe("other")
  })

  it("is told by its path", () => {
    expect(kindOf('<a href="https://a.example/verify-email?t=1">Get started</a>')).toBe("confirmation")
    expect(kindOf('<a href="https://a.example/help/reset-password">Details</a>')).toBe("other")
    expect(kindOf('<a href="https://a.example/list/remove/confirm?t=1">Yes</a>')).toBe("unsubscribe")
  })

  it("is not told by what only counts clicks", () => {
    const wrapped = (target: string, text: string): string | undefined =>
      kindOf(`<a href="https://click.a.example/login?url=${encodeURIComponent(target)}">${text}</a>`)
    expect(wrapped("https://a.example/unsubscribe/1", "Leave")).toBe("unsubscribe")
    expect(wrapped("https://a.example/blog", "Read on")).toBe("other")
    expect(kindOf('<a href="https://u1.ct.sendgrid.net/ls/click?upn=confirm">Read on</a>')).toBe("other")
    expect(kindOf('<a href="https://u1.ct.sendgrid.net/ls/click?upn=1">Verify email</a>')).toBe("confirmation")
  })
})
