/** What expressions do with files, whose bytes only steps can load. */
import { CODE } from '../../../base/error-catalogue.ts'
import { ExpressionError } from './errors.ts'

/** A file whose bytes are at hand. */
export interface LoadedFile {
  size: number
  base64(): string
  text(): string
}

/** Thrown where an expression reads a file that is not loaded. The engine loads it, and evaluates again. */
export class NeedsFile extends ExpressionError {
  readonly value: { file: string }

  constructor(value: { file: string }) {
    super(
      CODE.expression_failed,
      'The content of a file can be read only in the settings of a step, and not in conditions',
      'Read it in a set step, and use the variable.',
    )
    this.value = value
  }
}

const FILE_ID = /^blob_[0-9A-Za-z_]{1,80}$/

export const isFile = (value: unknown): value is { file: string } => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'file')) return false
  const { file } = value as { file: unknown }
  return typeof file === 'string' && FILE_ID.test(file)
}
