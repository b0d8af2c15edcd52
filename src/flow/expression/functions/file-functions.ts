/** The functions that read the content of files: `text(file)`, and `base64(file)` beside `base64(text)`. */
import { encodeBase64 } from '../values/base64.ts'
import { toText } from '../values/conversion.ts'
import { fail } from '../values/errors.ts'
import type { Evaluation } from '../values/evaluation.ts'
import { isFile, type LoadedFile, NeedsFile } from '../values/needs-file.ts'
import type { GlobalFunction } from './method.ts'

function loaded(run: Evaluation, value: { file: string }): LoadedFile {
  const file = run.bindings.files?.get(value.file)
  if (!file) throw new NeedsFile(value)
  run.work(1 + (file.size >> 5))
  return file
}

export const FILE_FUNCTIONS: Readonly<Record<string, GlobalFunction>> = {
  base64: {
    arity: [1, 1],
    readsFiles: 'if given',
    call(run, [given]) {
      if (isFile(given)) {
        const file = loaded(run, given)
        run.grow(Math.ceil(file.size / 3) * 4)
        return file.base64()
      }
      const text = toText(given)
      run.convert(text, 4)
      if (!text.isWellFormed()) fail('The text given to base64 has half a character in it')
      return encodeBase64(text)
    },
  },
  text: {
    arity: [1, 1],
    readsFiles: 'always',
    call(run, [given]) {
      if (!isFile(given)) return fail('text takes a file', 'Other values become text with String(…).')
      const file = loaded(run, given)
      run.grow(file.size)
      return file.text()
    },
  },
}
