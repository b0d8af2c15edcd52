// Splits the content encodings of a reply into those that Millrace decodes and those that it leaves in place.

const KNOWN = ['gzip', 'x-gzip', 'deflate', 'br', 'zstd'] as const
export type ContentEncoding = (typeof KNOWN)[number]

export interface ContentEncodings {
  /** The encodings to decode; the one that was applied last comes first. */
  undone: ContentEncoding[]
  /** Whether unknown names remain: some encode nothing (`none`, `utf-8`, `aws-chunked`), others do (`compress`). */
  someLeft: boolean
}

/** Reads a Content-Encoding header. An unknown encoding hides every encoding below it, so reading stops there. */
export function readContentEncodings(header: string): ContentEncodings {
  const undone: ContentEncoding[] = []
  for (const part of header.toLowerCase().split(',').reverse()) {
    const name = part.trim()
    if (name === 'identity' || name === '') continue
    const known = KNOWN.find((each) => each === name)
    if (!known) return { undone, someLeft: true }
    undone.push(known)
  }
  return { undone, someLeft: false }
}
