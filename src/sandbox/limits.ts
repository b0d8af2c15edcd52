// The limits of a run besides its own timeout and memory.

export const MAX_OUTPUT_BYTES = 10 << 20
/** The deepest nesting of an output that later steps and the journal accept. */
export const MAX_OUTPUT_DEPTH = 200
/** The main thread parses the output; these limits keep that short for every text. */
export const MAX_OUTPUT_VALUES = 200_000
export const MAX_OUTPUT_NAMES = 50_000

/** The largest text or byte list that crosses at once: a larger one would endanger the worker's own heap. */
export const MAX_CROSSING_BYTES = 16 << 20

/** The maximum of rejected promises that nothing awaits yet: the host keeps a list of them. */
export const MAX_UNHANDLED_REJECTIONS = 1_000_000

export const MAX_LOG_LINES = 1000
export const MAX_LOG_CHARACTERS = 64 << 10

/** The time beyond the timeout for code that QuickJS cannot interrupt; after it the worker is ended. */
export const GRACE_MS = 300

/** A worker is added when the present queue has not begun after this time: one worker is enough for short code. */
export const PATIENCE_MS = 250

/** Both sizes together make every known attack on the stack fail cleanly; hostile.test.ts verifies it. */
export const WORKER_STACK_MB = 16
export const GUEST_STACK_BYTES = 256 << 10
/** Holds strings on their way in and out; the guest's memory is WebAssembly's and not counted here. */
export const WORKER_HEAP_MB = 256
/** A run allocates little; each worker would keep the larger size that V8 chooses. */
export const WORKER_YOUNG_MB = 4

/** An engine that grew beyond this is replaced, since WebAssembly memory never shrinks. */
export const KEPT_MEMORY_BYTES = 48 << 20
/** The number of compiled texts that a worker keeps; the least recently used goes first. */
export const KEPT_IMAGES = 32
/** An image up to this size fits the memory that every engine starts with. */
export const LARGEST_KEPT_IMAGE = 4 << 20
