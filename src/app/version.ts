import { readFileSync } from 'node:fs'
import { packageFile } from '../base/package-files.ts'

export const VERSION: string = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')).version
