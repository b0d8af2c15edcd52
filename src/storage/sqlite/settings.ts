// The settings of every database session that writes to the embedded database.

/** How long a session waits for the transaction of another. */
export const LOCK_TIMEOUT_MS = 5000

export const DURABLE = `PRAGMA synchronous=FULL; PRAGMA journal_size_limit=67108864;
  PRAGMA cache_size=-1024; PRAGMA temp_store=MEMORY; PRAGMA foreign_keys=ON;`

/** So many pages of the write-ahead log are moved into the database file: by the thread that writes, between two batches. */
export const LONG_LOG_PAGES = 4_000
export const NO_CHECKPOINTS = 'PRAGMA wal_autocheckpoint=0;'

/** For the session of the event loop: the other one tidies the log up before it gets there. */
export const RARE_CHECKPOINTS = 'PRAGMA wal_autocheckpoint=12000;'
