import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ManyTurns } from '../json/many-turns.testkit.ts'
import { readCsv } from './read-csv.ts'
import { readXml } from './read-xml.ts'
import { readXmlInTurns } from './read-xml-in-turns.ts'
import { writeCsv } from './write-csv.ts'
import { writeXml } from './write-xml.ts'

/** As plain data, since what is read has no prototypes. */
const xml = (text: string, lists?: string[]) => JSON.parse(JSON.stringify(readXml(text, { lists })))

describe('readXml', () => {
  it('reads elements, attributes, texts and repetitions', () => {
    expect(
      xml(`<?xml version="1.0" encoding="UTF-8"?>
        <!-- an order -->
        <order id="007" paid='yes'>
          <item>Nuts &amp; bolts</item><item sku="a&quot;b">x &#65;&#x1F600;<![CDATA[ <b> & ]]></item>
          <note/><empty></empty><?php echo 1 ?>
          <zip> 007 </zip>
        </order>
        <!-- the end -->`),
    ).toEqual({
      order: {
        '@id': '007',
        '@paid': 'yes',
        item: ['Nuts & bolts', { '@sku': 'a"b', '#text': 'x A😀 <b> & ' }],
        note: '',
        empty: '',
        zip: ' 007 ',
      },
    })
  })

  it('keeps prefixes as they are written, and the text between elements', () => {
    expect(xml('<s:E xmlns:s="urn:s"><s:B>Hello <b>big</b> world</s:B></s:E>')).toEqual({
      's:E': { '@xmlns:s': 'urn:s', 's:B': { b: 'big', '#text': 'Hello  world' } },
    })
  })

  it('makes lists of what is named, however often it comes', () => {
    const lists = ['order.item', 'order.lines.line', 'a.b.c']
    expect(xml('<order><item>1</item><lines/></order>', lists)).toEqual({ order: { item: ['1'], lines: { line: [] } } })
    expect(xml('<order><lines><line>a</line><line>b</line></lines></order>', lists)).toEqual({
      order: { lines: { line: ['a', 'b'] }, item: [] },
    })
    expect(xml('<a.b><c>1</c></a.b>', lists)).toEqual({ 'a.b': { c: ['1'] } })
  })

  it('reads line ends and white space as XML does', () => {
    expect(xml('<a b="1\r\n2\t3">x\r\ny\rz&#13;<![CDATA[\r\n]]></a>')).toEqual({
      a: { '@b': '1 2 3', '#text': 'x\ny\nz\r\n' },
    })
  })

  it('has no names with a meaning', () => {
    const read = readXml('<constructor><__proto__ __proto__="1"><toString/></__proto__></constructor>')
    expect(Object.keys(read)).toEqual(['constructor'])
    expect(JSON.stringify(read)).toBe('{"constructor":{"__proto__":{"@__proto__":"1","toString":""}}}')
    expect(({} as Record<string, unknown>)['@__proto__']).toBeUndefined()
  })

  it.each([
    ['', 'there is no element (line 1, column 1)'],
    ['text', 'text stands outside of the root element (line 1, column 1)'],
    ['<a>\n  <b></a>', 'an end tag does not match its start tag (line 2, column 6)'],
    ['<a><ab></a></ab>', 'an end tag does not match'],
    ['<ab></a>', 'an end tag does not match'],
    ['<a></ab>', 'an end tag does not match'],
    ['<a', 'a tag is not closed'],
    ['<a>', 'the text ends before the element is closed'],
    ['</a>', 'an end tag has no start tag'],
    ['<a/><b/>', 'more than one root element'],
    ['<a/>text', 'text stands outside'],
    ['<a b/>', 'an attribute has no value'],
    ['<a b=1/>', 'not in quotes'],
    ['<a b="1/>', 'not closed'],
    ['<a b="<"/>', 'holds a <'],
    ['<a b="1" b="2"/>', 'stands twice'],
    ['<a b="1"c="2"/>', 'no attribute'],
    ['<1a/>', 'a tag has no name'],
    ['<a>&nbsp;</a>', 'an entity is not known'],
    ['<a>&#0;</a>', 'not allowed in XML'],
    ['<a>&#xD800;</a>', 'not allowed in XML'],
    ['<a>&#x;</a>', 'an entity is not known'],
    ['<a>&#99999999;</a>', 'not allowed in XML'],
    ['<a>a & b</a>', 'an & begins no entity'],
    ['<a>\u0001</a>', 'not allowed in XML (line 1, column 4)'],
    ['<a>\ud800</a>', 'not allowed in XML (line 1, column 4)'],
    ['<a><!-- x</a>', 'a comment is not closed'],
    ['<a><![CDATA[ x</a>', 'a CDATA section is not closed'],
    ['<a><?x </a>', 'a processing instruction is not closed'],
    [' <?xml version="1.0"?><a/>', 'at the very beginning only'],
    ['<!DOCTYPE a><a/>', 'a document type (DOCTYPE)'],
    [`<${'n'.repeat(1_001)}/>`, 'no attribute'],
  ])('refuses %j', (text, problem) => expect(() => readXml(text)).toThrow(problem))

  it('refuses what would grow, name files or be too deep, wide or varied', () => {
    const laughs = `<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><l>&b;</l>`
    const external = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>`
    for (const text of [laughs, external]) expect(() => readXml(text)).toThrow('a document type')
    const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth)
    expect(() => readXml(nested(200))).not.toThrow()
    for (const depth of [201, 10_000, 1_000_000]) expect(() => readXml(nested(depth))).toThrow('more than 200 levels')
    expect(() => readXml(`<a>${'<b/>'.repeat(100_001)}</a>`)).toThrow('more than 100,000 elements')
    expect(() => readXml(`<a>${'&lt;'.repeat(400_001)}</a>`)).toThrow('more than 100,000 elements')
    const attributes = Array.from({ length: 5_001 }, (_, i) => `a${i}="1"`).join(' ')
    expect(() => readXml(`<a ${attributes}/>`)).toThrow('more than 5,000 different names')
    const prefixes = Array.from({ length: 5_001 }, (_, i) => `<p${i}:a xmlns:p${i}="u"/>`).join('')
    expect(() => readXml(`<a>${prefixes}</a>`)).toThrow('more than 5,000 different names')
    expect(readXml(`<a b="${'x'.repeat(5_000_000)}"/>`)).toHaveProperty(['a', '@b', 'length'], 5_000_000)
    for (const opening of ['<!--', '<![CDATA[', '<?a '])
      expect(() => readXml(`<a>${opening.repeat(200_000)}`)).toThrow('is not closed')
  })

  it('names a place far behind without counting lines', () => {
    expect(() => readXml(`${'\n'.repeat(1_000_001)}<`)).toThrow('a tag has no name (character 1,000,002)')
  })

  it('decodes long texts as short ones', () => {
    const text = 'a&lt;é&#128512;\r\n'
    expect(readXml(`<a>${text.repeat(1_000)}</a>`)).toEqual({ a: 'a<é😀\n'.repeat(1_000) })
    expect(readXml(`<a><![CDATA[${text.repeat(1_000)}]]></a>`)).toEqual({ a: 'a&lt;é&#128512;\n'.repeat(1_000) })
  })
})

describe('a large XML text', () => {
  const filler = (length: number) => 'x'.repeat(length)

  it.each([
    ['elements', `<a>${'<b>1</b>'.repeat(20_000)}</a>`],
    ['attributes', `<a>${'<b c="1" d=\'2\'/>'.repeat(9_000)}</a>`],
    ['a long text', `<a>${filler(900_000)}</a>`],
    ['a long text of entities', `<a>${'&lt;&#x1F600;\r\n'.repeat(40_000)}<b/>&gt; </a>`],
    ['a long attribute of entities', `<a><b c="${'&lt;\r\n&#233;'.repeat(40_000)}" d="2">1</b></a>`],
    ['long sections', `<a>${`<![CDATA[${'\r\n<&'.repeat(20_000)}]]>`.repeat(4)}</a>`],
    ['comments', `<a>${`<!--${filler(40)}-->`.repeat(9_000)}</a>`],
  ])('is read in several turns as at once: %s', async (_of, text) => {
    const turns = new ManyTurns()
    expect(JSON.stringify(await readXmlInTurns(text, {}, turns))).toBe(JSON.stringify(readXml(text)))
    expect(turns.count).toBeGreaterThan(text.length / 300_000)
  })

  it('is cut within no entity, pair of surrogates or line end', () => {
    for (const [unit, read] of [
      ['&amp;', '&'],
      ['&#x0001F600;', '😀'],
      ['\r\n', '\n'],
      ['\r', '\n'],
      ['😀', '😀'],
    ])
      for (let before = 16_384 - 20; before <= 16_384; before++) {
        const plain = filler(before - 1)
        const [given, expected] = [`\r${plain}${unit!.repeat(3)}`, `\n${plain}${read!.repeat(3)}`]
        expect(readXml(`<a>${given}${filler(20)}</a>`)).toEqual({ a: `${expected}${filler(20)}` })
        const attribute = `${expected}${filler(20)}`.replaceAll('\n', ' ')
        expect(readXml(`<a b="${given}${filler(20)}" c="1"/>`)).toEqual({ a: { '@b': attribute, '@c': '1' } })
        if (unit!.startsWith('&')) continue
        expect(readXml(`<a><![CDATA[${given}${filler(20)}]]></a>`)).toEqual({ a: `${expected}${filler(20)}` })
      }
  })

  it.each([
    ['within a tag', `<a>${filler(70_000)}<b`, 'a tag is not closed'],
    ['within a long attribute', `<a b="${'&lt;'.repeat(20_000)}`, 'the value of an attribute is not closed'],
    ['after a long attribute', `<a b="${'&lt;'.repeat(20_000)}"`, 'a tag is not closed'],
    ['after a long text', `<a>${'&lt;'.repeat(20_000)}`, 'the text ends before the element is closed'],
    ['with an unknown entity', `<a>${'&lt;'.repeat(20_000)}&x;</a>`, 'an entity is not known'],
    ['with a character', `<a>${filler(70_000)}\u0001</a>`, 'a character is not allowed in XML'],
    ['with half a pair', `<a>${filler(300_000)}\ud83d</a>`, 'a character is not allowed in XML'],
    ['twice', `<a b="${'&lt;'.repeat(20_000)}" b="1"/>`, 'an attribute stands twice in a tag'],
  ])('that ends %s is refused', async (_how, text, problem) => {
    await expect(readXmlInTurns(text, {}, new ManyTurns())).rejects.toThrow(problem)
  })
})

