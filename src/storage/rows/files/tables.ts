// The tables of files for Kysely.

export interface FileTable {
  id: string
  state: 'incoming' | 'stored' | 'deleting'
  place: string
  sealed_key: string
  sha256: string | null
  size: number | null
  at: number
}

export interface FileUseTable {
  owner: string
  file_id: string
}

/** A file that may be used by nobody from `at` on. Every file that nobody uses has a row. */
export interface FileLookTable {
  file_id: string
  at: number
}

/** How much is stored, in one row. */
export interface FileTotalTable {
  id: number
  files: number
  bytes: number
}

/** The encrypted bytes of a file, if PostgreSQL keeps them. */
export interface FileChunkTable {
  file_id: string
  number: number
  bytes: Uint8Array
}

export interface FileTables {
  file: FileTable
  file_use: FileUseTable
  file_look: FileLookTable
  file_total: FileTotalTable
  file_chunk: FileChunkTable
}
