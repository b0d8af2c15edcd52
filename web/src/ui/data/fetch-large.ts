// Fetches data that is too large to come along with what it belongs to.
import { formatBytes } from '../format.ts'

/** More would hold the page for longer than people accept: 6 MiB of JSON are read in about a twentieth of a second. */
export const LARGEST_SHOWN = 6 * 1024 * 1024

export type FetchedData = { value: unknown } | { problem: string }

export async function fetchLarge(url: string, signal?: AbortSignal): Promise<FetchedData> {
  try {
    const response = await fetch(url, { credentials: 'same-origin', signal: signal ?? null })
    if (!response.ok) return { problem: 'It could not be fetched. It may have been deleted since.' }
    const size = Number(response.headers.get('content-length') ?? 0)
    if (size > LARGEST_SHOWN) {
      await response.body?.cancel()
      return { problem: `It has ${formatBytes(size)}, which is too much to be shown here.` }
    }
    const text = await response.text()
    // Decoding and parsing are tasks of their own, between which the page answers.
    await nextTask()
    const value = readData(text)
    await nextTask()
    return { value }
  } catch (error) {
    if (signal?.aborted) throw error
    return { problem: 'Millrace is not responding. Check that it runs, and try again.' }
  }
}

const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

/** Whatever is no JSON is shown as text. */
function readData(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