describe('writeXml', () => {
  it('escapes by itself, and writes attributes, texts and lists', () => {
    expect(
      writeXml({
        o: { '@id': 7, '@none': null, i: ['<&>', { '@a': '"\n', '#text': ']]>' }], n: null, y: true, z: [] },
      }),
    ).toBe('<o id="7"><i>&lt;&amp;&gt;</i><i a="&quot;&#10;">]]&gt;</i><n/><y>true</y></o>')
    expect(writeXml({ a: '<'.repeat(1_000) })).toBe(`<a>${'&lt;'.repeat(1_000)}</a>`)
  })

  it.each([
    ['text', 'an object with one key'],
    [{}, 'an object with one key'],
    [{ a: 1, b: 2 }, 'an object with one key'],
    [[{ a: 1 }], 'an object with one key'],
    [{ a: [1, 2] }, 'exactly once'],
    [{ 'a b': 1 }, 'no name of an element'],
    [{ 'a><b': 1 }, 'no name of an element'],
    [{ a: { '@x="1" y': 1 } }, 'no name of an element'],
    [{ a: { '#other': 1 } }, 'not #text'],
    [{ a: { b: [[1]] } }, 'a list in a list'],
    [{ a: { '@b': {} } }, 'an attribute or a text is'],
    [{ a: '\0' }, 'a character that XML cannot hold'],
  ])('refuses %j', (value, problem) => expect(() => writeXml(value)).toThrow(problem))

  it('refuses what is nested too deep', () => {
    let deep: unknown = 'x'
    for (let i = 0; i < 201; i++) deep = { a: deep }
    expect(() => writeXml(deep)).toThrow('200 levels')
  })

  it('is undone by readXml', () => {
    const name = fc.stringMatching(/^[A-Za-z_é][\w.:é-]{0,5}$/)
    const text = fc.string({ unit: 'grapheme' }).filter((one) => !/[^\t\n\r\x20-\ufffd]/.test(one))
    const { element } = fc.letrec((tie) => ({
      element: fc.oneof({ maxDepth: 4 }, text, tie('parent')),
      parent: fc
        .tuple(
          fc.dictionary(
            name.map((one) => `@${one}`),
            text,
            { maxKeys: 3 },
          ),
          fc.dictionary(name, fc.oneof(tie('element'), fc.array(tie('element'), { minLength: 2, maxLength: 3 })), {
            maxKeys: 3,
          }),
        )
        .map(([attributes, children]) => ({ ...attributes, ...children }))
        .filter((one) => Object.keys(one).length > 0),
    }))
    fc.assert(
      fc.property(name, element, (root, value) => {
        const written = writeXml({ [root]: value })
        expect(xml(written)).toEqual({ [root]: value })
        expect(writeXml(readXml(written))).toBe(written)
      }),
    )
  })
})

