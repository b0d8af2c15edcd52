// Which server a command talks to: one that is named, the one that holds the data folder, or one of its own on the folder or database.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type CommandLineSettings, readConfig } from '../config.ts'
import { holdsDatabase, isFolderInUse, notedAddress } from '../data-folder.ts'
import { ApiClient } from './api-client.ts'
import { CliError, EXIT } from './exit-code.ts'

export interface Target {
  server: string | undefined
  token: string | undefined
  dataDir: string | undefined
}

const TOKEN_HINT = 'Set MILLRACE_ADMIN_TOKEN to the token that the server was started with, or give one with --token.'

export async function connect(settings: CommandLineSettings, target: Target): Promise<ApiClient> {
  const token = tokenFrom(target.token) ?? settings.adminToken
  if (target.server !== undefined && target.dataDir !== undefined)
    throw new CliError(EXIT.usage, 'usage', 'Give --server or --data-dir, not both.')
  const url = target.server ?? (target.dataDir === undefined ? settings.baseUrl : null)
  if (url !== null && url !== undefined) return new ApiClient(originOf(url), token, TOKEN_HINT)
  const folder = resolve(target.dataDir ?? settings.dataDir)
  if (settings.databaseUrl !== null && target.dataDir === undefined) return ownServer(folder, settings.databaseUrl)
  if (holdsDatabase(folder)) return onFolder(folder, token)
  if (target.dataDir !== undefined)
    throw new CliError(
      EXIT.notFound,
      'no_database',
      `There is no database of Millrace in ${folder}; "millrace serve" makes one.`,
    )
  return new ApiClient(settings.defaultUrl, token, TOKEN_HINT)
}

/** The process that holds the folder is the only one that may work on it. */
async function onFolder(folder: string, token: string | null): Promise<ApiClient> {
  if (!isFolderInUse(folder)) return ownServer(folder, null)
  const address = notedAddress(folder)
  if (address === null)
    throw new CliError(
      EXIT.unreachable,
      'folder_in_use',
      `Another process is using ${folder}, and its address is not known: give it with --server.`,
    )
  const hint = `The server at ${address} holds ${folder}. ${TOKEN_HINT}`
  if (token === null) throw new CliError(EXIT.notAllowed, 'unauthorized', 'A token is needed.', [hint])
  return new ApiClient(address, token, hint)
}

/** In this process, on the loopback address, for nobody else; it runs nothing. */
async function ownServer(folder: string, databaseUrl: string | null): Promise<ApiClient> {
  const adminToken = randomBytes(32).toString('base64url')
  const config = {
    ...readConfig(),
    dataDir: folder,
    databaseUrl,
    role: 'all' as const,
    host: '127.0.0.1',
    port: 0,
    adminToken,
    logLevel: 'silent' as const,
  }
  const { startApp } = await import('../app.ts')
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
