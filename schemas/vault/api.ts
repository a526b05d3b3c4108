/** Endpoints of an agent's vault: entries, sources, the log, and revocation (spec 4.12; contract 9, 17). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  created,
  describe,
  describeByToken,
  page,
  PagingQuery,
  signedFailures,
  signedWriteFailures,
  success
} from "../envelope.ts"
import { Chapter, Row, Traits } from "../traits.ts"
import { ChangeEntry, CreateSource, RevokeVault, WriteEntry } from "./fields.ts"
import { tokenWriteFailures } from "./token-failures.ts"
import { CreatedSource, Vault, VaultEntry, VaultLogLine, VaultSource, WrittenEntry } from "./records.ts"

const id = { id: Schema.String }

export const VaultApi = HttpApiGroup.make("vault")
  .annotate(Chapter, 70)
  .add(
    HttpApiEndpoint.post("createVault", "/vault", {
      success: created(Vault),
      error: signedWriteFailures("vault_exists")
    })
      .annotateMerge(
        describe("signed", "Create your vault", "Its key pair is made within seconds: `status` is `active` then.")
      )
      .annotate(Row, "`pending_key`, and `active` once its key has been made"),
    HttpApiEndpoint.get("getVault", "/vault", { success: success(Vault), error: signedFailures("not_found") })
      .annotateMerge(describe("signed", "Your vault"))
      .annotate(Row, "`uid`, `status`, `public_key`, counts of entries and sources"),
    HttpApiEndpoint.get("listVaultEntries", "/vault/entries", {
      query: PagingQuery,
      success: page(VaultEntry),
      error: signedFailures("not_found")
    })
      .annotateMerge(describe("signed", "The entries of your vault", "Never a secret: labels, websites, limits, uses."))
      .annotate(Row, "newest first; paged"),
    HttpApiEndpoint.post("writeVaultEntry", "/vault/entries", {
      payload: WriteEntry,
      success: created(Schema.Union([VaultEntry, WrittenEntry])),
      error: tokenWriteFailures(
        "not_found",
        "vault_not_active",
        "vault_full",
        "vault_entry_exists",
        "vault_kind_not_allowed",
        "ciphertext_invalid",
        "limits_required",
        "limits_above_ceiling",
        "origins_required",
        "owner_none"
      )
    })
      .annotateMerge(
        describeByToken(
          "any",
          "Write a sealed entry",
          "Signed, or with a token of a source or of a fill service. A source is told `id` and `uid` alone. A profile with a " +
            "`label` or `origins` is 422: everything of it is sealed. With `consent`, " +
            "the confirmed owners with a verified address of this moment may allow its fills; without one it is 409 " +
            "`owner_none`. A later owner may once an earlier one approved, or after `limits.owner.later_owner_seconds` " +
            "without an objection."
        )
      )
      .annotate(Traits, { draw: ["write"] })
      .annotate(
        Row,
        "`uid`, `kind`, `label`, `origins`, `limits`, `consent`, `ciphertext` (`hxv1.` and base64 of the sealed box)"
      ),
    HttpApiEndpoint.get("getVaultEntry", "/vault/entries/:id", {
      params: id,
      success: success(VaultEntry),
      error: signedFailures("not_found", "entry_unknown")
    })
      .annotateMerge(describe("signed", "One entry, without its secret"))
      .annotate(Row, "one of them"),
    HttpApiEndpoint.patch("changeVaultEntry", "/vault/entries/:id", {
      params: id,
      payload: ChangeEntry,
      success: success(VaultEntry),
      error: signedWriteFailures("not_found", "entry_unknown", "vault_widening_refused", "limits_above_ceiling")
    })
      .annotateMerge(describe("signed", "Narrow an entry", "Fewer websites, lower limits: never the other way."))
      .annotate(Row, "`origins`, `limits`: fewer and lower, never more"),
    HttpApiEndpoint.delete("deleteVaultEntry", "/vault/entries/:id", {
      params: id,
      success: success(Schema.Struct({ deleted: Schema.Literal(true), id: Schema.Int })),
      error: signedWriteFailures("not_found", "entry_unknown")
    })
      .annotateMerge(describe("signed", "Delete an entry", "Its ciphertext is erased."))
      .annotate(Row, "erases its ciphertext"),
    HttpApiEndpoint.get("listVaultSources", "/vault/sources", {
      query: PagingQuery,
      success: page(VaultSource),
      error: signedFailures("not_found")
    })
      .annotateMerge(describe("signed", "The sources of your vault"))
      .annotate(Row, "newest first; paged"),
    HttpApiEndpoint.post("createVaultSource", "/vault/sources", {
      payload: CreateSource,
      success: created(CreatedSource),
      error: signedWriteFailures("not_found", "vault_not_active", "vault_full")
    })
      .annotateMerge(
        describe(
          "signed",
          "Let somebody write entries",
          "The `hxs_` token is shown this once. It writes, and reads nothing."
        )
      )
      .annotate(Row, "`label`, `kinds`; answers a `token` that writes entries and reads none, shown once"),
    HttpApiEndpoint.get("getVaultSource", "/vault/sources/:id", {
      params: id,
      success: success(VaultSource),
      error: signedFailures("not_found")
    })
      .annotateMerge(describe("signed", "One source"))
      .annotate(Row, "one of them"),
    HttpApiEndpoint.delete("deleteVaultSource", "/vault/sources/:id", {
      params: id,
      success: success(Schema.Struct({ deleted: Schema.Literal(true), id: Schema.Int })),
      error: signedWriteFailures("not_found")
    })
      .annotateMerge(describe("signed", "End a source", "Its token stops working. Its entries stay."))
      .annotate(Row, "its token stops working; what it wrote stays"),
    HttpApiEndpoint.get("listVaultLog", "/vault/log", {
      query: PagingQuery,
      success: page(VaultLogLine),
      error: signedFailures()
    })
      .annotateMerge(
        describe(
          "signed",
          "The journal of your vault",
          "Every fill, every refusal, every change; also of vaults that are revoked."
        )
      )
      .annotate(Row, "every fill, refusal and change, newest first; paged"),
    HttpApiEndpoint.post("revokeVault", "/vault/revoke", {
      payload: RevokeVault,
      success: success(Schema.Struct({ revoked: Schema.Literal(true), revoked_at: Schema.String })),
      error: signedWriteFailures("not_found", "confirmation_required")
    })
      .annotateMerge(
        describe(
          "signed",
          "Revoke your vault",
          "Keys, tokens and entries are erased within seconds. Nothing brings them back."
        )
      )
      .annotate(Row, "`confirm`: `revoke`; erases key, tokens and entries for good")
  )
