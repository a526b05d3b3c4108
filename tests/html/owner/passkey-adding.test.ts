/** Passkeys that are not made as they were asked for: none of them is added. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { PASSKEY_LIMITS } from "../../../schemas/human/limits.ts"
import { cbor, type Otherwise } from "../../support/authenticator.ts"
import type { Answer } from "../../support/http.ts"
import { sharedService, type TestService } from "../../support/service.ts"
import { type Fields, headingOf } from "./client.ts"
import { ADD, fieldsOn, isRefused, passkeyOwner, SETTINGS, wantedOn } from "./passkeys.ts"

let service: TestService
beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service?.stop())

let turn = 0
const edge = (): string => service.edges[turn++ % service.edges.length] ?? ""
const owner = () => passkeyOwner({ edge, origin: service.system.url })

describe("none is added", () => {
  const isNotAdded = (answer: Answer): void =>
    expect([answer.status, headingOf(answer)]).toEqual([422, "No passkey was added"])

  /** Certificates are what nobody shall have us look at. */
  const certified = cbor.map([
    [cbor.text("alg"), cbor.int(-7)],
    [cbor.text("sig"), cbor.bytes(Buffer.alloc(70))],
    [cbor.text("x5c"), cbor.array([cbor.bytes(Buffer.alloc(100))])]
  ])

  test.each<[string, Otherwise]>([
    ["at another site", { origin: "https://evil.example" }],
    ["for another service", { rpId: "evil.example" }],
    ["without a look at who it is", { verified: false }],
    ["that was made to log in", { type: "webauthn.get" }],
    ["of a challenge of its own", { challenge: Buffer.alloc(32).toString("base64url") }],
    ["with certificates", { attestation: ["packed", certified] }],
    ["with a statement of another form", { attestation: ["fido-u2f", certified] }]
  ])("%s", async (_name, otherwise) => {
    const ada = await owner()
    isNotAdded(await ada.added(otherwise))
    isRefused(await ada.entering(otherwise))
  })

  test("twice, nor by another's offer, nor in another session", async () => {
    const ada = await owner()
    const page = await ada.offered()
    const answer = ada.key.create(wantedOn(page))
    const sent: Fields = { ...fieldsOn(page, ADD), answer }
    expect((await ada.post(ADD, sent)).status).toBe(303)
    // The form sent again is the same command.
    expect((await ada.post(ADD, sent)).status).toBe(303)
    expect((await ada.get(SETTINGS)).text.match(/Added /g)).toHaveLength(1)
    const { challenge = "" } = sent
    const next = await ada.offered()
    isNotAdded(await ada.post(ADD, { ...fieldsOn(next, ADD), challenge, answer }))
    await ada.change("remove_passkey", { password: ada.password })
    isNotAdded(await ada.post(ADD, { ...fieldsOn(next, ADD), challenge, answer }))

    const bob = await owner()
    const own = await bob.offered()
    const theirs = await ada.offered()
    const made = ada.key.create(wantedOn(theirs))
    const { challenge: offered = "" } = fieldsOn(theirs, ADD)
    isNotAdded(await bob.post(ADD, { ...fieldsOn(own, ADD), challenge: offered, answer: made }))
    const later = ada.another()
    await later.logIn()
    const form = fieldsOn(await later.change("offer_passkey", { label: "x", password: ada.password }), ADD)
    isNotAdded(await later.post(ADD, { ...form, challenge: offered, answer: made }))
    expect((await ada.post(ADD, { ...fieldsOn(theirs, ADD), answer: made })).status).toBe(303)
  })

  test("over ten", async () => {
    const ada = await owner()
    for (let count = 0; count < PASSKEY_LIMITS.max - 1; count++) expect((await ada.added()).status).toBe(303)
    const [one, another] = [await ada.offered(), await ada.offered()]
    const send = (page: Answer) => ada.post(ADD, { ...fieldsOn(page, ADD), answer: ada.key.create(wantedOn(page)) })
    expect((await send(one)).status).toBe(303)
    isNotAdded(await send(another))
    const settings = await ada.get(SETTINGS)
    expect(settings.text).toContain("There are 10: remove one to add another.")
    expect(settings.text).not.toContain('value="offer_passkey"')
  })
})
