/**
 * Serves the interface to a model by the Model Context Protocol. The library for this is loaded only by this command.
 */
import type { Command } from "./command.ts"

export const mcpCommand: Command = {
  usage: ["mcp [--tools read|write|all|<operation>,...] [--files <folder>]"],
  summary: `serve the interface as tools of the Model Context Protocol, over standard input and output
read: what is public and your own; write: that, and what the community writes; all: that, your account, and what operators alone may do;
beside them operations by name: deleteMe, deleteRecovery, rotateWebhookSecret, closeMailbox, releaseMailDomain, deleteVaultEntry,
revokeVault, deleteCompartment are offered in no other way
--files: the folder below which files are taken and kept; without it there are none`,
  run: async (invocation) => (await import("../mcp/server.ts")).serve(invocation)
}
