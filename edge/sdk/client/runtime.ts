/**
 * Modules of Node's if there are any; asked for at the time of use and never imported, so that no bundler looks for
 * them.
 */

interface NodeModules {
  readonly "node:crypto": typeof import("node:crypto")
  readonly "node:worker_threads": typeof import("node:worker_threads")
  readonly "node:os": typeof import("node:os")
}

export const builtin = <Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined => {
  const { process } = globalThis as { readonly process?: { readonly getBuiltinModule?: (name: string) => unknown } }
  return process?.getBuiltinModule?.(name) as NodeModules[Name] | undefined
}
