// A value that stands for a file.
import { isFile } from '../../../../src/flow/expression/values/needs-file.ts'

export interface FileData {
  file: string
  name: string | null
  contentType: string
  size: number
}

/** Data from outside may only look like a file: each part is taken as what it is. */
export function fileDataOf(value: unknown): FileData | null {
  if (!isFile(value)) return null
  const { file, name, contentType, size } = value as Record<string, unknown>
  return {
    file: file as string,
    name: typeof name === 'string' && name !== '' ? name : null,
    contentType: typeof contentType === 'string' ? contentType : '',
    size: typeof size === 'number' && size >= 0 ? size : 0,
  }
}

export const fileUrl = ({ file, name }: FileData): string =>
  `/api/v1/files/${encodeURIComponent(file)}${name === null ? '' : `?name=${encodeURIComponent(name)}`}`
