// What a stranger can put into XML and CSV, and into what is written as such.
import { family, type Input, numbered, repeated } from './inputs.ts'

export const XML_INPUTS: Input[] = family('XML', {
  'empty elements': repeated('<b/>', '<a>', '</a>'),
  'elements without an end': repeated('<a>'),
  'ends without an element': repeated('</a>'),
  'elements that differ': numbered((i) => `<b${i}/>`, '<a>', '</a>'),
  'elements of different attributes': numbered((i) => `<b a${i % 97}="1" b${i % 89}="1"/>`, '<a>', '</a>'),
  'many attributes': numbered((i) => `a${i}="1" `, '<a ', '/>'),
  'one attribute over and over': repeated('a="1" ', '<a ', '/>'),
  'many namespaces': numbered((i) => `<p${i}:a xmlns:p${i}="u"/>`, '<a>', '</a>'),
  'one long attribute': repeated('x', '<a b="', '"/>'),
  'an attribute without an end': repeated('x', '<a b="'),
  'entities in an attribute': repeated('&lt;', '<a b="', '"/>'),
  'white space in an attribute': repeated('\n', '<a b="', '"/>'),
  'white space in a tag': repeated(' ', '<a', '/>'),
  'white space': repeated(' ', '<a/>'),
  'one long name': repeated('n', '<', '/>'),
  'one long name beyond ASCII': repeated('é', '<', '/>'),
  entities: repeated('&#x41;', '<a>', '</a>'),
  'entities without an end': repeated('&', '<a>', '</a>'),
  'a billion laughs': numbered(
    (i) => `<!ENTITY l${i + 1} "&l${i};&l${i};">`,
    '<!DOCTYPE a [<!ENTITY l0 "ha">',
    ']><a>&l9;</a>',
  ),
  'carriage returns': repeated('\r\n', '<a>', '</a>'),
  'texts and elements': repeated('x<b/>', '<a>', '</a>'),
  'texts with entities': repeated('<b>x &amp; y</b>', '<a>', '</a>'),
  comments: repeated('x<!---->', '<a>', '</a>'),
  'comments without an end': repeated('<!--', '<a>'),
  'nearly the end of a comment': repeated('--', '<a><!--'),
  'CDATA sections': repeated('<![CDATA[x]]>', '<a>', '</a>'),
  'CDATA sections without an end': repeated('<![CDATA[', '<a>'),
  'nearly the end of a CDATA section': repeated(']]', '<a><![CDATA['),
  'carriage returns in CDATA': repeated('\r', '<a><![CDATA[', ']]></a>'),
  instructions: repeated('<?x ?>', '<a>', '</a>'),
  'instructions without an end': repeated('<?x ', '<a>'),
  'empty lists': repeated('<c/>', '<a>', '</a>'),
  'angle brackets': repeated('<'),
  'text beyond ASCII': repeated('é漢', '<a>', '</a>'),
})

/** The path of each is a list of the trigger: `empty lists` makes all of them in every element. */
export const WORST_LISTS = Array.from({ length: 100 }, (_, i) => `a.c.d${i}`)

/** The grammar of these inputs is the expression. */
export const FORMAT_EXPRESSIONS: Input[] = [
  ...family('csv(vars.t)', {
    commas: repeated(','),
    'one row of columns': numbered((i) => `c${i},`),
    rows: repeated('a,b\n'),
    'empty lines': repeated('\n', 'a'),
    'carriage returns': repeated('\r', 'a'),
    'a quote that is not closed': repeated('x', 'a\n"'),
    'quotes that are not closed': repeated('"x,'),
    'quotes in quotes': repeated('""', '"', '"'),
    'quoted cells': repeated('"a"\n'),
  }),
  ...family('toXml({ a: { b: vars.t } })', {
    'angle brackets': repeated('<'),
    'plain text': repeated('x'),
    'text beyond ASCII': repeated('é漢'),
  }),
  ...family("toXml({ a: { b: vars.t.split(',') } })", { elements: repeated('x,') }),
  ...family("toCsv(vars.t.split(',').map(x => [x]))", { rows: repeated('x,'), quotes: repeated('"",') }),
  ...family('toCsv([[vars.t]])', { quotes: repeated('"') }),
  ...family("csv(toCsv([vars.t.split(',')]))", { cells: repeated('x,') }),
  ...family('xml(vars.t)', {
    'empty elements': repeated('<b/>', '<a>', '</a>'),
    entities: repeated('&lt;', '<a>', '</a>'),
  }),
]
