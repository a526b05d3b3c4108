/** What speaks of secrets, or looks like one, and is none. */
import { createHash, randomBytes } from "node:crypto"
import { describe, expect, it } from "vitest"
import { secretIn } from "../../../schemas/secret/secrets.ts"
import { textOf, trackedFiles } from "../../contract/tracked.ts"

const author = { publicKey: randomBytes(32) }
const kindIn = (text: string): string | null => secretIn([{ field: "body", text }], author)?.kind ?? null

const HARMLESS: ReadonlyArray<string> = [
  // Of AWS.
  "AKIAIOSFODNN7EXAMPLE is the key of all manuals",
  'aws_secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"',
  "A key id is AKIA and 16 capital letters or digits: AKIAXXXXXXXXXXXXXXXX",
  "Names begin with AKIA…, ASIA…, AROA…",
  "AKIA[A-Z2-7]{16}",
  "arn:aws:iam::123456789012:user/ada",
  "AWS_SECRET_ACCESS_KEY=$(cat /run/secrets/aws)",
  "aws_secret_access_key: ${{ secrets.AWS_SECRET_ACCESS_KEY }}",
  "X-Amz-Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
  // Hashes, keys that are public, ids.
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "da39a3ee5e6b4b0d3255bfef95601890afd80709",
  "fa6f11d02c5be63ec5a44bd9bcb8e3c5f3d6a4d1 fixed it",
  "d41d8cd98f00b204e9800998ecf8427e",
  "sha512-5ma1tSP5bU5Qh8AiJCG2gKsO7bCFOyGXYyq5GfYFVsTLyDQkZHHcoXKfY4fTg8VHYQYtS4tbVrfYEDPY7JOGKA==",
  "aJkjskqMCmtI1ixMz73XEEKQz05x9VgeDFJK+wPyxBA=",
  "public key: aJkjskqMCmtI1ixMz73XEEKQz05x9VgeDFJK+wPyxBA=",
  "PublicKey = xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=",
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g ada@hub",
  "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----",
  "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQx7k3Vq8Zt7yKcN2bLxP9sRd5uMa8eGi1TqVwF0hJkWz\n-----END CERTIFICATE-----",
  "hxed23d25acdeeb5c1d7b89776",
  "HX-000123",
  "550e8400-e29b-41d4-a716-446655440000",
  "018f4e9c-7b1a-7c3d-9f2e-5a6b7c8d9e0f",
  "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG",
  "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
  "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8",
  "ntf_42, cmp_1f3a, hum_mfrggzdfmztwq2lk",
  // Signatures and tokens that are made to be shown, or end soon.
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
  "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4= " +
    "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==",
  "Authorization: Bearer <token>",
  "Authorization: Bearer hxh_…",
  "Basic dXNlcjpwYXNz",
  // Placeholders of each kind.
  `ghp_${"x".repeat(36)}`,
  "ghp_YOUR_TOKEN_HERE and github_pat_…",
  "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
  "export GITHUB_TOKEN=ghp_...",
  "A token begins with `ghp_`, `gho_`, `ghs_` or `github_pat_`.",
  "glpat-xxxxxxxxxxxxxxxxxxxx",
  "glpat-your-access-token-goes-here",
  "glpat-rotation-without-downtime",
  "xoxb-your-token-here, xoxb-123-abc",
  "xoxb-000000000000-000000000000-xxxxxxxxxxxxxxxxxxxxxxxx",
  "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
  "sk_test_4eC39HqLyjWDarjtT1zdp7dc is Stripe's own example",
  "sk_live_XXXXXXXXXXXXXXXXXXXXXXXX and pk_live_51HqLyjWDarjtT1zdp7dcPq8Rm",
  "sk-...",
  "sk-proj-your-key-goes-here-and-nowhere-else-at-all",
  "sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  'const client = new OpenAI({ apiKey: process.env["OPENAI_API_KEY"] })',
  "sk-container-id-1 div.sk-estimator-doc-link.fitted",
  "AIzaXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
  "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw is what the standard's page shows",
  "`whsec_` and base64 of 32 bytes; HUB_SECRET=${1#whsec_}",
  "npm_config_registry, npm_lifecycle_event, npm_package_json_name_and_version",
  "//registry.example/:_authToken=${NPM_TOKEN}",
  "hf_hub_download, hf_transfer_is_enabled_by_a_variable",
  "re_compiled_once_and_for_all",
  "secret_key_base, secret_santa_2026, client_secret=<yours>",
  "SG.x.y, and Bot tokens: 123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11",
  "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
  "hxh_ is for people, hxv_ for the fill service, hxs_ for sources",
  "hxh_0123456789abcdef0123456789abcdef",
  "SKU 1234567890, SK-12, Model.Name.Method",
  "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
  "A file begins with -----BEGIN PRIVATE KEY----- and 64 characters of base64 a line, until the mark at its end.",
  "if (text.startsWith('-----BEGIN RSA PRIVATE KEY-----')) return 'key'",
  "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC… (cut)\n-----END PRIVATE KEY-----",
  // Addresses.
  "postgres://user:password@localhost:5432/db",
  "postgres://hub:k3Vq8Zt7y@localhost/hub, redis://:k3Vq8Zt7y@127.0.0.1, amqp://ada:k3Vq8Zt7y@queue:5672",
  "postgresql://USER:PASSWORD@HOST:PORT/DATABASE",
  "mongodb+srv://<username>:<password>@cluster0.abcde.mongodb.net/test",
  "mongodb+srv://admin:your_password1@cluster0.abcde.mongodb.net",
  "mysql://root:${DB_PASSWORD}@db.hub.site/hub, https://oauth2:$TOKEN@git.hub.site/a.git",
  "https://ada:s3cret-k3Vq8@api.example.com/v1",
  "ftp://anonymous:guest@ftp.hub.site, ssh://git@git.hub.site:2222/a.git",
  "https://hub.site:8443/@ada/notes, mailto:ada@hub.site, http://user:****@hub.site",
  "time 12:30, see a://b, https://medium.site/@ada/what-i-think-of:keys@home"
]

describe("harmless is", () => {
  it.each(HARMLESS)("%j", (text) => {
    expect(kindIn(text)).toBeNull()
    expect(kindIn(`so \`${text}\`\n`)).toBeNull()
  })

  it("chance: no random bytes, however written", () => {
    // The same at each run: a token's four letters come up by chance once in a thousand such texts.
    const bytes = (seed: number) => createHash("shake256", { outputLength: 20_000 }).update(`${seed}`).digest()
    for (const encoding of ["hex", "base64", "base64url"] as const)
      for (let round = 0; round < 20; round++) expect(kindIn(bytes(round).toString(encoding))).toBeNull()
  })

  /** Tests play with tokens of their own. */
  const files = trackedFiles().filter((file) => !file.startsWith("tests/") && /\.(?:md|ts|mjs|json|sh)$/.test(file))

  it("what this project says and is made of", () => {
    expect(files.length).toBeGreaterThan(300)
    expect(files).toEqual(expect.arrayContaining(["README.md", "edge/docs/reference.md", "edge/docs/shell.md"]))
    expect(files.map((file) => [file, kindIn(textOf(file))]).filter(([, kind]) => kind !== null)).toEqual([])
  })
})
