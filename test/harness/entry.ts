// The command as users get it: the bundle, built again if the sources have changed.
import { resolve } from 'node:path'
import { buildService } from '../../scripts/build.mjs'

if (!buildService()) throw new Error('The service could not be bundled; see above.')

export const ENTRY = resolve(import.meta.dirname, '../../dist/millrace.js')
