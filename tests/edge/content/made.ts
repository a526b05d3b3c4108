/**
 * Tokens made of the shapes in `schemas/secret/tokens.ts`, and by hand as their makers show them. None is real. Those made
 * by hand are put together of two parts, since other scanners than ours look at repositories.
 */
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
const LOWER = "abcdefghijklmnopqrstuvwxyz"
const DIGIT = "0123456789"
const ALL = UPPER + LOWER + DIGIT

const CHARACTERS: Readonly<Record<string, string>> = {
  digit: DIGIT,
  lower: LOWER,
  letter: UPPER + LOWER,
  hex: `${DIGIT}abcdef`,
  base32: `${UPPER}234567`,
  base36: LOWER + DIGIT,
  upper36: UPPER + DIGIT,
  base58: "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
  base62: ALL,
  word: ALL,
  base64: `${ALL}+/`,
  base64url: `${ALL}-_`,
  dotted: `${ALL}-_`,
  secret: `${ALL}-_~`,
  glue: " "
}

/** Numbers from 0 to 1 that look random, and are the same in each run. */
export const numbers = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export const lettersOf = (random: () => number, characters: string, count: number): string =>
  Array.from({ length: count }, () => characters[Math.floor(random() * characters.length)]).join("")

/** As long as it must be, and `longer` of what it may be. */
export const tokenOf = (said: string, random: () => number, longer = 0): string =>
  said.replaceAll(/<([a-z0-9]+) (\d+)(?:(\+)|-(\d+))?>/g, (_all, name: string, min, open, max) => {
    const most = open === undefined ? Number(max ?? min) : Number(min) + 20
    const count = Math.min(most, Number(min) + longer)
    return lettersOf(random, CHARACTERS[name] ?? "", count)
  })

