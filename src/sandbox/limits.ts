// What bounds a run besides its own timeout and memory.

export const MAX_OUTPUT_BYTES = 10 << 20
/** The deepest nesting of an output: what later steps and the journal take. */
export const MAX_OUTPUT_DEPTH = 200
/** Parsing the output happens on the main thread; these keep it short however the text is made. */
export const MAX_OUTPUT_VALUES = 200_000
export const MAX_OUTPUT_NAMES = 50_000

/** The largest text or byte list that crosses at once: beyond it the worker's own heap would be at stake. */
export const MAX_CROSSING_BYTES = 16 << 20

/** Rejected promises that nothing awaits yet: the host keeps a list of them. */
export const MAX_UNHANDLED_REJECTIONS = 1_000_000

export const MAX_LOG_LINES = 1000
export const MAX_LOG_CHARACTERS = 64 << 10

/** Beyond the timeout, for code that QuickJS cannot interrupt; then the worker is ended. */
export const GRACE_MS = 300

/** A worker is added when what waits now has not begun after this long: one is enough for code that is short. */
export const PATIENCE_MS = 250

/** Both sizes together make every known attack on the stack fail cleanly; hostile.test.ts holds them to it. */
export const WORKER_STACK_MB = 16
export const GUEST_STACK_BYTES = 256 << 10
/** Strings on their way in and out; the guest's memory is WebAssembly's and not counted here. */
export const WORKER_HEAP_MB = 256
/** What comes and goes with each run is small; V8's own choice would be kept by each worker. */
export const WORKER_YOUNG_MB = 4

/** An engine that had to grow beyond this is replaced, since WebAssembly memory never shrinks. */
export const KEPT_MEMORY_BYTES = 48 << 20
/** Compiled texts that a worker keeps, least recently used first out. */
export const KEPT_IMAGES = 32
/** Fits the memory that every engine starts with. */
export const LARGEST_KEPT_IMAGE = 4 << 20
