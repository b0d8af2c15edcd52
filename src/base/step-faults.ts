// The part of the error catalogue that is about code and files.

export interface StepFault {
  message: string
  hint: string
  docs: string
}

const OF_CODE = 'docs/code.md#errors'
const OF_FILES = 'docs/files.md#errors'

/** Why code gave no result. */
export const SANDBOX_ERRORS = {
  code_failed: {
    message: 'What the code threw, with its line and column',
    hint: 'The code itself threw this: correct it, or set onError to continue and look at steps.<id>.error.',
    docs: OF_CODE,
  },
  code_timeout: {
    message: 'The code ran longer than its timeout of {seconds} s.',
    hint: 'Look for a loop that does not end, do less at once, or raise the timeout of the step (60 s at most).',
    docs: OF_CODE,
  },
  code_memory: {
    message: 'The code needed more memory than its limit of {megabytes} MB.',
    hint: 'Keep less in memory at once, or raise the memory of the step (512 MB at most).',
    docs: OF_CODE,
  },
} as const satisfies Record<string, StepFault>

/** Why a step cannot use a file. */
export const FILE_ERRORS = {
  file_not_found: {
    message: 'The run has no file "{file}"',
    hint: 'A file comes in by the webhook or as the reply of an HTTP request, and only the runs that got it can read it.',
    docs: OF_FILES,
  },
  file_too_large: {
    message: 'The file "{file}" is larger than the {most} that an expression can read',
    hint: 'Send the file itself, with the body kind file or as a part of a multipart form.',
    docs: OF_FILES,
  },
} as const satisfies Record<string, StepFault>