const csv = (text: string, options = {}) => JSON.parse(JSON.stringify(readCsv(text, options)))

describe('CSV', () => {
  it('reads rows by their header, or as lists', () => {
    const text = '\ufeffid,name\r\n007,"Nuts, ""big"" & bolts"\n\n8,"two\nlines"\r9,\n'
    expect(csv(text)).toEqual([
      { id: '007', name: 'Nuts, "big" & bolts' },
      { id: '8', name: 'two\nlines' },
      { id: '9', name: '' },
    ])
    expect(csv('a;b\n1;2', { header: false, delimiter: ';' })).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ])
    expect(csv('')).toEqual([])
    expect(csv('__proto__,constructor\n1,2')).toHaveLength(1)
    expect(JSON.stringify(readCsv('__proto__\n1'))).toBe('[{"__proto__":"1"}]')
  })

  it.each([
    ['a,b\n1', 'a row has 1 columns, and the header 2 (line 2, column 1)'],
    ['a,a\n1,2', 'two columns have the same name'],
    ['a\n"1', 'a quote is not closed (line 2, column 1)'],
    [`a\n${'"x'.repeat(100_000)}`, 'text follows a closing quote'],
    ['a\n"1"2', 'text follows a closing quote'],
    ['a,'.repeat(1_000_000), 'more than 5,000 columns'],
    ['a\n'.repeat(300_001), 'more than 300,000 cells'],
    ['\n'.repeat(300_001), 'more than 300,000 cells'],
    [`"${'""'.repeat(1_300_000)}"`, 'more than 300,000 cells'],
  ])('refuses CSV that is broken or too large', (text, problem) => expect(() => readCsv(text)).toThrow(problem))

  it('writes objects with a header, and lists without', () => {
    expect(
      writeCsv([
        { a: 1, b: 'x,y' },
        { a: null, c: true },
      ]),
    ).toBe('a,b,c\r\n1,"x,y",\r\n,,true\r\n')
    expect(writeCsv([['a "b"', ' x']], { delimiter: ';' })).toBe('"a ""b""";" x"\r\n')
    expect(writeCsv([{ a: 1 }], { header: false })).toBe('1\r\n')
    expect(writeCsv([['']])).toBe('""\r\n')
  })

  it('takes formulas for texts only where that is asked for', () => {
    expect(writeCsv([['=1+1', '-5', -5]])).toBe('=1+1,-5,-5\r\n')
    expect(writeCsv([['=1+1', '@x', -5, 'a']], { escapeFormulas: true })).toBe("'=1+1,'@x,-5,a\r\n")
  })

  it.each([
    ['text', 'a list of rows'],
    [[1], 'an object or a list'],
    [[[1], { a: 1 }], 'all objects or all lists'],
    [[{ a: {} }], 'a cell is'],
    [Array.from({ length: 5_001 }, (_, i) => ({ [`k${i}`]: 1 })), 'at most 5,000 columns'],
    [Array.from({ length: 1_000 }, (_, i) => ({ [`k${i}`]: 1 })), 'at most 300,000 cells'],
  ])('refuses rows that are none', (rows, problem) => expect(() => writeCsv(rows)).toThrow(problem))

  it('reads what it wrote', () => {
    const cell = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 5 }), (rows) => {
        expect(readCsv(writeCsv(rows), { header: false })).toEqual(rows)
      }),
    )
  })
})
