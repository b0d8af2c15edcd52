import type { ConnectionServices } from './services.ts'

/** Loads the connections from the database, at start and when another process may have changed some. */
export async function loadConnections({
  connections,
  connectionStore,
  tokens,
}: Pick<ConnectionServices, 'connections' | 'connectionStore' | 'tokens'>): Promise<void> {
  const stored = await connectionStore.all()
  for (const connection of stored) connections.put(connection)
  const names = new Set(stored.map(({ name }) => name))
  for (const { name } of connections.all()) if (!names.has(name)) connections.take(name)
  await tokens.load()
}
