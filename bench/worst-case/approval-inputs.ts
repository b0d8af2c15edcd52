// The worst texts for the page of an approval, which may hold what strangers sent.
import { family, type Input, repeated } from './inputs.ts'

export const MARKDOWN_INPUTS: Input[] = family('Markdown', {
  'emphasis that never ends': repeated('*a '),
  'strong and emphasis in turn': repeated('**_a'),
  underlines: repeated('_'),
  asterisks: repeated('*'),
  'code that never ends': (n) => `\`${'a'.repeat(n - 1)}`,
  backticks: repeated('`'),
  'opening brackets': repeated('['),
  'brackets before a link': (n) => `${'['.repeat(n / 2)}](${'a '.repeat(n / 4)})`,
  'emphasis before its end': (n) => `${'*a '.repeat(n / 4)}${'_b'.repeat(n / 8)}`,
  'links without an end': repeated('[a]('),
  'closed links to nowhere': repeated('[a](x)'),
  'links to follow': repeated('[a](https://a)'),
  'quotes and lists': repeated('> - # 1. '),
  'items of lists': repeated('- *a*\n'),
  'numbers without an end': repeated('1'),
  'entities and tags': repeated('<&">'),
  fences: repeated('```\n'),
})
