// `millrace keys` and `millrace keys rotate`: on the data folder, or through the service that uses it.
import { type KeysView, withKeys } from '../app.ts'
import { type Config, ConfigError, readConfig } from '../config.ts'

const POLL_MS = 500

export async function keys(command: string | undefined): Promise<void> {
  if (command !== undefined && command !== 'rotate') {
    console.error(`Unknown command "keys ${command}". There are: millrace keys, millrace keys rotate`)
    process.exit(2)
  }
  try {
    const config = readConfig()
    const view = await ofFolder(config, command === 'rotate')
    print(view ?? (await ofService(config, command === 'rotate')))
  } catch (error) {
    const known = error instanceof ConfigError || error instanceof KeysFailed || REFUSALS.has((error as Error).name)
    console.error(known ? (error as Error).message : error)
    process.exit(1)
  }
}

const REFUSALS = new Set(['DatabaseRefused', 'KeyRefused'])

class KeysFailed extends Error {}

/** null: a service uses the folder. */
async function ofFolder(config: Config, rotate: boolean): Promise<KeysView | null> {
  try {
    return await withKeys(config, async (rotation) => {
      if (rotate) rotation.start()
      await rotation.finished()
      return rotation.view()
    })
  } catch (error) {
    if ((error as { inUse?: boolean }).inUse) return null
    throw error
  }
}

async function ofService(config: Config, rotate: boolean): Promise<KeysView> {
  let view = await call(config, rotate ? 'POST' : 'GET', rotate ? '/keys/rotate' : '/keys')
  while (view.rotation.status === 'running') {
    const { done, total } = view.rotation
    console.log(`${done} of ${total} …`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    view = await call(config, 'GET', '/keys')
  }
  return view
}

async function call({ baseUrl, adminToken }: Config, method: string, path: string): Promise<KeysView> {
  if (adminToken === null)
    throw new KeysFailed(
      'A service uses this data folder. Set MILLRACE_ADMIN_TOKEN to its token, so that it can be asked.',
    )
  let response: Response
  try {
    response = await fetch(`${baseUrl}/api/v1${path}`, { method, headers: { authorization: `Bearer ${adminToken}` } })
  } catch (error) {
    throw new KeysFailed(
      `A service uses this data folder, but cannot be reached at ${baseUrl} (${(error as Error).message}). Set MILLRACE_BASE_URL to its address.`,
    )
  }
  const body = (await response.json()) as KeysView & { message?: string }
  if (!response.ok) throw new KeysFailed(`The service at ${baseUrl} refuses: ${body.message ?? response.status}`)
  return body
}

function print({ current, keys: list, rotation }: KeysView): void {
  for (const { id, sealed, given } of list) {
    const role = id === current ? 'seals' : given ? 'opens' : 'not given'
    console.log(`${id}  ${role.padEnd(9)}  ${sealed} sealed`)
  }
  if (rotation.status === 'failed') throw new KeysFailed(`The rotation failed: ${rotation.error}`)
  const left = list.filter(({ id, given }) => given && id !== current)
  for (const { id, sealed } of left)
    console.log(sealed === 0 ? `Key ${id} can be dropped from MILLRACE_SECRET_KEY.` : `Key ${id} is still needed.`)
}
