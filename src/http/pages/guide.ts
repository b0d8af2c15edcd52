// The pages of docs/ about writing flows.
import { readFile } from 'node:fs/promises'
import { packageFile } from '../../base/package-files.ts'
import type { GUIDE_PAGES } from '../../contract/bodies.ts'

export const guidePage = (page: (typeof GUIDE_PAGES)[number]): Promise<string> =>
  readFile(packageFile(`docs/${page}.md`), 'utf8')
