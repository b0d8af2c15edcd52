// Defines xml, toXml, csv and toCsv. The host converts, as for expressions.
;(({ ask, define }) => {
  const options = (given) => (given === undefined ? null : given)
  define({
    xml: function xml(text, given) {
      return ask('readXml', [`${text}`, options(given)])
    },
    toXml: function toXml(value) {
      return ask('writeXml', [value])
    },
    csv: function csv(text, given) {
      return ask('readCsv', [`${text}`, options(given)])
    },
    toCsv: function toCsv(rows, given) {
      return ask('writeCsv', [rows, options(given)])
    },
  })
})(__kit)
