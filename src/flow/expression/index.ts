/**
 * Templates with `{{ … }}` and the JavaScript subset inside them. Where a valid expression differs from JavaScript:
 *
 * - A property that is not there is missing rather than `undefined`: it may be tested, and is an error where it is
 *   inserted, passed on or calculated with. A property of something missing or null is missing too (`a.b.c ?? 1`).
 * - Lists and objects never turn into text or numbers by themselves: `+`, `String(list)`, `Number(list)` and
 *   `'${object}'` are errors, and `list == 'text'` is false. (Inserted by `{{ }}` they become JSON.)
 * - NaN and Infinity may be calculated with and tested, but are errors when turned into text or JSON, or inserted.
 * - `sort` and `reverse` return copies; `keys`, `values` and `entries` of a list are lists.
 * - In `replace` and `replaceAll` the text to find is plain text and `$` in the replacement means nothing.
 * - Dates are UTC throughout (`getHours` is `getUTCHours`, text without a zone is UTC), read from ISO 8601 and RFC 5322
 *   only, and become their ISO text in `+`, `String()` and when inserted.
 * - `localeCompare` always sorts by English rules.
 * - `{ __proto__: x }` makes an ordinary property.
 */
export type { Reference } from './compile/compiler.ts'
export {
  CONSTANT_NAMES,
  FUNCTION_NAMES,
  METHOD_NAMES,
  type MethodOwner,
  takesFunction,
} from './functions/vocabulary.ts'
export { type Expression, parseTemplate, type Template, tryTemplate } from './parse-template.ts'
export { renderCondition, renderOptional, renderText, renderValue } from './render.ts'
export { renderUrl } from './render-url.ts'
export { compileTree, renderTree, type TreeTemplate, treeReferences } from './tree-template.ts'
export { type Bindings, MISSING, ROOTS } from './values/bindings.ts'
export { ExpressionError, TemplateSyntaxError } from './values/errors.ts'
