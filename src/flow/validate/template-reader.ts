// Parses the templates of one document, each text once, up to a limit: parsing takes longer than all other checks, and the
// author of the document decides how much there is to parse.
import { type Template, TemplateSyntaxError, tryTemplate } from '../expression/index.ts'

export const MOST_EXPRESSIONS = 5_000
export const LONGEST_EXPRESSIONS = 200_000

export class TemplateReader {
  readonly #known = new Map<string, Template | TemplateSyntaxError>()
  #expressionsLeft = MOST_EXPRESSIONS
  #parsesLeft = MOST_EXPRESSIONS
  #charactersLeft = LONGEST_EXPRESSIONS

  get isExhausted(): boolean {
    return this.#expressionsLeft < 0
  }

  /** Returns null for this and all following templates once the limit is exceeded. */
  read(source: string): Template | TemplateSyntaxError | null {
    this.#expressionsLeft -= expressionsIn(source)
    const parsed = this.isExhausted ? null : this.parse(source)
    if (!parsed) this.#expressionsLeft = -1
    return parsed
  }

  /** Returns null if the limit is exceeded. */
  parse(source: string): Template | TemplateSyntaxError | null {
    const known = this.#known.get(source)
    if (known) return known
    this.#parsesLeft -= expressionsIn(source)
    if (this.#parsesLeft < 0 || this.#charactersLeft < 0) return null
    const parsed = tryTemplate(source)
    this.#charactersLeft -=
      parsed instanceof TemplateSyntaxError
        ? parsed.position
        : parsed.parts.reduce((sum, part) => sum + (typeof part === 'string' ? 0 : part.source.length), 0)
    this.#known.set(source, parsed)
    return parsed
  }
}

/** Returns what is wrong with a template in a place where no file can be loaded. */
export const unreadFile = ({ parts }: Template): string | null =>
  parts.some((part) => typeof part !== 'string' && part.readsFile)
    ? 'The content of a file can be read only in the settings of a step, and not in conditions or the trigger. Read it in a set step, and use the variable.'
    : null

function expressionsIn(source: string): number {
  let count = 0
  for (let at = source.indexOf('{{'); at !== -1; at = source.indexOf('{{', at + 2)) count++
  return count
}
