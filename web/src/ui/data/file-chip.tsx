// A file among data: its name and size, to be saved; a small picture of it where it is one.
import { Tooltip } from '@mantine/core'
import { IconDownload, IconFile, IconFileText, IconFileZip, IconPhoto } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { formatBytes } from '../format.ts'
import classes from './file-chip.module.css'
import { type FileData, fileUrl } from './file-data.ts'

/** Pictures that a browser draws without running anything; SVG is none of them. */
const DRAWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
/** Larger pictures are not fetched for a thumbnail. */
const LARGEST_DRAWN = 2 * 1024 * 1024

export function FileChip({ file }: { file: FileData }) {
  const name = file.name ?? 'unnamed file'
  return (
    <span className={classes.chip}>
      <FileIcon file={file} />
      <span className={classes.name} title={`${name}, ${file.contentType}`}>
        {name}
      </span>
      <span className={classes.size}>{formatBytes(file.size)}</span>
      <Tooltip label="Download (d)" openDelay={200}>
        <a
          className={classes.download}
          href={fileUrl(file)}
          download={name}
          aria-label={`Download ${name}`}
          tabIndex={-1}
          onClick={(event) => event.stopPropagation()}
        >
          <IconDownload size={13} aria-hidden />
        </a>
      </Tooltip>
    </span>
  )
}

function FileIcon({ file }: { file: FileData }) {
  const type = file.contentType.split(';', 1)[0]!
  const drawn = useThumbnail(DRAWN.has(type) && file.size <= LARGEST_DRAWN ? file : null)
  if (drawn) return <img className={classes.thumbnail} src={drawn} alt="" />
  const Icon = type.startsWith('image/')
    ? IconPhoto
    : /zip|tar|gzip|compressed/.test(type)
      ? IconFileZip
      : /^text\/|pdf|json|xml|document/.test(type)
        ? IconFileText
        : IconFile
  return <Icon size={14} className={classes.icon} aria-hidden />
}

/** The URL of the bytes, under the type that they were sent with, which is one that only draws; null until they are here. */
function useThumbnail(file: FileData | null): string | null {
  const [url, setUrl] = useState<string | null>(null)
  const id = file?.file
  const type = file?.contentType
  useEffect(() => {
    if (id === undefined) return
    const leaving = new AbortController()
    let made: string | null = null
    fetch(`/api/v1/files/${encodeURIComponent(id)}`, { signal: leaving.signal })
      .then(async (response) => {
        // A file that is gone keeps its icon.
        if (!response.ok) return
        made = URL.createObjectURL(new Blob([await response.arrayBuffer()], { type }))
        setUrl(made)
      })
      .catch(() => {})
    return () => {
      leaving.abort()
      if (made) URL.revokeObjectURL(made)
    }
  }, [id, type])
  return url
}
