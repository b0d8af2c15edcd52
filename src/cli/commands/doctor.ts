// `millrace doctor`: checks everything that usually goes wrong.
import type { CommandLineSettings, Config } from '../../app/config.ts'
import { ConfigError } from '../../app/read-setting.ts'
import { trustAuthorities } from '../../app/tls/authorities.ts'
import type { ApiClient } from '../client/api-client.ts'
import { connect } from '../client/connect.ts'
import { defineCommand, list } from '../command.ts'
import { checkFolder, checkStart } from '../doctor/check-folder.ts'
import { checkServer } from '../doctor/check-server.ts'
import { type CheckResult, failed, ok, warning } from '../doctor/finding.ts'
import { CliError, EXIT } from '../exit-code.ts'
import type { Terminal } from '../terminal/terminal.ts'

const PROBE_MS = 10_000

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Check the configuration, the data folder, the server and its network',
  options: { egress: list('url', 'whether a flow on this machine could reach this URL') },
  details:
    'With --server the command checks only that server; otherwise also the settings and the data folder on this machine.\nThe exit code is 1 if a check failed; warnings do not count.',
  examples: [
    ['on the machine of the server, with its settings', 'millrace doctor'],
    ['why can the flow not reach this?', 'millrace doctor --egress https://api.example.com/health'],
    ['another server', 'millrace doctor --server https://flows.example.com'],
  ],
  async run({ connect: connected, options, show, terminal, settings, target }) {
    const { VERSION } = await import('../../app/version.ts')
    const results: CheckResult[] = []
    if (target.server === undefined) {
      const config = configuration(settings, target.dataDir, results)
      if (config)
        results.push(...(config.databaseUrl === null ? await checkFolder(config) : [await checkStart(config)]))
      const isSound = !results.some(({ state }) => state === 'failed')
      if (config && isSound) results.push(await checkFiles(config))
      if (config) results.push(...(await proxyChecks(config)), ...(await providerChecks(config)))
      if (config) for (const url of options.egress) results.push(await checkEgress(config, url))
    }
    // Servers on PostgreSQL are found by their base URL only.
    const named =
      settings.databaseUrl !== null && target.dataDir === undefined && (settings.baseUrl ?? settings.defaultUrl)
    const open = named ? () => connect(settings, { ...target, server: target.server ?? named }) : connected
    // A folder that cannot be used has no server to look at.
    const isUsable = !results.some(({ check, state }) => state === 'failed' && /^(database|key)$/.test(check))
    if (isUsable) results.push(...(await serverChecks(open, VERSION)))
    show({ checks: results }, () => describe(terminal, results))
    return results.some(({ state }) => state === 'failed') ? EXIT.failed : EXIT.ok
  },
})

async function serverChecks(open: () => Promise<ApiClient>, ownVersion: string): Promise<CheckResult[]> {
  try {
    const api = await open()
    return api.isIdle ? [warning('server', 'No server runs on this data folder.')] : await checkServer(api, ownVersion)
  } catch (error) {
    if (!(error instanceof CliError) || error.exit === EXIT.usage) throw error
    return [failed('server', [error.message, ...error.details].join(' '))]
  }
}

function configuration(
  settings: CommandLineSettings,
  dataDir: string | undefined,
  results: CheckResult[],
): Config | null {
  try {
    const config = settings.service()
    trustAuthorities(config.authorities)
    results.push(ok('configuration', 'The settings are valid.'), ok('variables', describeVariables(config)))
    return dataDir === undefined ? config : { ...config, dataDir, databaseUrl: null, role: 'all' }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    results.push(failed('configuration', error.message))
    return null
  }
}

async function checkFiles(config: Config): Promise<CheckResult> {
  const { checkFilePlace } = await import('../../app/files/check-place.ts')
  const { place, fault } = await checkFilePlace(config)
  return fault === null
    ? ok('files', `Files of runs are kept in ${place}.`)
    : failed('files', `Files of runs cannot be kept in ${place}: ${fault}`)
}

/** Says which variables flows read, and which of them are shown: the prefixes are easily mistaken for one another. */
function describeVariables({ env, variables }: Config): string {
  const list = (names: string[]) => names.toSorted().join(', ') || 'none'
  return `Flows read as config, shown in runs (MILLRACE_VAR_…): ${list(Object.keys(variables))}. As env, secret (MILLRACE_ENV_…): ${list(Object.keys(env))}.`
}

async function providerChecks(config: Config): Promise<CheckResult[]> {
  if (config.oidc.providers.length === 0) return []
  const { checkProviders } = await import('../../app/sign-in/check-providers.ts')
  return (await checkProviders(config)).map(({ name, issuer, problem }) => {
    if (problem !== null)
      return failed('single sign-on', `${problem}. Check MILLRACE_OIDC_ISSUER, and that it can be reached.`)
    const open = issuer.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(issuer)
    return open
      ? warning('single sign-on', `${name} (${issuer}) answers, but without encryption: use https.`)
      : ok('single sign-on', `${name} (${issuer}) answers.`)
  })
}

async function proxyChecks({ proxy }: Config): Promise<CheckResult[]> {
  if (proxy === null) return []
  const { checkProxies } = await import('../../app/outbound-client.ts')
  return (await checkProxies(proxy, PROBE_MS)).map(({ origin, fault }) =>
    fault === null
      ? ok('proxy', `${origin} can be reached; --egress <url> tries a request through it.`)
      : failed('proxy', `${fault}.`),
  )
}

async function checkEgress(config: Config, url: string): Promise<CheckResult> {
  const { probe } = await import('../../app/outbound-client.ts')
  try {
    const { status } = await probe(config, url, PROBE_MS)
    return ok('egress', `${url} answers ${status}.`)
  } catch (error) {
    const { code, message, hint } = error as Error & { code: string; hint: string }
    return failed('egress', `${url}: ${code}: ${message}. ${hint}`)
  }
}

const LOOKS = { ok: 'green', warning: 'yellow', failed: 'red' } as const

function describe(terminal: Terminal, results: readonly CheckResult[]): string {
  const width = Math.max(...results.map(({ check }) => check.length))
  return results
    .map(
      ({ check, state, says }) => `${terminal.style(LOOKS[state], state.padEnd(7))}  ${check.padEnd(width)}  ${says}`,
    )
    .join('\n')
}
