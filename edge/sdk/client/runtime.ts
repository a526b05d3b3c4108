/**
 * Modules of Node, if the runtime has them. They are looked up when they are used and never imported, so that bundlers
 * do not look for them.
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
