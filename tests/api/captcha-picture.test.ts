/** Pictures of captchas: what is refused, and what is left of one that is taken (spec 4.10; contract 20). */
import sharp from "sharp"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { captchaSent, sendCaptcha } from "../support/captcha.ts"
import { detailsOf, outcome } from "../support/outcome.ts"
import { newOwner, ownedBy, type OwnerOf } from "../support/owner.ts"
import { blackPng, drawing, png } from "../support/pictures.ts"
import { type TestService, sharedService } from "../support/service.ts"

let service: TestService
let pair: Promise<OwnerOf>

beforeAll(async () => {
  service = await sharedService()
  pair = newOwner(service.edges).then((owner) => ownedBy(service.edges, owner))
  await pair
})
afterAll(() => service?.stop())

describe("a picture is refused", () => {
  const base64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString("base64")
  const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>alert(1)</script></svg>`
  const cases: ReadonlyArray<readonly [name: string, rule: string, make: () => Promise<string>]> = [
    ["a bomb of 20,000 by 20,000", "pixels", async () => base64(blackPng(20_000, 20_000, true))],
    ["a ribbon", "ratio", async () => base64(await png(2010, 100))],
    ["an SVG", "format", async () => base64(SVG)],
    ["a data: address", "format", async () => `data:image/png;base64,${base64(await png())}`],
    ["more than a megabyte", "bytes", async () => base64(Buffer.alloc(1_048_577))]
  ]

  it.each(cases)("%s: %s", async (_name, rule, make) => {
    const { agent } = await pair
    const refused = await sendCaptcha(agent, { image_base64: await make() })
    expect(outcome(refused)).toBe("422 captcha_image_unsuitable")
    expect(detailsOf(refused)).toMatchObject({ field: "image_base64", rule })
  })

  it.each([
    ["kind", { kind: "puzzle" }],
    ["context", { context: "x".repeat(1001) }],
    ["origin", { origin: "https://forum.example/page" }],
    ["origin", { origin: "javascript:alert(1)" }],
    ["origin", { origin: "forum.example" }],
    ["wait_seconds", { wait_seconds: "1" }],
    ["image_base64", { image_base64: 7 }]
  ])("with what is wrong in %s: %j", async (field, more) => {
    const { agent } = await pair
    const refused = await sendCaptcha(agent, more)
    expect(outcome(refused)).toBe("422 validation_error")
    expect(detailsOf(refused)).toMatchObject({ field })
  })

  it("and one that is taken is written anew: nothing stands behind its pixels, or beside them", async () => {
    const { agent, owner } = await pair
    const exif = { IFD0: { Copyright: "planted-in-exif-5512" } }
    const jpeg = await drawing(64, 32).withExif(exif).jpeg().toBuffer()
    for (const [type, bytes] of [
      ["image/jpeg", Buffer.concat([jpeg, Buffer.from("<script>planted-behind-5512</script>")])],
      ["image/png", Buffer.concat([await png(64, 32), Buffer.from("PK planted-behind-5512")])]
    ] as const) {
      expect(bytes.includes("5512")).toBe(true)
      const { id } = await captchaSent(agent, { image_base64: bytes.toString("base64") })
      const image = await fetch(`${service.edges[0]}/owner/captcha/${id}/image`, {
        headers: { cookie: [...owner.client.cookies].map(([name, value]) => `${name}=${value}`).join("; ") }
      })
      const shown = Buffer.from(await image.arrayBuffer())
      expect([image.headers.get("content-type"), shown.includes("5512")]).toEqual([type, false])
      const { width, height } = await sharp(shown).metadata()
      expect([width, height]).toEqual([64, 32])
    }
  })
})