export const BY_HAND: ReadonlyArray<readonly [string, string, string]> = [
  ["hub_token", "hxh_", "q3VwF0Zt7yKcN2bLxP9sRd5uMa8eGi1T"],
  ["hub_token", "hxv_", "q3VwF0Zt-yKcN2bLxP_sRd"],
  ["hub_token", "hxs_", "Zt7yKcN2bLxP9sRd5uMa8eGi1TqVwF0hJkWz4Xc6Bv3"],
  ["webhook_secret", "whsec_", "C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgh1y/8kQ="],
  ["aws_access_key", "AKIA", "QYLPMN5HFIQR7XYA"],
  ["aws_access_key", "ASIA", "Y34FZKBOKMUTVV7A"],
  ["aws_secret_key", 'aws_secret_access_key = "', 'kWcrlUX5JEDGM/LtmEENI/aVmYvHNif5zB+d9+ct"'],
  ["aws_secret_key", "AWS_SECRET_ACCESS_KEY=", "kWcrlUX5JEDGM/LtmEENI/aVmYvHNif5zB+d9+ct"],
  ["aws_secret_key", '"SecretAccessKey": "', 'kWcrlUX5JEDGM/LtmEENI/aVmYvHNif5zB+d9+ct",'],
  ["github_token", "ghp_", "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"],
  ["github_token", "github_pat_", "11AWXYZIA0Q3vKc9LmNpRs_7bTqVwXyZ1aBcDeFgHiJkLmN0pQrStUvWxYz2A4C6E8G0I2K4M6O8Q0S2U5"],
  ["github_token", "ghs_1029384_eyJ", "hbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiIxIn0.c2ln"],
  ["gitlab_token", "glpat-", "yQ7Zs3xkP-aWvT2mB9rD"],
  ["slack_token", "xoxb-", "263594206564-2343594206574-FGqddMF8t08v8N7Oq4i57vs1"],
  ["slack_token", "xoxp-", "283316862324-298911817009-298923149681-44f585044dace54f5701618e97cd1c0b"],
  ["slack_webhook", "https://hooks.slack.com/services/", "T01J2QK7M/B03K8ZP4N/qW8nT2vLxR5cYb7Kd9Jm3Fh0"],
  ["stripe_key", "sk_live_", "51HqLyjWDarjtT1zdp7dcPq8Rm"],
  ["stripe_key", "rk_live_", "9Xq2LyjW7DarjtT1zdp7dc"],
  ["google_key", "AIza", "SyD3f9tSrke72PouQMnMXb7eZSW0jkFMBWY"],
  ["google_key", "GOCSPX-", "k3Vq8Zt7yKcN2bLxP9sRd5uMa8eG"],
  ["openai_key", "sk-proj-", "k3Vq8Zt7yKcN2bLxP9sRd5uMa8eGT3BlbkFJi1TqVwF0hJkWz4Xc6B"],
  ["model_key", "sk-", "k3Vq8Zt7yKcN2bLxP9sRT3BlbkFJi1TqVwF0hJkWz4Xc6Bv3"],
  ["model_key", "sk-", "3f9c1b7a5e2d48069b1f7c3e5a2d8046"],
  ["anthropic_key", "sk-ant-api03-", `${"k3Vq8Zt7yKcN2bLxP9sR-_".repeat(4)}q8AA`],
  ["openrouter_key", "sk-or-v1-", "3f9c1b7a5e2d48069b1f7c3e5a2d80463f9c1b7a5e2d48069b1f7c3e5a2d8046"],
  ["huggingface_token", "hf_", "qWnTvLxRcYbKdJmFhPsZgQaEuIoXyMwBtV"],
  ["npm_token", "npm_", "k3Vq8Zt7yKcN2bLxP9sRd5uMa8eGi1TqVwF0"],
  ["npm_token", "//npm.pkg.example/:_authToken=", "k3Vq8Zt7yKcN2bLxP9sRd5uMa8eG"],
  ["pypi_token", "pypi-AgE", "IcHlwaS5vcmcCJGI5ZTU2ZDRhLTQ5YjctNDM4Ny1hNmYwLWQyMzQ1Njc4OTBhYgACKlszLCJ"],
  ["sendgrid_key", "SG.", "k3Vq8Zt7yKcN2bLxP9sRd5.uMa8eGi1TqVwF0hJkWz4Xc6Bv3nYpLoDs7eRtQaZxM1"],
  ["twilio_key", "SK", "3f9c1b7a5e2d48069b1f7c3e5a2d8046"],
  ["azure_key", "AccountKey=", `${"k3Vq8Zt7yKcN2bLxP9sRd5uMa8eGi1TqVwF0hJkWz4X".repeat(2)}==`],
  ["azure_key", "k3V8Q~", "q8Zt7yKcN2bLxP9sRd5uMa8eGi1TqVwF0h"],
  ["digitalocean_token", "dop_v1_", "3f9c1b7a5e2d48069b1f7c3e5a2d80463f9c1b7a5e2d48069b1f7c3e5a2d8046"],
  ["telegram_token", "5829104736:AA", "Hk3Vq8Zt7yKcN2bLxP9sRd5uMa8eGi1Tq"],
  ["telegram_token", "https://api.telegram.org/bot5829104736:AA", "Hk3Vq8Zt7yKcN2bLxP9sRd5uMa8eGi1Tq/getMe"],
  ["discord_token", "MTAxNTQyNzM2NDgxNzI5NDMx", "OA.GqXk2p.k3Vq8Zt7yKcN2bLxP9sRd5uMa8eGi1TqVwF0hJ"],
  ["mailchimp_key", "3f9c1b7a5e2d48069b1f7c3e5a2d8046", "-us21"],
  ["shopify_token", "shpat_", "3f9c1b7a5e2d48069b1f7c3e5a2d8046"],
  ["vault_token", "hvs.", "CAESIJk3Vq8Zt7yKcN2bLxP9sRd5uMa8eGi1TqVwF0hJkWz4"],
  ["terraform_token", "k3Vq8Zt7yKcN2b.atlasv1.", "LxP9sRd5uMa8eGi1TqVwF0hJkWz4Xc6Bv3nYpLoDs7eRtQaZxM1k3Vq8Zt7yKcN2bL"],
  ["tailscale_key", "tskey-auth-", "k8Zt7yKcN2CNTRL-LxP9sRd5uMa8eGi1TqVwF0hJkWz4"],
  ["notion_token", "ntn_", "58291047361k3Vq8Zt7yKcN2bLxP9sRd5uMa8eGi1TqVwF"],
  ["private_key", "AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE"],
  ["private_key", "[Interface]\nPrivateKey = ", "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="],
  ["private_key", "Private-Lines: 1\r\n", "AAAAIHk3Vq8Zt7yKcN2bLxP9sRd5uMa8eGi1TqVwF0hJkWz4"],
  ["url_password", "postgres://hub:", "k3Vq8Zt7y@db.hub.site:5432/hub"],
  ["url_password", "mongodb+srv://ada:", "k3Vq8Zt7y@cluster0.mongodb.net/?retryWrites=true"],
  ["url_password", "redis://:", "k3Vq8Zt7y@203.0.113.7:6379"],
  ["url_password", "https://ada:", "k3Vq8Zt7y@git.hub.site/ada/notes.git"]
]

const MIDDLE = "k3Vq8Zt7yKcN2bLxP9sRd5uMa8eGi1TqVwF0hJkWz4Xc6Bv3nYpLoDs7eRtQaZxM\n".repeat(3)

/** As files have them. */
export const PEM = ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "].map(
  (name) => `-----BEGIN ${name}PRIVATE KEY-----\n${MIDDLE}-----END ${name}PRIVATE KEY-----\n`
)

export const MORE_PEM = [
  `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,3F9C1B7A\n\n${MIDDLE}`,
  `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n${MIDDLE}=k3Vq\n-----END PGP PRIVATE KEY BLOCK-----`,
  `{"private_key": "-----BEGIN PRIVATE KEY-----\\n${MIDDLE.replaceAll("\n", "\\n")}-----END PRIVATE KEY-----\\n"}`,
  `> -----BEGIN PRIVATE KEY-----\n> ${MIDDLE.replaceAll("\n", "\n> ")}`,
  `-----BEGIN PRIVATE KEY-----\r\n${MIDDLE.replaceAll("\n", "\r\n")}`,
  "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----"
]
