// What steps of `onFailure` are tried on where no run has failed: in tests of a step, and in the editor.

export interface SampleFailure {
  error: { code: string; message: string; step: string; status: number }
  failed: { run: string; step: string; version: number | null; at: string }
}

const STATUS = 500

/** `step`: the id of the step that is said to have failed. */
export const sampleFailure = (step: string, run: string, version: number | null, at: string): SampleFailure => ({
  error: { code: `http_${STATUS}`, message: `The API replied ${STATUS}`, step, status: STATUS },
  failed: { run, step, version, at },
})
