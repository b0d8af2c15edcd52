import { type FileStore, NoSuchFile, type OpenFile } from '../../engine/ports/files.ts'
import { notFound } from '../operation-error.ts'

/** Opens a file of some run or sample for somebody who may read all of them. */
export async function openFile(
  { files }: { files: Pick<FileStore, 'open'> },
  id: string,
  range?: { start: number; end: number },
): Promise<OpenFile> {
  try {
    return await files.open(id, null, range)
  } catch (error) {
    throw error instanceof NoSuchFile ? notFound('file', id) : error
  }
}
