// The port to what the process and its database are, for people who look after them.

export interface DatabaseFacts {
  version: string
  /** The bytes that the database takes. */
  bytes: number
  /** The bytes that are free where the database is; null if the process cannot know. */
  freeBytes: number | null
}

/** The store of the settings that owners change while the instance runs. */
export interface SettingStore {
  get(name: string): Promise<string | null>
  set(name: string, value: string | null): Promise<void>
}

export interface Instance {
  version: string
  storage: 'sqlite' | 'postgres'
  maxQueue: number
  /** Returns why the database does not work; null: it works. */
  fault(): Promise<string | null>
  database(): Promise<DatabaseFacts>
}
