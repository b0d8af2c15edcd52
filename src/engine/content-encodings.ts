// Which content encodings of a reply are undone, and which it keeps because nobody here knows them.

const KNOWN = ['gzip', 'x-gzip', 'deflate', 'br', 'zstd'] as const
export type ContentEncoding = (typeof KNOWN)[number]

export interface ContentEncodings {
  /** The last one that was applied comes first. */
  undone: ContentEncoding[]
  /** Others are left on what comes out: servers write `none`, `utf-8` or `aws-chunked`, which are none, but also `compress`, which is one. */
  someLeft: boolean
}

/** Below one that is not known nothing can be undone, whatever the header says of it. */
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
