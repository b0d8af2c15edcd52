// The flows of the folder examples/, offered as templates.
import { readdir, readFile } from 'node:fs/promises'
import { packageFile } from '../../base/package-files.ts'
import { parseFlowText } from '../../flow/flow-text.ts'

export interface Example {
  id: string
  name: string
  description: string
  document: unknown
  text: string
}

const FOLDER = packageFile('examples/')

let loaded: Promise<Example[]> | null = null

/** They belong to the program and do not change while it runs. */
export function examples(): Promise<Example[]> {
  loaded ??= readExamples()
  return loaded
}

async function readExamples(): Promise<Example[]> {
  const files = (await readdir(FOLDER)).filter((file) => /^[^.]+\.yaml$/.test(file)).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, FOLDER), 'utf8')
      const document = parseFlowText(text)
      return {
        id: file.replace(/\.yaml$/, ''),
        name: (document as { name: string }).name,
        description: headOf(text),
        document,
        text,
      }
    }),
  )
}

/** The first paragraph of the comment on top; before it stands a line for editors. */
function headOf(text: string): string {
  const lines = text.split('\n').slice(1)
  const end = lines.findIndex((line) => !/^# \S/.test(line))
  return lines
    .slice(0, end)
    .map((line) => line.slice(2))
    .join(' ')
}
