/** Functions that search texts for patterns. */
import { Pattern } from '../patterns/pattern.ts'
import { toText } from '../values/conversion.ts'
import { ELEMENT_SIZE } from '../values/evaluation.ts'
import type { GlobalFunction } from './method.ts'

export const PATTERN_FUNCTIONS: Readonly<Record<string, GlobalFunction>> = {
  match: {
    arity: [2, 2],
    call(run, [given, pattern]) {
      const text = toText(given)
      run.read(text)
      const found = Pattern.of(run, toText(pattern)).search(run, text, 0)
      return found && partsOf(found, text, (size) => run.grow(size))
    },
  },
  replace: {
    arity: [3, 3],
    call(run, [given, pattern, by]) {
      const text = toText(given)
      const replacement = toText(by)
      run.read(text)
      const known = Pattern.of(run, toText(pattern))
      let result = ''
      let from = 0
      let kept = 0
      while (from <= text.length) {
        const found = known.search(run, text, from)
        if (!found) break
        const [start, end] = found as [number, number]
        const inserted = filledIn(
          replacement,
          partsOf(found, text, (size) => run.grow(size)),
        )
        run.work(40 + (replacement.length >> 2))
        run.grow(start - kept + inserted.length)
        result += text.slice(kept, start) + inserted
        kept = end
        // After an empty match the search goes on behind the next character.
        from = end > start ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1)
      }
      run.grow(text.length - kept)
      return result + text.slice(kept)
    },
  },
}

/** Returns the texts of a match and of its groups; null for a group that took no part. */
function partsOf(found: readonly number[], text: string, charge: (size: number) => void): (string | null)[] {
  const parts: (string | null)[] = []
  for (let i = 0; i < found.length; i += 2) {
    const [start, end] = [found[i]!, found[i + 1]!]
    parts.push(start === -1 || end === -1 ? null : text.slice(start, end))
    charge(ELEMENT_SIZE + Math.max(0, end - start))
  }
  return parts
}

/** `$1` stands for a group, `$0` and `$&` for the whole match, `$$` for a dollar sign. */
const filledIn = (replacement: string, parts: readonly (string | null)[]): string =>
  replacement.includes('$')
    ? replacement.replaceAll(/\$(\$|&|\d{1,2})/g, (written, what: string) => {
        if (what === '$') return '$'
        const part = parts[what === '&' ? 0 : Number(what)]
        return part === undefined ? written : (part ?? '')
      })
    : replacement
