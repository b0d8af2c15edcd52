// Where a value stands, written as an expression that reads it: `steps.order.body.items[0]['unit-price']`.

const NAME = /^[A-Za-z_$][\w$]*$/

export function dataPath(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`
  if (NAME.test(key)) return parent === '' ? key : `${parent}.${key}`
  const quoted = `'${key.replaceAll(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
  return `${parent}[${quoted}]`
}
