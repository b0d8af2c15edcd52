// Finds the server that a command talks to: a named one, the one that holds the data folder, or one in this process on the folder or database.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CommandLineSettings } from '../../app/config.ts'
import { trustAuthorities } from '../../app/tls/authorities.ts'
import { folderFault, holdsDatabase, isFolderInUse, notedAddress } from '../../base/data-folder.ts'
import { CODE } from '../../base/error-catalogue.ts'
import { CliError, EXIT } from '../exit-code.ts'
import { ApiClient } from './api-client.ts'

export interface Target {
  server: string | undefined
  token: string | undefined
  dataDir: string | undefined
}

const TOKEN_HINT = 'Set MILLRACE_ADMIN_TOKEN to the token that the server was started with, or give one with --token.'

export async function connect(settings: CommandLineSettings, { server, token, dataDir }: Target): Promise<ApiClient> {
  if (server !== undefined && dataDir !== undefined)
    throw new CliError(EXIT.usage, 'usage', 'Give --server or --data-dir, not both.')
  trustAuthorities(settings.authorities())
  const credential = tokenFrom(token) ?? settings.adminToken
  const folder = resolve(dataDir ?? settings.dataDir)
  const at = (url: string) => new ApiClient(originOf(url), credential, TOKEN_HINT)
  if (server !== undefined) return at(server)
  if (dataDir !== undefined) refuseUnusable(folder)
  if (dataDir !== undefined && !holdsDatabase(folder))
    throw new CliError(
      EXIT.notFound,
      'no_database',
      `There is no database of Millrace in ${folder}; "millrace serve" makes one.`,
    )
  if (dataDir === undefined && settings.databaseUrl !== null) return ownServer(settings, folder, settings.databaseUrl)
  // A data folder in the current folder must not win over a named server.
  const isNamed = dataDir !== undefined || settings.dataDirIsSet || settings.baseUrl === null
  if (isNamed && holdsDatabase(folder)) return onFolder(settings, folder, credential)
  return at(settings.baseUrl ?? settings.defaultUrl)
}

function refuseUnusable(folder: string): void {
  const fault = folderFault(folder, { made: false })
  if (fault === null) return
  throw new CliError(EXIT.failed, 'data_folder', `The data folder ${folder} cannot be used: ${fault}.`, [
    'Run the command as the user that the service runs as, or name the server with --server.',
  ])
}

/** The process that holds the folder is the only one that may work on it. */
async function onFolder(settings: CommandLineSettings, folder: string, token: string | null): Promise<ApiClient> {
  refuseUnusable(folder)
  if (!isFolderInUse(folder)) return ownServer(settings, folder, null)
  const address = notedAddress(folder)
  if (address === null)
    throw new CliError(
      EXIT.unreachable,
      'folder_in_use',
      `Another process is using ${folder}, and its address is unknown: give it with --server.`,
    )
  const hint = `The server at ${address} holds ${folder}. ${TOKEN_HINT}`
  if (token === null) throw new CliError(EXIT.notAllowed, CODE.unauthorized, 'A token is needed.', [hint])
  return new ApiClient(address, token, hint)
}

/** Starts a server in this process, on the loopback address, for this command only; it starts no runs. */
async function ownServer(
  settings: CommandLineSettings,
  folder: string,
  databaseUrl: string | null,
): Promise<ApiClient> {
  const adminToken = randomBytes(32).toString('base64url')
  const config = {
    ...settings.service(),
    dataDir: folder,
    databaseUrl,
    role: 'all' as const,
    host: '127.0.0.1',
    port: 0,
    adminToken,
    logLevel: 'silent' as const,
  }
  const { startApp } = await import('../../app/start.ts')
  const app = await startApp(config, { write: () => {} }, { idle: true })
  return new ApiClient(app.localUrl, adminToken, TOKEN_HINT, () => app.stop())
}

/** `@file` keeps the token out of the list of processes. */
function tokenFrom(given: string | undefined): string | null {
  if (given === undefined) return null
  if (!given.startsWith('@')) return given
  try {
    return readFileSync(given.slice(1), 'utf8').trim()
  } catch (error) {
    throw new CliError(EXIT.usage, 'usage', `The token cannot be read: ${(error as Error).message}`)
  }
}

function originOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new CliError(EXIT.usage, 'usage', `--server takes a URL such as https://flows.example.com, not "${url}".`)
  return new URL(url).origin
}
