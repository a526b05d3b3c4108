/**
 * Tokens that can be recognized by their shape: the service's own, and those of others as their makers document them.
 * Secrets without a shape (32 hex digits, a UUID) are not included, because they look like hashes.
 *
 * Left out on purpose: JWTs, because this service's attestations are JWTs and are made to be shown; publishable keys
 * (`pk_live_`); ids of accounts and users.
 */
import { type Shape, shapeOf } from "./shape.ts"

const OWN = [
  ["hub_token", "hxh_<base64url 20+>", "hxv_<base64url 20+>", "hxs_<base64url 20+>"],
  /** Secrets of Standard Webhooks: 24 to 64 bytes. Others' begin in the same way. */
  ["webhook_secret", "whsec_<base64 32+>", "whsec_<base64url 32+>"]
] as const

const KEYS = [
  [
    "private_key",
    // Ed25519 in PKCS #8 (RFC 8410) and OpenSSH's format, without their first line.
    "MC4CAQAwBQYDK2VwBCIEI<base64 43>",
    "b3BlbnNzaC1rZXktdjEAAAAA<base64 60+>",
    "AGE-SECRET-KEY-1<upper36 58>",
    // In files of WireGuard and PuTTY.
    "PrivateKey = <base64 43>=",
    "Private-Lines: <digit 1-3><glue 1-4><base64 40+>",
    "xprv<base58 107>"
  ]
] as const

const CLOUDS = [
  ["aws_access_key", "AKIA<base32 16>", "ASIA<base32 16>", "ABSK<base64 100+>"],
  [
    "aws_secret_key",
    "secret_access_key<glue 1-8><base64 40>",
    "SECRET_ACCESS_KEY<glue 1-8><base64 40>",
    "secretAccessKey<glue 1-8><base64 40>",
    "SecretAccessKey<glue 1-8><base64 40>",
    "AWS_SECRET_KEY<glue 1-8><base64 40>",
    "aws_secret_key<glue 1-8><base64 40>"
  ],
  ["azure_key", "AccountKey=<base64 86>==", "SharedAccessKey=<base64 43>=", "<secret 3><digit 1>Q~<secret 31-34>"],
  ["google_key", "AIza<base64url 35>", "GOCSPX-<base64url 28>", "ya29.<base64url 30+>"],
  ["digitalocean_token", "dop_v1_<hex 64>", "doo_v1_<hex 64>", "dor_v1_<hex 64>"],
  ["cloudflare_token", "cfk_<base62 48>", "cfut_<base62 48>", "cfat_<base62 48>", "v1.0-<hex 24>-<hex 146>"],
  ["heroku_key", "HRKU-AA<base64url 58>"],
  [
    "vercel_token",
    "vcp_<base62 24-60>",
    "vci_<base62 24-60>",
    "vca_<base62 24-60>",
    "vcr_<base62 24-60>",
    "vck_<base62 24-60>"
  ],
  ["netlify_token", "nfp_<base62 36+>", "nfc_<base62 36+>"],
  ["fly_token", "fo1_<base64url 43>", "fm1r_<base64 80+>", "fm2_<base64 80+>"],
  ["supabase_key", "sbp_<hex 40>", "sb_secret_<base64url 31>"],
  ["planetscale_token", "pscale_tkn_<dotted 32+>", "pscale_pw_<dotted 32+>", "pscale_oauth_<dotted 32+>"],
  ["databricks_token", "dapi<hex 32>"]
] as const

const CODE = [
  [
    "github_token",
    "ghp_<base62 36+>",
    "gho_<base62 36+>",
    "ghu_<base62 36+>",
    "ghs_<base62 36+>",
    "ghr_<base62 36+>",
    "ghs_<digit 1-20>_eyJ<base64url 20+>",
    "github_pat_<word 82>"
  ],
  [
    "gitlab_token",
    "glpat-<base64url 20+>",
    "gldt-<base64url 20+>",
    "glrt-<base64url 20+>",
    "glptt-<base64url 20+>",
    "glcbt-<base64url 20+>",
    "glagent-<base64url 20+>",
    "gloas-<base64url 20+>"
  ],
  ["atlassian_token", "ATATT3<base64url 100+>", "ATCTT3<base64url 100+>", "ATBB<base62 32>"],
  ["npm_token", "npm_<base62 36>", ":_authToken=<base64url 20+>"],
  ["pypi_token", "pypi-AgE<base64url 50+>"],
  ["rubygems_key", "rubygems_<hex 48>"],
  ["cargo_token", "cio<base62 32>"],
  ["docker_token", "dckr_pat_<base64url 27>", "dckr_oat_<base64url 32>"],
  ["terraform_token", ".atlasv1.<base64url 60+>"],
  ["pulumi_token", "pul-<hex 40>"],
  ["doppler_token", "dp.pt.<base62 40-44>", "dp.st.<base62 40-44>", "dp.ct.<base62 40-44>", "dp.sa.<base62 40-44>"],
  ["vault_token", "hvs.<base64url 24+>", "hvb.<base64url 100+>", "hvr.<base64url 24+>"],
  [
    "onepassword_token",
    "ops_eyJ<base64 200+>",
    "A3-<upper36 6>-<upper36 6>-<upper36 5>-<upper36 5>-<upper36 5>-<upper36 5>"
  ],
  ["tailscale_key", "tskey-<lower 2-20>-<word 8-40>-<word 16-60>"],
  ["postman_key", "PMAK-<hex 24>-<hex 34>"],
  ["newrelic_key", "NRAK-<upper36 27>"],
  ["sentry_token", "sntryu_<hex 64>", "sntrys_<base64 60+>"],
  ["grafana_token", "glsa_<base62 32>_<hex 8>", "glc_eyJ<base64 40+>"]
] as const

