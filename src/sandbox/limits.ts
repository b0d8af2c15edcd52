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

/** The time for what a text does before its function is called, if that shall be part of its image. */
export const PREPARING_MS = 20
export const LARGEST_PREPARED_GROWTH = 1 << 20

/** A worker is added when the present queue has not begun after this time: one worker is enough for short code. */
export const PATIENCE_MS = 250

/** A worker that had nothing to do for so long is ended: it takes some ten megabytes, and a tenth of a second to start again. */
export const IDLE_MS = 10_000

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

// On the main thread no code may run for 2 ms. Whatever goes beyond a limit here starts over in a worker.

/** The time that recent runs of a step may have taken. */
export const SHORT_MS = 0.3
/** The fuse: a run that takes longer is thrown away. What the host does for a run once more comes on top, within the limits below. */
export const FUSE_MS = 1
/** As often the clock may be looked at first: every 20 to 100 microseconds of work, and at each call of the host. */
export const SHORT_FREE_LOOKS = 8
/** The time in one turn of the event loop after which the next run waits for another turn. */
export const TURN_MS = 1
export const SHORT_INPUT_CHARACTERS = 16 << 10
/** Holds for the output and for what is hashed. */
export const SHORT_CROSSING_BYTES = 32 << 10
/** Holds for what else the host is asked: a URL to parse, a line to log. */
export const SHORT_ARGUMENT_BYTES = 4 << 10
/** The stack of a main thread is far smaller than that of a worker. */
export const SHORT_CALL_STACK_BYTES = 8 << 10
/** A timeout below this is left to the workers. */
export const SHORT_TIMEOUT_MS = 100
/** Whatever can be done at once to this much memory takes little time. */
export const SHORT_MEMORY_BYTES = 1 << 20
/** The number of runs in a worker before the first on the main thread, and after the fuse has blown, which doubles each time. */
export const RUNS_BEFORE_SHORT = 3
export const RUNS_AFTER_BLOWN = 64
export const MOST_RUNS_AFTER_BLOWN = 1 << 16
/** The number of good runs on the main thread that halves it again. */
export const RUNS_TO_FORGIVE = 1000
