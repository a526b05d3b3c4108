/** docker-compose.yml and the files that it mounts, as they are written: `docker compose config` is in tests/deploy/. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { textOf } from "./tracked.ts"

interface Service {
  readonly image?: string
  readonly profiles?: ReadonlyArray<string>
  readonly networks?: ReadonlyArray<string>
  readonly ports?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly command?: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string | number>>
  readonly read_only?: boolean
  readonly cap_drop?: ReadonlyArray<string>
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly networks: Readonly<
    Record<string, { readonly internal?: boolean; readonly driver_opts?: Readonly<Record<string, string>> }>
  >
  readonly volumes: Readonly<Record<string, unknown>>
}

const yamlOf = (file: string): unknown => parse(textOf(file), { merge: true })
const { services, networks, volumes } = yamlOf("docker-compose.yml") as Compose
const named = Object.entries(services)

const mountsOf = ({ volumes: mounted = [] }: Service) =>
  mounted.map((mount) => {
    const [from = "", to = ""] = mount.split(":")
    return { from, to }
  })

describe("docker-compose.yml", () => {
  it("pins each image of others to a version", () => {
    const others = named.flatMap(([, { image = "" }]) => (image === "hub" ? [] : [image]))
    expect(others.length).toBeGreaterThan(5)
    expect(others.filter((image) => !/^[a-z/]+:v?\d+(?:\.\d+)+(?:-alpine)?$/.test(image))).toEqual([])
  })

  it("mounts files that are there, and volumes and networks that it declares", () => {
    for (const [name, service] of named) {
      for (const { from } of mountsOf(service)) {
        if (from.startsWith("./")) expect(existsSync(join(projectRoot, from)), `${name}: ${from}`).toBe(true)
        else if (!from.startsWith("$")) expect(Object.keys(volumes), name).toContain(from)
      }
      for (const network of service.networks ?? []) expect(Object.keys(networks), name).toContain(network)
    }
  })
})

describe("the profile observability", () => {
  const observing = named.filter(([, { profiles }]) => profiles?.includes("observability"))
  const { prometheus = {}, grafana = {} } = services

  it("starts Prometheus and Grafana, which nobody reaches from elsewhere", () => {
    expect(observing.map(([name]) => name)).toEqual(["prometheus", "grafana"])
    expect(prometheus.ports).toBeUndefined()
    expect(prometheus.networks?.filter((name) => networks[name]?.internal !== true)).toEqual([])
    expect(grafana.ports).toEqual(["127.0.0.1:${HUB_GRAFANA_PORT:-3000}:3000"])
    const [open = "", ...others] = grafana.networks?.filter((name) => networks[name]?.internal !== true) ?? []
    expect(others).toEqual([])
    // The one that the port needs has nobody else on it, and no way out.
    expect(named.filter(([, service]) => service.networks?.includes(open)).map(([name]) => name)).toEqual(["grafana"])
    expect(networks[open]?.driver_opts).toEqual({
      "com.docker.network.bridge.host_binding_ipv4": "127.0.0.1",
      "com.docker.network.bridge.enable_ip_masquerade": "false"
    })
    // Strangers' processes are beside neither.
    expect(grafana.networks).not.toContain("bus")
    for (const service of [prometheus, grafana]) expect([service.read_only, service.cap_drop]).toEqual([true, ["ALL"]])
  })

  it("gives nobody a login, and no secret of the service to either", () => {
    expect(grafana.environment).toMatchObject({
      GF_AUTH_ANONYMOUS_ORG_ROLE: "Viewer",
      GF_AUTH_BASIC_ENABLED: "false",
      GF_AUTH_DISABLE_LOGIN_FORM: "true",
      GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: "true"
    })
    expect(JSON.stringify([prometheus, grafana])).not.toMatch(/PASSWORD|_KEY/)
  })

  it("scrapes every process that has metrics, at their port, by the rules for alerts", () => {
    const { rule_files, scrape_configs } = yamlOf("ops/deploy/prometheus/prometheus.yml") as {
      rule_files: ReadonlyArray<string>
      scrape_configs: ReadonlyArray<{
        readonly dns_sd_configs: ReadonlyArray<{ readonly names: ReadonlyArray<string>; readonly port: number }>
      }>
    }
    const measured = named.filter(
      ([, { environment, profiles }]) =>
        environment?.["HUB_METRICS_PORT"] !== undefined && profiles?.includes("tools") !== true
    )
    const [lookup] = scrape_configs.flatMap((one) => one.dns_sd_configs)
    expect(lookup?.names.toSorted()).toEqual(measured.map(([name]) => name).toSorted())
    for (const [name, { environment, networks: on = [] }] of measured) {
      expect(environment?.["HUB_METRICS_PORT"], name).toBe(lookup?.port)
      expect(
        on.some((network) => prometheus.networks?.includes(network)),
        name
      ).toBe(true)
    }
    const folder = mountsOf(prometheus).find(({ from }) => from === "./ops/deploy/prometheus")?.to
    expect(rule_files).toEqual([`${folder}/alerts.yml`])
    expect(prometheus.command).toContain(`--config.file=${folder}/prometheus.yml`)
    expect(prometheus.command?.filter((word) => word.startsWith("--storage.tsdb.retention."))).toHaveLength(2)
  })

  it("provisions both dashboards, and Prometheus as what they read", () => {
    const { datasources } = yamlOf("ops/deploy/grafana/provisioning/datasources/prometheus.yml") as {
      datasources: ReadonlyArray<{ readonly type: string; readonly url: string; readonly isDefault: boolean }>
    }
    expect(datasources).toMatchObject([{ type: "prometheus", url: "http://prometheus:9090", isDefault: true }])
    const { providers } = yamlOf("ops/deploy/grafana/provisioning/dashboards/hub.yml") as {
      providers: ReadonlyArray<{ readonly options: { readonly path: string } }>
    }
    const mounts = Object.fromEntries(mountsOf(grafana).map(({ from, to }) => [from, to]))
    expect(providers.map(({ options }) => options.path)).toEqual([mounts["./ops/deploy/grafana/dashboards"]])
    expect(mounts["./ops/deploy/grafana/provisioning"]).toBe("/etc/grafana/provisioning")
  })
})