const MODELS = [
  [
    "anthropic_key",
    "sk-ant-api<digit 2>-<base64url 40+>",
    "sk-ant-admin<digit 2>-<base64url 40+>",
    "sk-ant-oat<digit 2>-<base64url 40+>",
    "sk-ant-ort<digit 2>-<base64url 40+>",
    "sk-ant-sid<digit 2>-<base64url 40+>"
  ],
  ["openai_key", "sk-proj-<base64url 40+>", "sk-svcacct-<base64url 40+>", "sk-admin-<base64url 40+>"],
  ["openrouter_key", "sk-or-v1-<hex 64>"],
  /** The first form of OpenAI's keys, which others have copied. */
  ["model_key", "sk-<base62 32-64>"],
  ["google_model_key", "AQ.Ab8RN6<base64url 40+>"],
  ["groq_key", "gsk_<base62 52>"],
  ["xai_key", "xai-<base62 80>"],
  ["perplexity_key", "pplx-<base62 48>"],
  ["cerebras_key", "csk-<base36 48>"],
  ["huggingface_token", "hf_<letter 34>", "api_org_<letter 34>"],
  ["replicate_token", "r8_<base62 37>"],
  ["elevenlabs_key", "sk_<hex 48>"],
  ["nvidia_key", "nvapi-<base64url 64>"],
  ["langsmith_key", "lsv2_pt_<hex 32>_<hex 10>", "lsv2_sk_<hex 32>_<hex 10>"],
  ["pinecone_key", "pcsk_<word 50+>"],
  ["e2b_key", "e2b_<hex 40>"]
] as const

const SERVICES = [
  [
    "slack_token",
    "xoxb-<digit 8-14>-<digit 8-14>-<base62 20-64>",
    "xoxb-<digit 8-14>-<base62 20-64>",
    "xoxp-<digit 8-14>-<digit 8-14>-<digit 8-14>-<hex 32>",
    "xoxa-<digit 8-14>-<digit 8-14>-<digit 8-14>-<hex 32>",
    "xoxc-<digit 8-14>-<digit 8-14>-<digit 8-14>-<hex 64>",
    "xoxe-1-<base62 140+>",
    "xapp-<digit 1>-<upper36 9-14>-<digit 8-14>-<hex 64>"
  ],
  ["slack_webhook", "hooks.slack.com/services/<upper36 8-14>/<upper36 8-14>/<base62 20-44>"],
  [
    "discord_token",
    "M<base64url 23-27>.<base64url 6>.<base64url 27-38>",
    "N<base64url 23-27>.<base64url 6>.<base64url 27-38>",
    "O<base64url 23-27>.<base64url 6>.<base64url 27-38>"
  ],
  [
    "discord_webhook",
    "discord.com/api/webhooks/<digit 17-20>/<base64url 60+>",
    "discordapp.com/api/webhooks/<digit 17-20>/<base64url 60+>"
  ],
  ["telegram_token", "<digit 8-10>:AA<base64url 33>", "bot<digit 8-10>:AA<base64url 33>"],
  ["stripe_key", "sk_live_<base62 16+>", "rk_live_<base62 16+>", "sk_test_<base62 16+>", "rk_test_<base62 16+>"],
  ["square_token", "sq0atp-<base64url 22>", "sq0csp-<base64url 43>"],
  ["shopify_token", "shpat_<hex 32>", "shpca_<hex 32>", "shppa_<hex 32>", "shpss_<hex 32>"],
  ["twilio_key", "SK<hex 32>"],
  ["sendgrid_key", "SG.<base64url 22>.<base64url 43>"],
  ["mailgun_key", "<hex 32>-<hex 8>-<hex 8>"],
  ["mailchimp_key", "<hex 32>-us<digit 1-2>"],
  ["brevo_key", "xkeysib-<hex 64>-<base62 16>", "xsmtpsib-<hex 64>-<base62 16>"],
  ["resend_key", "re_<base62 8>_<base62 24>"],
  ["linear_key", "lin_api_<base62 40>"],
  ["notion_token", "ntn_<digit 11><base62 35>", "secret_<base62 43>"],
  ["figma_token", "figd_<base64url 40+>", "figo_<base64url 40+>"],
  ["airtable_token", "pat<base62 14>.<hex 64>"]
] as const

const TOKENS = [...OWN, ...KEYS, ...CLOUDS, ...CODE, ...MODELS, ...SERVICES]

export type TokenKind = (typeof TOKENS)[number][0]

export interface TokenShape {
  readonly kind: TokenKind
  /** The shape as it is written above. */
  readonly said: string
  readonly shape: Shape
}

export const TOKEN_SHAPES: ReadonlyArray<TokenShape> = TOKENS.flatMap(([kind, ...shapes]) =>
  shapes.map((said) => ({ kind, said, shape: shapeOf(said) }))
)
