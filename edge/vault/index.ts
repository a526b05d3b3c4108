export {
  REVOKE_WORD,
  type RefusedRevoking,
  consentForm,
  consentSection,
  entryFacts,
  revokingForm,
  vaultSection
} from "./owner-view.ts"
export { type OwnedVault, OwningVault } from "./owning.ts"
export { vaultPages as pages } from "./pages.ts"
export { vaultRoutes as routes } from "./routes.ts"
export { admittedHolder, holding, isBearer, readHolder } from "./token.ts"
