/**
 * Requests with a token of a vault: by sources, which seal entries for it, and by fill services (spec 4.12; contract 9,
 * 17).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ReportCaptcha } from "../captcha/api.ts"
import { Captcha } from "../captcha/records.ts"
import { accepted, created, describeByToken, success, WaitSeconds, textParameter } from "../envelope.ts"
import { Chapter, OWN_BUCKET, Row, Traits } from "../traits.ts"
import { FillResult, LoadKey, OpenFill, RelayCaptcha } from "../vault/fields.ts"
import { AskedFill, ClosedFill, FillableEntry, OpenedFill, SourceVault } from "../vault/records.ts"
import { tokenFailures, tokenWriteFailures } from "../vault/token-failures.ts"

const id = { id: Schema.String }

export const VaultServiceApi = HttpApiGroup.make("vault_service")
  .annotate(Chapter, 71)
  .add(
    HttpApiEndpoint.get("getVaultToSeal", "/vault/source", {
      success: success(SourceVault),
      error: tokenFailures()
    })
      .annotateMerge(describeByToken("source", "The vault's public key, for a source"))
      .annotate(Traits, OWN_BUCKET)
      .annotate(Row, "with a source's token: `vault`, `public_key`, `status`, `kinds`"),
    HttpApiEndpoint.post("loadVaultKey", "/vault/service/key", {
      payload: LoadKey,
      success: success(Schema.Struct({ vault: Schema.String, public_key: Schema.String, sealed_key: Schema.String })),
      error: tokenWriteFailures("vault_not_active", "vault_key_taken")
    })
      .annotateMerge(
        describeByToken(
          "service",
          "The vault's key, for a fill service",
          "Sealed to the service's own one-time key; once a token."
        )
      )
      .annotate(Traits, OWN_BUCKET)
      .annotate(Row, "with a fill service's token: the private key, sealed to `ephemeral_public_key`; once"),
    HttpApiEndpoint.get("listFillable", "/vault/service/entries", {
      query: {
        origin: textParameter("A website: lists only the entries for it."),
        kind: textParameter("Lists only entries of this kind.")
      },
      success: success(Schema.Array(FillableEntry)),
      error: tokenFailures("validation_error")
    })
      .annotateMerge(describeByToken("service", "Entries for a website"))
      .annotate(Traits, OWN_BUCKET)
      .annotate(Row, "with a fill service's token: entries for `origin`, of `kind`"),
    HttpApiEndpoint.post("openFill", "/vault/service/fill", {
      payload: OpenFill,
      success: [success(OpenedFill), accepted(AskedFill)],
      error: tokenWriteFailures(
        "vault_not_active",
        "fills_pending_full",
        "entry_unknown",
        "kind_mismatch",
        "origin_mismatch",
        "origin_not_allowed",
        "page_not_https",
        "page_host_refused",
        "currency_mismatch",
        "amount_over_payment",
        "amount_over_day",
        "fills_over_day",
        "owner_none",
        "owner_declined",
        "fill_expired"
      )
    })
      .annotateMerge(
        describeByToken(
          "service",
          "Fill an entry",
          "Policy first, then the journal, then the ciphertext. 202 with `consent: pending` where an owner has to allow it: ask for it until he has."
        )
      )
      .annotate(Traits, OWN_BUCKET)
      .annotate(
        Row,
        "with a fill service's token: `entry_id`, `action`, `origin`, `amount`, `currency`; answers the `ciphertext`"
      ),
    HttpApiEndpoint.get("awaitFill", "/vault/service/fill/:id", {
      params: id,
      query: { wait_seconds: WaitSeconds },
      success: [success(OpenedFill), accepted(AskedFill)],
      error: tokenFailures("not_found", "entry_unknown", "owner_declined", "fill_expired")
    })
      .annotateMerge(
        describeByToken("service", "A fill that an owner has to allow", "Held for at most 25 s until he has answered.")
      )
      .annotate(Traits, OWN_BUCKET)
      .annotate(Row, "with a fill service's token: the `ciphertext` once an owner allowed it; `?wait_seconds=`"),
    HttpApiEndpoint.post("endFill", "/vault/service/fill/:id/result", {
      params: id,
      payload: FillResult,
      success: success(ClosedFill),
      error: tokenWriteFailures("not_found", "consent_pending")
    })
      .annotateMerge(
        describeByToken("service", "Report the result of a fill", "A late one is taken once, and says so.")
      )
      .annotate(Traits, OWN_BUCKET)
      .annotate(
        Row,
        "with a fill service's token: `status` (`done`, `failed`), `code`, `filled`, `submitted`, `accepted`"
      ),
    HttpApiEndpoint.post("relayCaptcha", "/vault/captcha", {
      payload: RelayCaptcha,
      success: created(Captcha),
      error: tokenWriteFailures(
        "not_found",
        "fill_expired",
        "captcha_unsolved",
        "captcha_needs_human",
        "captcha_image_unsuitable",
        "owner_message_secret"
      )
    })
      .annotateMerge(
        describeByToken(
          "service",
          "Hand the captcha before a fill to the owners",
          "As `POST /me/captcha`, with `fill_id` and `round`. The fill does not expire meanwhile."
        )
      )
      .annotate(Traits, OWN_BUCKET)
      .annotate(Row, "with a fill service's token: body of `POST /me/captcha`, and `fill_id`, `round`"),
    HttpApiEndpoint.get("getFillCaptcha", "/vault/captcha/:id", {
      params: id,
      query: { wait_seconds: WaitSeconds },
      success: success(Captcha),
      error: tokenFailures("not_found")
    })
      .annotateMerge(describeByToken("service", "One of them", "Held for at most 25 s until it is answered."))
      .annotate(Traits, OWN_BUCKET)
      .annotate(Row, "with a fill service's token: its state and answer; `?wait_seconds=`"),
    HttpApiEndpoint.delete("cancelFillCaptcha", "/vault/captcha/:id", {
      params: id,
      success: success(Captcha),
      error: tokenWriteFailures("not_found", "captcha_not_pending")
    })
      .annotateMerge(describeByToken("service", "Take it back"))
      .annotate(Traits, OWN_BUCKET)
      .annotate(Row, "with a fill service's token: takes it back"),
    HttpApiEndpoint.post("reportFillCaptcha", "/vault/captcha/:id/result", {
      params: id,
      payload: ReportCaptcha,
      success: success(Captcha),
      error: tokenWriteFailures("not_found", "captcha_not_answered")
    })
      .annotateMerge(describeByToken("service", "Report whether the answer was right"))
      .annotate(Traits, OWN_BUCKET)
      .annotate(Row, "with a fill service's token: `result` (`solved`, `failed`)")
  )
